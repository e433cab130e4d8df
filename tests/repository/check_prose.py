#!/usr/bin/env python3
"""Texts are in plain English: the share of function words in comments, strings and pages, and words that hide a noun.

    check_prose.py FOLDER [--worst N]

Counts texts of at least eight words of which 80 % are plain words. Codes that are easy to read have a mean share of 0.08 to 0.12. A folder
fails above 0.16, or with more than 1 % of opaque texts (0.40 and above). Also fails: "does so", "does the same", "so many" in texts,
`least_` and `most_` in names of C++ and CUDA (min_, max_).
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

WORDS = set("""of that those which what where as it they them these so one all own whom whose there is are has have
had such this its their another other others same""".split())
SOURCES = (".hpp", ".cpp", ".cuh", ".cu", ".h", ".c", ".cc")
PRONOUNS = re.compile(r"\b(does so|does the same|so many(?!\w)|so manieth)\b", re.IGNORECASE)
NAMES = re.compile(r"\b(?:\w+_)?(?<!at_)(?<!at)(?:least|most)(?:_\w*)?\b")
LITERAL = re.compile(r'"((?:\\.|[^"\\\n])*)"')
COMMENT = re.compile(r"\s*//[/!]?<?\s?(.*)$")
MEAN, OPAQUE, DENSE = 0.16, 0.01, 0.40
FEW = 20  # texts of which one alone would be more than 1 %


def share(text):
    """The share of function words in a text; None: too short, or no prose."""
    words = [w for w in (w.strip(".,;:()*`\"'").lower() for w in text.split()) if w]
    plain = sum(bool(re.fullmatch(r"[a-z][a-z'\-]*", w)) for w in words)
    return sum(w in WORDS for w in words) / len(words) if len(words) >= 8 and plain >= 0.8 * len(words) else None


def code_texts(text):
    """Yields (line, kind, text) of each run of comment lines, each comment behind code, and each string."""
    lines = text.split("\n")
    i = 0
    while i < len(lines):
        start = i
        if match := COMMENT.match(lines[i]):
            parts = [match[1]]
            while i + 1 < len(lines) and (more := COMMENT.match(lines[i + 1])):
                parts.append(more[1])
                i += 1
            yield start + 1, "comments", re.sub(r"[@\\]\w+", "", " ".join(parts))
        else:
            parts = LITERAL.findall(lines[i])
            while parts and i + 1 < len(lines) and re.match(r'\s*"', lines[i + 1]):
                parts += LITERAL.findall(lines[i + 1])
                i += 1
            yield start + 1, "strings", "".join(parts)
            if '"' not in lines[i] and (tail := re.search(r"\s//[/!]?<?\s(.*)$", lines[i])):
                yield i + 1, "comments", tail[1]
        i += 1


def script_texts(text):
    """Yields (line, kind, text) of the docstrings and the comment lines of a script."""
    for match in re.finditer(r'^\s*"""(.*?)"""', text, re.DOTALL | re.MULTILINE):
        for paragraph in re.split(r"\n\s*\n", match[1]):
            yield text[:match.start()].count("\n") + 1, "comments", " ".join(paragraph.split())
    for line, row in enumerate(text.split("\n"), 1):
        if match := re.match(r"\s*# (.*)$", row):
            yield line, "comments", match[1]


def page_texts(text):
    """Yields (line, kind, text) of each paragraph of a page."""
    text = re.sub(r"```.*?```|<!--.*?-->", lambda m: "\n" * m[0].count("\n"), text, flags=re.DOTALL)
    line = 1
    for block in re.split(r"(\n\s*\n)", text):
        rows = [row for row in block.split("\n") if not re.match(r"\s*[|#]", row)]
        yield line, "pages", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(rows))
        line += block.count("\n")


def code_of(text):
    """The code without comments and strings."""
    return re.sub(r"//[^\n]*", "", LITERAL.sub('""', text))


def look(files):
    """Returns the shares by (kind, folder), each share with its place and text, and the lines of faults."""
    groups, found, faults = {}, [], []
    for name, text in files:
        suffix = pathlib.PurePath(name).suffix
        reader = code_texts if suffix in SOURCES else page_texts if suffix == ".md" else script_texts
        folder = name.split("/")[0] if "/" in name else "."
        for line, kind, words in reader(text):
            if match := PRONOUNS.search(words):
                faults.append(f"{name}:{line}: \"{match[0]}\": must name what it stands for")
            if (value := share(words)) is not None:
                groups.setdefault((kind, folder), []).append(value)
                found.append((value, f"{name}:{line}", words.strip()))
        if suffix in SOURCES:
            faults += [f"{name}: {word}: must be min or max" for word in sorted(set(NAMES.findall(code_of(text))) - {""})]
    for (kind, folder), values in sorted(groups.items()):
        mean, opaque = sum(values) / len(values), sum(value >= DENSE for value in values)
        if len(values) > FEW and (mean > MEAN or opaque > max(1, OPAQUE * len(values))):
            faults.append(f"{folder}: {kind}: {len(values)}, mean {mean:.3f}, opaque {opaque}: must be at most {MEAN} and {OPAQUE:.0%}")
    return groups, found, faults


def can_fail():
    """Each rule finds its fault in a made text."""
    dense = "// Those of which it has what the others of its own have, as all of these are of the same.\n"
    cases = {"// It does so where asked.\n": "does so", "int least_mass = 1;\n": "least_mass", dense * (FEW + 1): "mean"}
    separate = {text.replace("\n", "\n;\n"): word for text, word in cases.items()}
    return all(any(word in fault for fault in look([("a/b.cpp", text)])[2]) for text, word in separate.items()) and \
        not look([("a/b.cpp", "int at_least(int max_mass); // Returns the number of particles below a mass.\n")])[2] and \
        [hook_refuses(72), hook_refuses(73)] == [False, True]


def hook_refuses(characters):
    """Whether the commit-msg hook refuses a subject of this length."""
    with tempfile.NamedTemporaryFile("w") as message:
        message.write("# a remark\n" + "x" * characters + "\n\nWhy.\n")
        message.flush()
        hook = pathlib.Path(__file__).parents[2] / "cmake/hooks/commit-msg"
        return subprocess.run([hook, message.name], capture_output=True).returncode != 0


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("root", type=pathlib.Path)
    arguments.add_argument("program", nargs="?", help="not used: ctest gives it to every test")
    arguments.add_argument("--worst", type=int, default=0, help="print the N densest texts, and a table of folders")
    given = arguments.parse_args()
    listed = subprocess.run(["git", "ls-files"], cwd=given.root, text=True, capture_output=True)
    if listed.returncode:
        print("skipped: no checkout")
        return 77
    names = [name for name in listed.stdout.split("\n") if name and name not in ("CHANGELOG.md", "tests/repository/check_prose.py")]
    files = []
    for name in names:
        path = given.root / name
        if path.suffix in (*SOURCES, ".md", ".py", ".cmake") or path.name == "CMakeLists.txt" or name.startswith(("tests/", "cmake/", "examples/")) and not path.suffix:
            files.append((name, path.read_text(errors="replace")))
    groups, found, faults = look(files)
    if given.worst:
        for (kind, folder), values in sorted(groups.items()):
            print(f"{kind:9} {folder:12} {len(values):6} {sum(values) / len(values):6.3f} {sum(v >= DENSE for v in values) / len(values):7.1%}")
        for value, place, text in sorted(found, reverse=True)[:given.worst]:
            print(f"{value:.2f} {place}: {text[:300]}")
    if not can_fail():
        faults.append("check_prose.py misses a fault that it makes itself")
    print("\n".join(faults) or f"{len(found)} texts are plain")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
