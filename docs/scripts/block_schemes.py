#!/usr/bin/env python3
"""Energy errors against time of both block schemes: docs/scripts/block_schemes.py build/cpu/chamomile > docs/data/block_schemes.csv

Galaxies and the box begin where they are clustered. Writes processor seconds, largest energy error and drift of momentum."""
import csv
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
SETS = {  # name: (how it is made, arguments of the measured run, factors of eta)
    "Plummer, N = 40000, eps 0.01, to t = 2": (["model plummer -n 40000 -o start.hdf5"], "--eps 0.01 --t-end 2 --eta {}", (0.06, 0.03, 0.015)),
    "King, W0 = 9, N = 100000, eps 0.003, to t = 4": (["model king --w0 9 -n 100000 -o start.hdf5"], "--eps 0.003 --t-end 4 --eta {}", (0.06, 0.03, 0.015)),
    "two galaxies, N = 100000, eps 0.02, t = 12 to 16": (
        ["model merger -n 100000 -o first.hdf5", "run first.hdf5 --eps 0.02 --block-steps --t-end 12 --snapshot-every 12 -o first", "convert first/snapshot_001.hdf5 start.hdf5"],
        "--eps 0.02 --t-end 16 --eta {}", (0.06, 0.03, 0.015)),
    "box of 50 Mpc/h, 64^3 particles, z = 0.25 to 0": (
        ["model cosmology --n 64 --box 50 --z-start 49 -o first.hdf5", "run first.hdf5 --outputs-z 0.25 --block-steps -o first", "convert first/snapshot_001.hdf5 start.hdf5"],
        "--outputs-z 0 --eta {}", (0.4, 0.2, 0.1)),
}


def run(folder, line):
    done = subprocess.run([PROGRAM, *line.split()], cwd=folder, text=True, capture_output=True)
    if done.returncode:
        sys.exit(f"{line}: {done.stderr}")
    return done.stdout


def seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measured(folder, line):
    """Returns processor seconds, the largest error and the drift of momentum."""
    start = seconds()
    out = run(folder, line + " -o out --overwrite")
    error, drift = re.search(r"([\d.e+-]+) at most.*momentum drift ([\d.e+-]+)", out).groups()
    return f"{seconds() - start:.3g} s ({float(error):.1e}, {float(drift):.0e})"


table = csv.writer(sys.stdout, lineterminator="\n")
table.writerow(["set", "eta", "`all`", "`hierarchical`"])
for name, (made, line, etas) in SETS.items():
    with tempfile.TemporaryDirectory() as folder:
        for words in made:
            run(folder, words)
        for eta in etas:
            runs = [measured(folder, f"run start.hdf5 --block-steps --block-scheme {scheme} {line.format(eta)}") for scheme in ("all", "hierarchical")]
            table.writerow([name, eta, *runs])
            sys.stdout.flush()
