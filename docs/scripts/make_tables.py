#!/usr/bin/env python3
"""Writes the tables of measurements into the pages: make_tables.py [--check] [ROOT]

A page says where a table goes, from which file under docs/data and which columns it has, each with its heading if that
is another:

    <!-- table lists_h200.csv: N, tolerance, ms, 90 % error = error, particles -->
    ...
    <!-- end of table -->

What stands between the two lines is written anew. A file is what `chamomile bench --csv` writes, or any with a line of
headings; lines that begin with # are comments, of which the first stands below the table. With --check nothing is
written, and the exit status is 1 where a page is not what its files say.
"""
import csv
import pathlib
import re
import sys

BLOCK = re.compile(r"(<!-- table (\S+): (.*?) -->\n)(.*?)(<!-- end of table -->)", re.DOTALL)


def read(path):
    lines = path.read_text().splitlines()
    comments = [line[1:].strip() for line in lines if line.startswith("#")]
    return comments, list(csv.DictReader(line for line in lines if not line.startswith("#")))


def shown(text):
    """A number with three digits, unless it is a count; other words as they are."""
    if text.isdigit() and not text.endswith("000000"):
        return text
    try:
        value = float(text)
    except ValueError:
        return text
    if value and (abs(value) >= 1e5 or abs(value) < 1e-2):
        return f"{value:.3g}".replace("e-0", "e-").replace("e+0", "e")
    return f"{value:.4g}" if abs(value) >= 1000 else f"{value:.3g}"


def table(data, name, columns):
    comments, rows = read(data / name)
    pairs = [(part.split("=")[0].strip(), part.split("=")[-1].strip()) for part in columns.split(",")]
    for column, _ in pairs:
        if column not in rows[0]:
            sys.exit(f"{name}: no column '{column}'; there are {', '.join(rows[0])}")
    lines = ["| " + " | ".join(heading for _, heading in pairs) + " |", "|" + "---|" * len(pairs)]
    lines += ["| " + " | ".join(shown(row[column]) for column, _ in pairs) + " |" for row in rows]
    return "\n".join(lines) + "\n" + (f"\n{comments[0]} (`docs/data/{name}`)\n" if comments else "")


def main():
    words = [word for word in sys.argv[1:] if word != "--check"]
    root = pathlib.Path(words[0] if words else pathlib.Path(__file__).parents[2])
    stale = []
    for page in sorted((root / "docs").rglob("*.md")):
        text = page.read_text()
        new = BLOCK.sub(lambda m: m[1] + "\n" + table(root / "docs/data", m[2], m[3]) + "\n" + m[5], text)
        if new != text and "--check" in sys.argv:
            stale.append(str(page.relative_to(root)))
        elif new != text:
            page.write_text(new)
    for page in stale:
        print(f"{page}: is not what docs/scripts/make_tables.py writes")
    sys.exit(bool(stale))


if __name__ == "__main__":
    main()
