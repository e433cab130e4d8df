#!/usr/bin/env python3
"""Writes docs/reference/commands.md from what the program says of itself: docs/scripts/make_commands.py PROGRAM [FILE]

An option that several commands share, with the same words, stands once, in a table of its group; each command then names it with its default."""
import collections
import pathlib
import re
import subprocess
import sys

PROGRAM, COMMON = sys.argv[1], "Common options"
PAGE = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else pathlib.Path(__file__).resolve().parents[1] / "reference/commands.md"
Option = collections.namedtuple("Option", "group name text default")


def help_of(*words):
    """The lines before the first title, and the rows of each title: name and text."""
    lines = subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=True).stdout.splitlines()
    head, titles, rows = [], {}, None
    for line in lines:
        row = re.match(r"  (\S.*?)(?:  +(\S.*))?$", line)
        if re.match(r"\S.*:$", line):
            rows = titles.setdefault(line[:-1], [])
        elif not titles:
            head += [line] if line else []
        elif not line:
            rows = None
        elif row and rows is not None:
            rows.append([row[1], row[2] or ""])
        elif rows:
            rows[-1][1] = f"{rows[-1][1]} {line.strip()}".strip()
    return head, titles


def options_of(titles):
    for group, rows in titles.items():
        for name, text in rows:
            whole = re.fullmatch(r"(.*?)(?: \[([^\[\]]*)\])?", text, re.S)
            yield Option(group, name, whole[1], whole[2])


def code(text):
    """Text of Markdown, with the names of options as code."""
    text = text.replace("|", r"\|").replace("*", r"\*").replace("<", r"\<")
    return re.sub(r"(?<![\w`-])(--set [a-z-]+\.[\w-]+(?:=\w+)?|--[a-zA-Z][\w-]*)", r"`\1`", text)


def table(rows):
    return ["|||", "|---|---|", *(f"|`{name.replace('|', chr(92) + '|')}`|{code(text)}|" for name, text in rows), ""]


def tables(options):
    """A table for each group, with its title if there are several."""
    groups = {}
    for o in options:
        groups.setdefault(o.group, []).append((o.name, o.text + (f" [{o.default}]" if o.default else "")))
    for group, rows in groups.items():
        yield from ([f"**{group}**", ""] if len(groups) > 1 else [])
        yield from table(rows)


_, overview = help_of("--help")
names = [name for name, _ in overview["Commands"]]
names[names.index("model"):names.index("model") + 1] = ["model", *(f"model {kind}" for kind, _ in help_of("model", "--help")[1]["Models"])]
pages = {name: help_of(*name.split(), "--help-all") for name in names}
own, settings = {}, {}
for name, (_, titles) in pages.items():
    kept = {group: rows for group, rows in titles.items() if group not in ("Arguments", "Models", COMMON) and not group.startswith("Settings, by")}
    own[name] = list(options_of(kept))
    if any(option.startswith("--set ") for option, _ in titles.get(COMMON, ())):
        for o in options_of(help_of(*name.split(), "--help-settings")[1]):
            settings.setdefault(o, []).append(name)


def words(option):
    """What makes two options the same; `accuracy` and `bench` take lists of some."""
    return option.name.removesuffix(",..."), option.text


same = collections.Counter(words(o) for options in own.values() for o in options)
shared = {}
for options in own.values():
    for o in options:
        if same[words(o)] > 1:
            defaults = collections.Counter(p.default for all_of in own.values() for p in all_of if words(p) == words(o))
            shared.setdefault(words(o), o._replace(default=max(defaults, key=defaults.get)))

page = ["# Commands and options", "", "*`docs/scripts/make_commands.py` makes this page from what the program prints by `--help-all`.* In brackets stands the default.", "",
        "Of every command:", "", *table([row for row in pages["run"][1][COMMON] if not row[0].startswith(("--set ", "--help-settings"))]),
        "## Commands", "", *table((f"chamomile {name}", text) for name, text in overview["Commands"]),
        "## Shared options", "", "Several commands have these. Each names its own below, with its default if that is another; `,...` marks an option that takes a list there.", "",
        *tables(sorted(shared.values(), key=lambda o: [p.group for p in shared.values()].index(o.group))),
        "## Settings", "", "Rare options are settings: `--set SECTION.KEY=VALUE`, or `KEY = VALUE` below `[SECTION]` in a file of `--config`. "
        "`chamomile COMMAND --help-settings` lists those of a command. `run` has all of them; `force`, `accuracy` and `bench` have those of forces.", ""]
pictures = {o.text for o in own["render"]}
page += tables(o for o, commands in settings.items() if "run" in commands and o.text not in pictures)
alike = [f"`{o.name}`" for o, commands in settings.items() if "run" in commands and o.text in pictures]
page += [f"With the words of the options of `render`: {', '.join(alike)}.", ""]
for name in names:
    head, titles = pages[name]
    page += [f"{'#' * (1 + len(name.split()))} {name}", "", f"`{head[0].removeprefix('usage: ')}`", "", code(" ".join(head[1:])), ""]
    for title in ("Arguments", "Models"):
        if title in titles:
            page += table(titles[title])
    page += tables(o for o in own[name] if words(o) not in shared)
    known = []
    for o in own[name]:
        if words(o) in shared:
            takes_list = ",..." if o.name.endswith(",...") and o.name != shared[words(o)].name else ""
            known.append(f"`{re.search('--[^ ]+', o.name)[0]}{takes_list}`" + (f" [{o.default or 'none'}]" if o.default != shared[words(o)].default else ""))
    page += [f"Shared: {', '.join(known)}.", ""] if known else []
PAGE.write_text("\n".join(page).rstrip() + "\n")
