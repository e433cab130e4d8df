#!/usr/bin/env python3
"""Plots tables of `chamomile power`: P(k) of each, and over the first one's as it has grown, up to the Nyquist wave number of the particles. The shot noise that
the tables leave out is put back: particles that come from a lattice have none at first.

    docs/scripts/power_plot.py power_000.txt power_001.txt ... -o power.png
"""
import argparse
import re

import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("tables", nargs="+")
parser.add_argument("-o", "--output", default="power.png")
options = parser.parse_args()

figure, (top, bottom) = plt.subplots(2, 1, sharex=True, figsize=(7, 8), gridspec_kw={"height_ratios": [2, 1], "hspace": 0.05})
first = None
for name in options.tables:
    with open(name) as file:
        heading = [line for line in file if line.startswith("#")]
    redshift = next((m[1] for m in (re.search(r"redshift ([-+.\de]+)", line) for line in heading) if m), None)
    table = np.loadtxt(name)
    noise = float(next(m[1] for m in (re.search(r"shot noise ([-+.\de]+)", line) for line in heading) if m))  # volume / N
    table = table[table[:, 0] < np.pi / noise ** (1 / 3)]
    k, power = table[:, 0], table[:, 1] + noise
    known = power > 0
    label = f"z = {float(redshift):.2g}" if redshift else name
    top.loglog(k[known], power[known], label=label)
    first = power if first is None else first
    if len(power) == len(first):
        bottom.loglog(k[known], (power / np.where(first > 0, first, np.nan))[known], label=label)
top.set_ylabel("P(k) in (Mpc/h)$^3$")
bottom.set_ylabel("P(k) / P(k) of the first")
bottom.set_xlabel("k in h/Mpc")
top.legend(frameon=False)
figure.savefig(options.output, dpi=120, bbox_inches="tight")
print(f"wrote {options.output}")
