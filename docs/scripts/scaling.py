#!/usr/bin/env python3
"""Cost against N: the table (Markdown) and the plot (SVG) from what `chamomile bench --csv` wrote.

    docs/scripts/scaling.py scaling.csv [more.csv ...] --svg scaling.svg

Rows that differ in N alone make one line of the plot. Its dashed companion is c N log2 N through the
geometric mean of the line; the last column of the table is the time over that.
"""
import argparse
import csv
import math

SETTING = ("machine", "particles from", "softening", "solver", "precision", "order", "local order", "tolerance", "theta")
COLOURS = ("#1b6ca8", "#c8553d", "#3a7d44", "#7d4e9e", "#b8860b", "#4a4e69")
LEFT, TOP, WIDTH, HEIGHT = 78, 24, 560, 380  # axes, in pixels


def read_lines(files):
    """Returns rows by setting, each list ascending in N."""
    lines = {}
    for name in files:
        with open(name, newline="") as file:
            for row in csv.DictReader(file):
                lines.setdefault(tuple(row[key] for key in SETTING), []).append(row)
    for setting, rows in lines.items():
        rows.sort(key=lambda row: int(row["N"]))
        if len({row["N"] for row in rows}) < len(rows):
            raise SystemExit(f"{', '.join(setting)}: one N more than once; give one row for each")
    return lines


def work(n):
    return n * math.log2(max(n, 2))


def coefficient(rows):
    """Returns c in c N log2 N, in ms: the geometric mean."""
    return math.exp(sum(math.log(float(row["ms"]) / work(int(row["N"]))) for row in rows) / len(rows))


def names(lines):
    """Returns labels that distinguish the lines; a single line gets its full label."""
    differing = [k for k in range(len(SETTING)) if len({setting[k] for setting in lines}) > 1]

    def name(setting):
        words = [setting[k] if SETTING[k] in ("machine", "particles from", "softening") else f"{SETTING[k]} {setting[k]}"
                 for k in differing or range(len(SETTING)) if setting[k] != "-"]
        return ", ".join(words)
    return {setting: name(setting) for setting in lines}


def table(lines):
    text = []
    for setting, rows in lines.items():
        c = coefficient(rows)
        first = rows[0]
        text.append(", ".join(f"{key} {value}" for key, value in zip(SETTING, setting) if value != "-") +
                    f"; chamomile {first['version']}, {first['date']}\n")
        text.append("| N | 90 % error | particles + cells + far per particle | **ms** | min to max | us per particle | over c N log2 N |")
        text.append("|---|---|---|---|---|---|---|")
        for row in rows:
            n, ms = int(row["N"]), float(row["ms"])
            text.append(f"| {n:.4g} | {row['90 % error']} | {row['particles']} + {row['cells']} + {row['far']} | **{ms:.4g}** | "
                        f"{float(row['min']):.4g} to {float(row['max']):.4g} | {1e3 * ms / n:.3g} | {ms / (c * work(n)):.2f} |")
        text.append("")
    return "\n".join(text)


def decades(values):
    return range(math.floor(math.log10(min(values))), math.ceil(math.log10(max(values))) + 1)


def plot(lines):
    every = [row for rows in lines.values() for row in rows]
    across = decades([int(row["N"]) for row in every])
    up = decades([float(row[key]) for row in every for key in ("min", "max")] +
                 [coefficient(rows) * work(int(rows[k]["N"])) for rows in lines.values() for k in (0, -1)])
    across, up = (axis if len(axis) > 1 else range(axis[0], axis[0] + 2) for axis in (across, up))
    x = lambda n: LEFT + WIDTH * (math.log10(n) - across[0]) / (across[-1] - across[0])
    y = lambda ms: TOP + HEIGHT * (up[-1] - math.log10(ms)) / (up[-1] - up[0])
    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 24} {TOP + HEIGHT + 56}" '
           'font-family="sans-serif" font-size="13">', '<rect width="100%" height="100%" fill="white"/>']
    power = lambda k: "10" + str(k).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    for k in across:
        svg.append(f'<path d="M{x(10**k):.1f} {TOP}v{HEIGHT}" stroke="#ddd"/>'
                   f'<text x="{x(10**k):.1f}" y="{TOP + HEIGHT + 20}" text-anchor="middle">{power(k)}</text>')
    for k in up:
        svg.append(f'<path d="M{LEFT} {y(10**k):.1f}h{WIDTH}" stroke="#ddd"/>'
                   f'<text x="{LEFT - 8}" y="{y(10**k) + 4:.1f}" text-anchor="end">{power(k)}</text>')
    svg.append(f'<text x="{LEFT + WIDTH / 2}" y="{TOP + HEIGHT + 44}" text-anchor="middle">N</text>')
    svg.append(f'<text transform="translate(18 {TOP + HEIGHT / 2}) rotate(-90)" text-anchor="middle">ms for one force evaluation</text>')
    escape = lambda text: text.replace("&", "&amp;").replace("<", "&lt;")
    for number, (setting, name) in enumerate(names(lines).items()):
        rows, colour = lines[setting], COLOURS[number % len(COLOURS)]
        c = coefficient(rows)
        n = [int(row["N"]) for row in rows]
        ends = [n[0] * (n[-1] / n[0]) ** (k / 50) for k in range(51)]
        svg.append(f'<polyline class="n log n" fill="none" stroke="{colour}" stroke-dasharray="5 4" opacity="0.6" points="' +
                   " ".join(f"{x(m):.1f},{y(c * work(m)):.1f}" for m in ends) + '"/>')
        for row in rows:
            m = int(row["N"])
            svg.append(f'<path d="M{x(m):.1f} {y(float(row["min"])):.1f}V{y(float(row["max"])):.1f}" stroke="{colour}"/>'
                       f'<circle cx="{x(m):.1f}" cy="{y(float(row["ms"])):.1f}" r="4" fill="{colour}"/>')
        svg.append(f'<circle cx="{LEFT + 14}" cy="{TOP + 14 + 20 * number}" r="4" fill="{colour}"/>'
                   f'<text x="{LEFT + 26}" y="{TOP + 18 + 20 * number}">{escape(name)}; dashed N log N</text>')
    return "\n".join(svg + ["</svg>\n"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("csv", nargs="+")
    parser.add_argument("--svg", help="write the plot")
    arguments = parser.parse_args()
    lines = read_lines(arguments.csv)
    if arguments.svg:
        with open(arguments.svg, "w", encoding="utf-8") as file:
            file.write(plot(lines))
    print(table(lines), end="")


if __name__ == "__main__":
    main()
