#!/usr/bin/env python3
"""Writes tables of measurements into README and pages: make_tables.py [--check] [ROOT]

A page marks the position of a file from docs/data:

    <!-- table lists_h200.csv -->
    ...
    <!-- end of table -->

The script replaces the lines between the marks. By default the table equals the file, cell by cell; repeated words in
the first column are left blank. After a colon, a comma-separated list selects columns, each optionally with another
heading; their numbers are rounded to three digits:

    <!-- table lists_h200.csv: N, tolerance, ms, 90 % error = error, particles -->

A file is output from `chamomile bench --csv`, or any file with a heading line. Lines starting with # are comments; the
first comment states date, machine and version, and appears below the table. With --check nothing is written; the exit
status is 1 if a page differs from its files, or a file appears on no page.
"""
import csv
import pathlib
import re
import sys

BLOCK = re.compile(r"^( *)<!-- table ([\w.-]+)(?:: (.*?))? -->\n.*?^ *<!-- end of table -->", re.DOTALL | re.MULTILINE)
WHEN = re.compile(r"\b20\d\d-\d\d-\d\d\b|\bpublished\b")


class Unusable(Exception):
    """A file that cannot be shown as a table."""


def read(path):
    """The first comment, the headings and the rows."""
    if not path.exists():
        raise Unusable(f"docs/data/{path.name}: is not there")
    lines = path.read_text().splitlines()
    comments = [line[1:].strip() for line in lines if line.startswith("#")]
    rows = list(csv.reader(line for line in lines if not line.startswith("#")))
    if not comments or not WHEN.search(comments[0]):
        raise Unusable(f"docs/data/{path.name}: its first line does not say when and where it was measured")
    if len(rows) < 2 or any(len(row) != len(rows[0]) for row in rows):
        raise Unusable(f"docs/data/{path.name}: its rows differ in length, or there are none")
    if len(set(rows[0])) < len(rows[0]):
        raise Unusable(f"docs/data/{path.name}: a heading stands twice")
    return comments[0], rows[0], rows[1:]


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


def rounded(text):
    """Returns a number with three digits, unless a count; other words unchanged."""
    if text.isdigit() and not text.endswith("000000"):
        return text
    value = number(text)
    if value is None:
        return text
    if value and (abs(value) >= 1e5 or abs(value) < 1e-2):
        return re.sub(r"e([+-])0?", lambda m: "e" + m[1].strip("+"), f"{value:.3g}")
    return f"{value:.4g}" if abs(value) >= 1000 else f"{value:.3g}"


def table(path, columns):
    comment, names, rows = read(path)
    headings = names
    if columns:
        pairs = [[word.strip() for word in part.split("=")] for part in columns.split(",")]
        headings = [pair[-1] for pair in pairs]
        for name, *_ in pairs:
            if name not in names:
                raise Unusable(f"docs/data/{path.name}: has no column '{name}': there are {', '.join(names)}")
        rows = [[rounded(row[names.index(name)]) for name, *_ in pairs] for row in rows]
    previous, lines = None, []
    for row in [headings, ["---"] * len(headings), *rows]:
        first, *others = row
        again = first == previous and number(first) is None and len(row) > 1
        lines.append("| " + " | ".join(cell.replace("|", r"\|") for cell in ["" if again else first, *others]) + " |")
        previous = first
    lines[1] = "|" + "---|" * len(headings)
    return [*lines, "", f"{comment} (`docs/data/{path.name}`)"]


def main():
    check = "--check" in sys.argv
    words = [word for word in sys.argv[1:] if word != "--check"]
    root = pathlib.Path(words[0] if words else pathlib.Path(__file__).parents[2])
    complaints, shown = [], set()
    everything = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    for page in everything:
        def block(found):
            indent, name, columns = found.groups()
            shown.add(name)
            begin, end = found[0].partition("\n")[0], f"{indent}<!-- end of table -->"
            lines = table(root / "docs/data" / name, columns)
            return "\n".join([begin, "", *((indent + line).rstrip() for line in lines), "", end])

        text = page.read_text()
        try:
            new = BLOCK.sub(block, text)
        except Unusable as problem:
            complaints.append(f"{page.relative_to(root)}: {problem}")
            continue
        if new != text and check:
            complaints.append(f"{page.relative_to(root)}: is not what docs/scripts/make_tables.py writes")
        elif new != text:
            page.write_text(new)
    pages = "".join(page.read_text() for page in everything)
    complaints += [f"docs/data/{path.name}: stands on no page" for path in sorted((root / "docs/data").glob("*.csv"))
                   if path.name not in shown and f"data/{path.name})" not in pages]
    print("\n".join(complaints), end="\n" if complaints else "")
    sys.exit(bool(complaints))


if __name__ == "__main__":
    main()
