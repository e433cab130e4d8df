#!/usr/bin/env python3
"""Energy errors against force evaluations: fixed, adaptive and individual steps of one model.

    docs/scripts/step_costs.py build/cpu/chamomile --model hernquist -n 40000 --eps 0.02 --t-end 5 \\
        --dt 0.08,0.04,0.02 --potential 0.12,0.06 --softening 0.4 --blocks 0.12,0.08,0.06

Prints for each the evaluations of a particle in the mean and the largest |dE/E| at whole times, and for each of the
individual ones the part of the evaluations that fixed steps need for its error, between the two that enclose it."""
import argparse
import csv
import math
import pathlib
import subprocess
import sys
import tempfile


def numbers(text):
    return [float(word) for word in text.split(",")] if text else []


def rows(path):
    with open(path, newline="") as file:
        return [{key.partition(" [")[0]: value for key, value in row.items()} for row in csv.DictReader(file)]


def measured(options, folder, steps):
    command = [options.program, "run", "--model", options.model, "-n", str(options.n), "--seed", str(options.seed),
               "--eps", str(options.eps), "--t-end", str(options.t_end), "--energy-every", "1", "--snapshot-every",
               str(options.t_end), "--checkpoint-walltime", "0", "--device", options.device,
               "--overwrite", "-q", "-o", folder, *steps]
    done = subprocess.run(command, text=True, capture_output=True)
    if done.returncode != 0:
        sys.exit(done.stderr.strip())
    taken = rows(pathlib.Path(folder) / "steps.csv")
    energy = [float(row["total"]) for row in rows(pathlib.Path(folder) / "energy.csv")]
    evaluations = sum(int(row.get("targets") or options.n) for row in taken) / options.n
    return evaluations, max(abs(e / energy[0] - 1) for e in energy)


def needed(error, table):
    """Returns evaluations for an error, interpolated as a power law between measurements; None outside."""
    table = sorted(table)
    for (few, large), (many, small) in zip(table, table[1:]):
        if small <= error <= large and small < large:
            return few * (many / few) ** (math.log(large / error) / math.log(large / small))
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--model", default="plummer")
    parser.add_argument("-n", type=int, default=40000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--eps", type=float, default=0.01)
    parser.add_argument("--t-end", type=float, default=4)
    parser.add_argument("--dt", help="of fixed steps", default="")
    parser.add_argument("--potential", help="eta of adaptive steps by the potential", default="")
    parser.add_argument("--softening", help="eta of adaptive steps by the softening", default="")
    parser.add_argument("--blocks", help="eta of individual steps", default="")
    parser.add_argument("--device", default="auto")
    options = parser.parse_args()
    fixed = []
    print("| steps | evaluations | largest dE/E | of fixed steps' evaluations |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for dt in numbers(options.dt):
            fixed.append(measured(options, folder, ["--dt", str(dt)]))
            print(f"| {dt:g} | {fixed[-1][0]:.0f} | {fixed[-1][1]:.1e} | |", flush=True)
        for name, etas in (("potential", options.potential), ("softening", options.softening)):
            for eta in numbers(etas):
                cost, error = measured(options, folder, ["--adaptive", "--step-criterion", name, "--eta", str(eta)])
                print(f"| adaptive, {name}, {eta:g} | {cost:.0f} | {error:.1e} | |", flush=True)
        for eta in numbers(options.blocks):
            cost, error = measured(options, folder, ["--block-steps", "--eta", str(eta)])
            part = needed(error, fixed)
            print(f"| individual, {eta:g} | {cost:.0f} | {error:.1e} | {f'{cost / part:.2f}' if part else ''} |", flush=True)


if __name__ == "__main__":
    main()
