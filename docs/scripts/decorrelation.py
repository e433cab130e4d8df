#!/usr/bin/env python3
"""Energy and momentum drift of runs with and without --set tree.decorrelate, as a table.

    docs/scripts/decorrelation.py chamomile --model plummer -n 20000 --steps 1000 --dt 0.00390625 --eps 0.05

Energies of the first and last snapshots are direct sums in double; momenta need no forces.
"""
import argparse
import csv
import math
import pathlib
import statistics
import subprocess
import tempfile


def call(*arguments):
    subprocess.run([str(a) for a in arguments], check=True, stdout=subprocess.DEVNULL)


def rows(path):
    with open(path, newline="") as file:
        return [{key.partition(" [")[0]: float(value) for key, value in row.items()} for row in csv.DictReader(file)]


def direct_energy(program, snapshot, time, folder):
    """Returns kinetic and potential energy of a snapshot, from a run without steps with the direct sum in double."""
    call(program, "run", snapshot, "--t-end", repr(time), "--dt", 1, "--solver", "direct", "--precision", "double",
         "-o", folder / "exact", "--overwrite", "-q")
    return rows(folder / "exact/energy.csv")[0]["total"]


def drift(program, arguments, end, folder):
    call(program, "run", *arguments, "-o", folder / "run", "--overwrite", "-q")
    energies = rows(folder / "run/energy.csv")
    start = direct_energy(program, folder / "run/snapshot_000.hdf5", energies[0]["time"], folder)
    last = sorted((folder / "run").glob("snapshot_*.hdf5"))[-1]
    stop = direct_energy(program, last, energies[-1]["time"], folder)
    momentum = [energies[-1][f"momentum_{axis}"] - energies[0][f"momentum_{axis}"] for axis in "xyz"]
    spin = [energies[-1][f"angular_momentum_{axis}"] - energies[0][f"angular_momentum_{axis}"] for axis in "xyz"]
    return (stop - start) / abs(start), math.hypot(*momentum), math.hypot(*spin)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--model", default="plummer")
    parser.add_argument("-n", type=int, default=20000)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--dt", type=float, default=1 / 256)
    parser.add_argument("--eps", type=float, default=0.05)
    parser.add_argument("--tolerance", default="0.02,0.001")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--direct", action="store_true", help="also with direct sums instead of a tree")
    options = parser.parse_args()
    end = options.steps * options.dt
    print("| forces | root cube | dE/|E| | |dP| | |dL| |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        call(options.program, "model", options.model, "-n", options.n, "--seed", 1, "-o", folder / "start.hdf5", "-q")
        common = [folder / "start.hdf5", "--t-end", repr(end), "--dt", repr(options.dt), "--eps", options.eps]
        cases = [(f"tolerance {t}", ["--tolerance", t]) for t in options.tolerance.split(",")]
        if options.direct:
            cases.append(("direct sum", ["--solver", "direct"]))
        for title, forces in cases:
            tree = forces[0] == "--tolerance"
            fixed = drift(options.program, common + forces, end, folder)
            print(f"| {title} | {'smallest' if tree else '-'} | {fixed[0]:.2e} | {fixed[1]:.2e} | {fixed[2]:.2e} |", flush=True)
            if not tree:
                continue
            moved = [drift(options.program, common + forces + ["--set", f"tree.decorrelate={seed}"], end, folder)
                     for seed in range(1, options.seeds + 1)]
            for seed, values in enumerate(moved, 1):
                print(f"| {title} | seed {seed} | {values[0]:.2e} | {values[1]:.2e} | {values[2]:.2e} |", flush=True)
            rms = [math.sqrt(statistics.fmean(v[k] ** 2 for v in moved)) for k in range(3)]
            print(f"| {title} | rms of seeds | {rms[0]:.2e} | {rms[1]:.2e} | {rms[2]:.2e} |", flush=True)


main()
