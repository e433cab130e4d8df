#!/usr/bin/env python3
"""Plots errors of periodic forces against the split (SVG), from the output of `periodic_errors`.

build/cpu/tests/periodic_errors > errors.csv && docs/scripts/periodic_plot.py errors.csv docs/images/periodic_errors.svg
"""
import csv
import math
import sys

LEFT, TOP, WIDTH, HEIGHT, GAP = 62, 34, 250, 300, 24  # axes per set, in pixels
LOW, HIGH = 1e-6, 1e-1
LINES = (  # kernel, differentiation, cut, label, colour, dashes
    ("CIC", "spectral", "1e+09", "CIC", "#b8860b", ""),
    ("TSC", "spectral", "1e+09", "TSC", "#1b6ca8", ""),
    ("TSC", "four-point", "1e+09", "TSC, four-point", "#1b6ca8", "5 3"),
    ("PCS", "four-point", "1e+09", "PCS, four-point", "#c8553d", "5 3"),
    ("PCS", "spectral", "1e+09", "PCS (default)", "#c8553d", ""),
    ("PCS", "spectral", "4.5", "PCS, cut 4.5", "#777777", "1 3"),
    ("PCS", "spectral", "5", "PCS, cut 5", "#555555", "1 3"),
    ("PCS", "spectral", "6", "PCS, cut 6", "#222222", "1 3"),
)


def height(error):
    part = math.log(min(max(error, LOW), HIGH) / LOW) / math.log(HIGH / LOW)
    return TOP + HEIGHT * (1 - part)


def main(source, target):
    with open(source, newline="") as file:
        rows = list(csv.DictReader(file))
    sets = list(dict.fromkeys(row["set"] for row in rows))
    splits = sorted({float(row["split"]) for row in rows})
    out = []
    for number, name in enumerate(sets):
        left = LEFT + number * (WIDTH + GAP)

        def across(split):
            return left + WIDTH * (split - splits[0]) / (splits[-1] - splits[0])

        out.append(f'<rect x="{left}" y="{TOP}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#888"/>')
        out.append(f'<text x="{left + WIDTH / 2}" y="{TOP - 10}" text-anchor="middle">{name}</text>')
        for exponent in range(round(math.log10(LOW)), round(math.log10(HIGH)) + 1):
            y = height(10.0**exponent)
            out.append(f'<path d="M{left} {y:.1f}h{WIDTH}" stroke="#eee"/>')
            if number == 0:
                out.append(f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">1e{exponent}</text>')
        for tick in (1, 1.5, 2, 2.5, 3):
            x = across(tick)
            out.append(f'<path d="M{x:.1f} {TOP + HEIGHT}v-5" stroke="#888"/>')
            out.append(f'<text x="{x:.1f}" y="{TOP + HEIGHT + 16}" text-anchor="middle">{tick:g}</text>')
        for place, (kernel, by, cut, label, colour, dashes) in enumerate(LINES):
            chosen = [row for row in rows if (row["set"], row["kernel"], row["differentiation"], row["cut"]) == (name, kernel, by, cut)]
            points = " ".join(f'{across(float(row["split"])):.1f},{height(float(row["error"])):.1f}' for row in chosen)
            out.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes}"/>')
            if number == len(sets) - 1:
                x, y = left + WIDTH + 14, TOP + 14 + 20 * place
                out.append(f'<path d="M{x} {y - 4}h26" stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes}"/>')
                out.append(f'<text x="{x + 32}" y="{y}">{label}</text>')
    middle = LEFT + (len(sets) * (WIDTH + GAP) - GAP) / 2
    out.append(f'<text x="{middle}" y="{TOP + HEIGHT + 36}" text-anchor="middle">split radius r_s in cells</text>')
    out.append(f'<text x="14" y="{TOP + HEIGHT / 2}" text-anchor="middle" transform="rotate(-90 14 {TOP + HEIGHT / 2})">rms error / rms acceleration</text>')
    size = f'width="{LEFT + len(sets) * (WIDTH + GAP) + 150}" height="{TOP + HEIGHT + 50}"'
    with open(target, "w") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">\n<rect width="100%" height="100%" fill="white"/>\n')
        file.write("\n".join(out) + "\n</svg>\n")


main(*sys.argv[1:])
