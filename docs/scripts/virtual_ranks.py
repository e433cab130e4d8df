#!/usr/bin/env python3
"""What ranks send, hold and do, counted on virtual ranks (threads of one process): the data of docs/data and the plot.

    docs/scripts/virtual_ranks.py count build/cpu/chamomile virtual_ranks.csv [--sets plummer,cube] [--ranks 8,64] [-n 4000000]
    docs/scripts/virtual_ranks.py plot docs/data/virtual_ranks.csv docs/images/virtual_ranks.svg

`count` appends a row for each set and number of ranks, and leaves out those that the file has. `clumps` is made of 24
Hernquist spheres. Counts do not depend on the machine or its load.
"""
import argparse
import csv
import math
import pathlib
import random
import subprocess
import tempfile

SETS = ("plummer", "cube", "merger", "galaxy", "clumps")
COLOURS = dict(zip(SETS, ("#1b6ca8", "#777777", "#c8553d", "#3a7d44", "#7d4e9e")))
SEED = 1
FITS = {2: (7, 1.9), 8: (14, 3.9), 64: (18.5, 5.7), 512: (21, 8)}  # imported particles and cells over n^(2/3), as designed
LEFT, TOP, WIDTH, HEIGHT, GAP = 60, 30, 300, 220, 76  # axes per plot, in pixels
PLOTS = (  # column, title
    ("MB imported", "MB sent for imports, a rank"),
    ("partners", "ranks that the busiest asks"),
    ("bytes held", "bytes held by the largest rank, over N / P"),
    ("work", "work of the busiest rank over the mean"),
)


def clumps(program, folder, particles):
    """Writes 24 spheres in a cube of side 10, with masses falling as a power of their index."""
    chance, mass = random.Random(SEED), [(k + 1) ** -0.8 for k in range(24)]
    numbers = [round(particles * m / sum(mass)) for m in mass]
    numbers[0] += particles - sum(numbers)
    files, places = [], []
    for k, m in enumerate(mass):
        name = f"clump_{k:02}.hdf5"
        subprocess.run([program, "model", "hernquist", "-n", str(numbers[k]), "--mass", str(m), "--scale", str(0.2 * m ** (1 / 3)),
                        "--seed", str(SEED + k), "-o", name, "-q"], cwd=folder, check=True)
        files.append(name)
        places += ["--at", ",".join(f"{chance.uniform(-5, 5):.3f}" for _ in range(3))]
    subprocess.run([program, "join", *files, *places, "-o", "clumps.hdf5", "-q"], cwd=folder, check=True)
    return "clumps.hdf5"


def count(program, folder, name, ranks, particles):
    """Returns the row for one set on `ranks` ranks."""
    source = ["--model", name, "-n", str(particles)] if name != "clumps" else ["clumps.hdf5"]
    subprocess.run([program, "bench", *source, "--ranks", str(ranks), "--eps", "0.001", "--sample", "0", "--repeat", "1", "-q", "--overwrite", "--csv", "row.csv"],
                   cwd=folder, check=True)
    with open(pathlib.Path(folder) / "row.csv", newline="") as file:
        row = next(csv.DictReader(file))
    share = int(row["N"]) / ranks
    imported, cells = float(row["imported %"]) / 100 * share, int(row["imported cells"]) / ranks
    p, c = (value / share ** (2 / 3) for value in (imported, cells))
    planned = FITS.get(ranks)
    return {
        "set": name, "ranks": ranks, "N": row["N"], "imported % of a rank": f"{100 * imported / share:.3g}", "cells of a rank": round(cells),
        "MB imported": f"{float(row['MB of imports']) / ranks:.3g}", "most MB": row["most MB of imports"], "partners": row["most partners"],
        "MB held": row["most MB held"], "bytes held": f"{1e6 * float(row['most MB held']) / share:.0f}", "work": row["most/mean work"],
        "p": f"{p:.1f}", "c": f"{c:.2f}", "p over plan": f"{p / planned[0]:.2f}" if planned else "-", "c over plan": f"{c / planned[1]:.2f}" if planned else "-"}


