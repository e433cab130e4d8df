#!/usr/bin/env python3
"""From `bench --csv` to the tables and plots of docs/scripts/scaling.py and docs/scripts/virtual_ranks.py."""
import csv
import math
import subprocess
import sys
import xml.etree.ElementTree as xml

from program import PROGRAM, ROOT, chamomile, check, run_parts, table

SCRIPT = ROOT / "docs/scripts/scaling.py"
SVG = "{http://www.w3.org/2000/svg}"


def scaling(folder, *arguments, status=0):
    done = subprocess.run([sys.executable, SCRIPT, *arguments], cwd=folder, capture_output=True, text=True, timeout=60)
    check(done.returncode == status, f"status {done.returncode}: {done.stderr}")
    return done.stdout


def circles(folder, name):
    """Returns point centers by colour, without legend points."""
    found = {}
    for circle in xml.parse(folder / name).getroot().iter(SVG + "circle"):
        found.setdefault(circle.get("fill"), []).append((float(circle.get("cx")), float(circle.get("cy"))))
    return [points[:-1] for points in found.values()]


def draws_what_was_measured(folder):
    chamomile(folder, "bench", "-n", "500,2000,8000", "--tolerance", "0.01,0.003", "--repeat", "1", "--sample", "100",
              "--csv", "bench.csv", "-q")
    text = scaling(folder, "bench.csv", "--svg", "bench.svg")
    rows = [line for line in text.splitlines() if line.startswith("| ") and line[2].isdigit()]
    check(len(rows) == 6 and "tolerance 0.003" in text and "softening Plummer, eps = 0.001" in text, f"table: {text}")
    points = circles(folder, "bench.svg")
    check([len(line) for line in points] == [3, 3], f"points: {points}")
    for line in points:
        spacing = [b[0] - a[0] for a, b in zip(line, line[1:])]
        check(abs(spacing[0] - spacing[1]) < 0.2, f"N is not logarithmic: {line}")
        check(line[0][1] > line[2][1], f"eight thousand take no longer than five hundred: {line}")


def knows_n_log_n(folder):
    """Times of 2e-6 N log2 N lie on the dashed line; after doubling the last time, its point does not."""
    chamomile(folder, "bench", "-n", "64,256,1024", "--repeat", "1", "--sample", "0", "--csv", "made.csv", "-q")
    rows = table(folder / "made.csv")
    for last, ratios in ((1, ["1.00"] * 3), (2, ["0.79", "0.79", "1.59"])):
        for row in rows:
            n = int(row["N"])
            row["ms"] = row["min"] = row["max"] = 2e-6 * n * math.log2(n) * (last if n == 1024 else 1)
        with open(folder / "made.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, rows[0].keys())
            writer.writeheader()
            writer.writerows(rows)
        text = scaling(folder, "made.csv", "--svg", "made.svg")
        found = [line.split("|")[-2].strip() for line in text.splitlines() if line.startswith("| ") and line[2].isdigit()]
        check(found == ratios, f"ratios {found} instead of {ratios}")
    scaling(folder, "made.csv", "made.csv", status=1)  # one N twice


def counts_ranks(folder):
    """Rows for two sets on two numbers of ranks, counted in two calls, and a line per set in each of four plots."""
    def virtual_ranks(*words):
        done = subprocess.run([sys.executable, ROOT / "docs/scripts/virtual_ranks.py", *words], cwd=folder, capture_output=True, text=True, timeout=300)
        check(done.returncode == 0, f"virtual_ranks.py {words}: {done.stderr}")

    for ranks in ("2", "2,5"):
        virtual_ranks("count", PROGRAM, "ranks.csv", "--sets", "clumps,plummer", "--ranks", ranks, "-n", "20000", "--when", "2026-11-26")
    lines = (folder / "ranks.csv").read_text().splitlines()
    check(lines[0] == "# 2026-11-26", f"first line: {lines[0]}")
    rows = list(csv.DictReader(lines[1:]))
    check([(row["set"], row["ranks"], row["N"]) for row in rows] == [(name, ranks, "20000") for name in ("plummer", "clumps") for ranks in "25"], f"rows: {rows}")
    for row in rows:
        share = 20000 / int(row["ranks"])
        check(abs(float(row["c"]) * share ** (2 / 3) - int(row["cells of a rank"])) < 0.01 * share, f"cells: {row}")
        check((row["p over plan"] == "-") == (row["ranks"] == "5"), f"wrong plan: {row}")
    virtual_ranks("plot", "ranks.csv", "ranks.svg")
    drawn = [line.get("class") for line in xml.parse(folder / "ranks.svg").getroot().iter(SVG + "polyline") if len(line.get("points").split()) == 2]
    check(sorted(drawn) == ["clumps"] * 4 + ["plummer"] * 4, f"lines: {drawn}")


run_parts("the scaling is drawn as it was measured", draws_what_was_measured, knows_n_log_n, counts_ranks)
