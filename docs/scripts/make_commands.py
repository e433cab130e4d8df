#!/usr/bin/env python3
"""Writes docs/reference/commands.md from the program's help: docs/scripts/make_commands.py PROGRAM [FILE]"""
import pathlib
import re
import subprocess
import sys

PROGRAM, COMMON = sys.argv[1], "Common options"
PAGE = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else pathlib.Path(__file__).resolve().parents[1] / "reference/commands.md"


def help_of(*words):
    return subprocess.run([PROGRAM, *words, "--help-all"], capture_output=True, text=True, check=True).stdout.splitlines()


def entries(lines):
    """Returns name and text of each two-column entry; continuation lines begin with blanks."""
    rows = []
    for line in lines:
        begin = re.match(r"  (\S.*?)(?:  +(\S.*))?$", line)
        if begin:
            rows.append([begin[1], [begin[2] or ""]])
        elif line.strip() and rows:
            rows[-1][1].append(line.strip())
    return [(name, " ".join(" ".join(text).split())) for name, text in rows]


def cell(text):
    """Returns text for a Markdown table, with option names as code."""
    text = text.replace("|", r"\|").replace("*", r"\*").replace("<", r"\<")
    return re.sub(r"(?<![\w`-])(--[a-zA-Z][\w-]*)", r"`\1`", text)


def section(title, rows):
    yield f"**{title}**\n"
    yield "| | |\n|---|---|"
    for name, text in rows:
        yield f"| `{name.replace('|', chr(92) + '|')}` | {cell(text)} |"
    yield ""


def command(*words):
    """Returns the page's section for one command."""
    lines = help_of(*words)
    yield f"{'#' * (1 + len(words))} {' '.join(words)}\n"
    yield f"`{lines[0].removeprefix('usage: ')}`\n"
    title, rows, prose = None, [], []
    for line in lines[1:] + ["end:"]:
        if re.match(r"\S.*:$", line):
            if prose:
                yield cell(" ".join(prose)) + "\n"
            if title and rows and title != COMMON:
                yield from section(title, entries(rows))
            title, rows, prose = line[:-1], [], []
        elif title is None:
            prose += [line] if line else []
        else:
            rows.append(line)


overview = help_of()
start = overview.index("Commands:") + 1
commands = entries(overview[start:overview.index("", start)])
page = ["# Commands and options\n",
        "*This page is made from what `chamomile COMMAND --help-all` prints, by `docs/scripts/make_commands.py`.* In brackets stands what holds unless something is given.\n",
        "Of every command:\n",
        *section(COMMON, entries(help_of("info")[help_of("info").index(COMMON + ":") + 1:])),
        *section("Commands", [(f"chamomile {name}", text) for name, text in commands])]
for name, _ in commands:
    page += command(name)
    if name == "model":
        lines = [*help_of(name), ""]
        first = lines.index("Models:") + 1
        for model, _ in entries(lines[first:lines.index("", first)]):
            page += command(name, model)
PAGE.write_text("\n".join(page).rstrip() + "\n")