def count_all(arguments):
    path = pathlib.Path(arguments.csv)
    rows = []
    if path.exists():
        with open(path, newline="") as file:
            rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    done = {(row["set"], int(row["ranks"]), int(row["N"])) for row in rows}
    program = str(pathlib.Path(arguments.program).resolve())
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.sets.split(","):
            wanted = [ranks for ranks in map(int, arguments.ranks.split(",")) if (name, ranks, arguments.n) not in done]
            if name == "clumps" and wanted:
                clumps(program, folder, arguments.n)
            for ranks in wanted:
                rows.append(count(program, folder, name, ranks, arguments.n))
                with open(path, "w", newline="") as file:
                    file.write(f"# {arguments.when}\n")
                    writer = csv.DictWriter(file, rows[0], lineterminator="\n")
                    writer.writeheader()
                    writer.writerows(sorted(rows, key=lambda row: (SETS.index(row["set"]), int(row["N"]), int(row["ranks"]))))


def ticks(least, most):
    """Returns tick values enclosing the range: 1, 2 and 5 times powers of ten, or tenths near 1."""
    every = [1 + k / 10 for k in range(11)] if 1 <= least and most < 2 else [m * 10.0**k for k in range(-3, 7) for m in (1, 2, 5)]
    low = max(t for t in every if t <= least)
    high = min(t for t in every if t >= most)
    return [t for t in every if low <= t <= high]


def draw(rows, column, title, left, top):
    values = [float(row[column]) for row in rows]
    across, up = sorted({int(row["ranks"]) for row in rows}), ticks(min(values), max(values))
    x = lambda ranks: left + WIDTH * math.log(ranks / across[0]) / math.log(across[-1] / across[0])
    y = lambda value: top + HEIGHT * math.log(up[-1] / value) / math.log(up[-1] / up[0])
    out = [f'<rect x="{left}" y="{top}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#888"/>',
           f'<text x="{left + WIDTH / 2}" y="{top - 10}" text-anchor="middle">{title}</text>']
    for ranks in across:
        out.append(f'<text x="{x(ranks):.1f}" y="{top + HEIGHT + 16}" text-anchor="middle">{ranks}</text>')
    for value in up:
        out.append(f'<path d="M{left} {y(value):.1f}h{WIDTH}" stroke="#eee"/>'
                   f'<text x="{left - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{value:g}</text>')
    for name in SETS:
        points = sorted((int(row["ranks"]), float(row[column])) for row in rows if row["set"] == name)
        out.append(f'<polyline class="{name}" fill="none" stroke="{COLOURS[name]}" stroke-width="2" points="' +
                   " ".join(f"{x(ranks):.1f},{y(value):.1f}" for ranks, value in points) + '"/>')
    return out


def plot(arguments):
    with open(arguments.csv, newline="") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    most = max(int(row["N"]) for row in rows)
    rows = [row for row in rows if int(row["N"]) == most]
    width, height = LEFT + 2 * WIDTH + GAP + 20, TOP + 2 * HEIGHT + GAP + 70
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="13">',
           '<rect width="100%" height="100%" fill="white"/>']
    for k, (column, title) in enumerate(PLOTS):
        out += draw(rows, column, title, LEFT + k % 2 * (WIDTH + GAP), TOP + k // 2 * (HEIGHT + GAP))
    for k, name in enumerate(SETS):
        left, top = LEFT + 130 * k, height - 16
        out.append(f'<path d="M{left} {top - 4}h26" stroke="{COLOURS[name]}" stroke-width="2"/><text x="{left + 32}" y="{top}">{name}</text>')
    with open(arguments.svg, "w", encoding="utf-8") as file:
        file.write("\n".join([*out, "</svg>\n"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("count")
    command.add_argument("program")
    command.add_argument("csv")
    command.add_argument("--sets", default=",".join(SETS))
    command.add_argument("--ranks", default="2,8,64,512")
    command.add_argument("-n", type=int, default=4000000)
    command.add_argument("--when", default="", help="the first line of the file: date, machine, commit")
    command.set_defaults(run=count_all)
    command = commands.add_parser("plot")
    command.add_argument("csv")
    command.add_argument("svg")
    command.set_defaults(run=plot)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
