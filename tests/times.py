#!/usr/bin/env python3
"""Times two programs in turn: times.py OLD NEW [--gpu] [--softenings] [--ranks P [--side N]] [--rounds N] [--only WORD]

Each row is one command, run by OLD and NEW in turn N times (5). What is compared are milliseconds of one evaluation
(`bench`, the median that it prints) or of one step of a `run`: the difference of a longer and a shorter run over the
difference of their steps, without beginning and end. The table has the medians, their ranges, and the ratio of the
medians; a ratio within the ranges of both says nothing. With --softenings OLD has one softening length in each row, the
largest, and NEW has one, two or three, by type of the particles; both may be the same program. With --ranks OLD has one
rank and NEW has P, with as many threads a rank: the core count over P. These rows are whole commands, and what they print of
their main part. Sizes are for a GPU with some ten cores, or (without --gpu) for
two cores. Use a machine that nobody else uses.
"""
import argparse
import csv
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time


def bench(words):
    return "evaluation", f"bench {words} --sample 0 --repeat 7 --csv bench.csv --overwrite", None


def steps(words, dt, few, many):
    """Returns a run with `few` and one with `many` steps of dt, with snapshots only at start and end."""
    return "step", f"run {words} --dt {dt} --snapshot-every 1e3 --overwrite -q -o out", [(n, f"--t-end {n * dt!r}") for n in (few, many)]


def whole(words, end):
    """Returns a run to `end` in individual steps, and a minimal run to subtract."""
    return "run", f"run {words} --snapshot-every 1e3 --overwrite -q -o out", [(0, f"--t-end {end / 1024!r}"), (1, f"--t-end {end!r}")]


def softening_rows(gpu):
    """Returns rows for galaxies with separate halo, disk and bulge lengths in NEW, and the halo's length in OLD."""
    one, n, direct, stars = "--eps 0.05", *((1000000, 65536, 16384) if gpu else (100000, 16384, 2048))
    lengths = {"one length": one, "two lengths": f"{one} --eps-type disk=0.02", "three lengths": "--eps-type halo=0.05,disk=0.02,bulge=0.01"}
    methods = {f"tree, plummer, {n}": steps(f"../galaxy_{n}.hdf5 {one}", 1e-4, 2, 102 if gpu else 22),
               f"tree, spline, {n}": steps(f"../galaxy_{n}.hdf5 {one} --softening spline", 1e-4, 2, 102 if gpu else 22),
               f"direct, plummer, {direct}": steps(f"../galaxy_{direct}.hdf5 {one} --solver direct", 1e-4, 2, 202 if gpu else 22),
               f"direct, spline, {direct}": steps(f"../galaxy_{direct}.hdf5 {one} --solver direct --softening spline", 1e-4, 2, 202 if gpu else 22),
               f"individual steps, {n}": whole(f"../galaxy_{n}.hdf5 {one} --block-steps", 0.125 if gpu else 0.0625),
               f"hermite, {stars}": steps(f"../galaxy_{stars}.hdf5 {one} --integrator hermite", 1e-4, 2, 22)}
    return {f"{method}: {name}": row + ((one, own),) for method, row in methods.items() for name, own in lengths.items()}


def rank_rows(ranks, side):
    """Returns commands on one rank in OLD and on several in NEW."""
    threads = max(1, os.cpu_count() // ranks)
    one, many = f"--threads {threads}", f"--threads {ranks * threads} --ranks {ranks}"
    commands = {f"model cosmology, {side}^3": f"model cosmology --n {side} --box 100 --z-start 0 --files {ranks} -o made.hdf5",
                f"halos, {side}^3": f"halos ../cosmology_{side}.hdf5 --linking-length 0.35 --device cpu -o halos.hdf5"}
    return {f"{name}: {what}": ("command", f"{words} --overwrite -v {one}", printed, (one, many))
            for name, words in commands.items() for what, printed in (("whole", "wall"), ("main part", r"took ([0-9.e+-]+) s"))}


def rows(gpu):
    if not gpu:
        return {
            "tree, 1e5": bench("-n 1e5"), "tree, 1e6": bench("-n 1e6"), "direct, 16384": bench("-n 16384 --solver direct"),
            "direct in double, 8192": bench("-n 8192 --solver direct --precision double"), "box, 64^3": bench("-n 262144 --box 1"),
            "run, shared steps, 1e5": steps("../plummer_100000.hdf5 --eps 0.01", 1e-4, 2, 42),
            "run, individual steps, 2e4": whole("../plummer_20000.hdf5 --eps 0.01 --block-steps", 0.5),
        }
    table = {f"tree, {n}": bench(f"-n {n}") for n in ("1e5", "1e6", "1.6e7")}
    table |= {f"direct, {n}": bench(f"-n {n} --solver direct") for n in (16384, 131072, 1048576)}
    table |= {"tree in double, 1e6": bench("-n 1e6 --precision double"),
              "direct in double, 131072": bench("-n 131072 --solver direct --precision double"), "box, 1e6": bench("-n 1e6 --box 1")}
    for n, dt, many in ((100000, 1e-4, 205), (1000000, 1e-4, 105)):
        table[f"run, shared steps, {n}"] = steps(f"../plummer_{n}.hdf5 --eps 0.01", dt, 5, many)
    for n, many in ((1024, 20010), (16384, 2010), (65536, 210)):
        table[f"run, direct sums, {n}"] = steps(f"../plummer_{n}.hdf5 --eps 0.01 --solver direct", 1e-5, 10, many)
    for n, end in ((10000, 4), (100000, 0.5), (1000000, 0.125)):
        table[f"run, individual steps, {n}"] = whole(f"../plummer_{n}.hdf5 --eps 0.001 --block-steps", end)
    table["run, box of 256^3"] = steps("../box.hdf5", 0.01, 2, 12)
    return table


def make_files(program, table, folder):
    """Makes the initial conditions for the rows."""
    for words in {word for row in table.values() for word in row[1].split() if word.startswith("../")}:
        name = words.removeprefix("../")
        kind, *size = re.findall("[a-z]+|[0-9]+", name.removesuffix(".hdf5"))
        model = {"box": "cosmology --box 200 --n 256 --z-start 49 --seed 1", "cosmology": "cosmology --box 100 --z-start 0 --n"}.get(kind, f"{kind} -n")
        model += "".join(f" {word}" for word in size)
        call(program, f"model {model} -q -o {name}", folder)


def call(program, words, folder):
    done = subprocess.run([program, *words.split()], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{program} {words}: {done.stderr.strip()}")
    return done.stdout


def milliseconds(program, row, folder, device):
    _, words, lengths = row[:3]
    if isinstance(lengths, str):
        began = time.monotonic()
        printed = call(program, words, folder)
        wall = time.monotonic() - began
        if lengths == "wall":
            return 1e3 * wall
        found = re.search(lengths, printed) or sys.exit(f"{program} {words}: prints no time: needs the version of {__file__}")
        return 1e3 * float(found[1])
    words += f" --device {device}"
    if not lengths:
        call(program, words, folder)
        with open(folder / "bench.csv", newline="") as file:
            found = next(csv.DictReader(line for line in file if not line.startswith("#")))
        return float(found["ms"])
    taken = []
    for _, end in lengths:
        began = time.monotonic()
        call(program, f"{words} {as_redshift(end) if 'box.hdf5' in words else end}", folder)
        taken.append(time.monotonic() - began)
    return 1e3 * (taken[1] - taken[0]) / (lengths[1][0] - lengths[0][0])


def as_redshift(end):
    """Returns the end redshift for steps in ln a from z = 49."""
    return f"--z-end {50 * 2.718281828459045 ** -float(end.split()[1]) - 1!r}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", metavar="OLD")
    parser.add_argument("new", metavar="NEW")
    parser.add_argument("--gpu", action="store_true", help="run on a GPU")
    parser.add_argument("--softenings", action="store_true", help="include rows with one and several softening lengths")
    parser.add_argument("--ranks", type=int, metavar="P", help="rows of commands on one rank and on P")
    parser.add_argument("--side", type=int, default=192, metavar="N", help="of the N^3 particles of these [192]")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="number of runs of each row [5]")
    parser.add_argument("--only", default="", metavar="WORD", help="only rows whose name matches this regular expression")
    asked = parser.parse_args()
    programs = [str(pathlib.Path(program).resolve()) for program in (asked.old, asked.new)]
    whole_table = rank_rows(asked.ranks, asked.side) if asked.ranks else (softening_rows if asked.softenings else rows)(asked.gpu)
    table = {name: row for name, row in whole_table.items() if re.search(asked.only, name)}
    if not table:
        sys.exit(f"--only: {asked.only}: matches no row")
    print("| | ms of one | old | new | new / old |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        top = pathlib.Path(name)
        make_files(programs[0], table, top)
        (top / "work").mkdir()
        for what, row in table.items():
            times = [[], []]
            for _ in range(asked.rounds):
                for program, own, changed in zip(programs, times, ((), row[3:])):
                    way = (row[0], row[1].replace(*changed[0]), row[2]) if changed else row
                    own.append(milliseconds(program, way, top / "work", "gpu" if asked.gpu else "cpu"))
            shown = " | ".join(f"{statistics.median(own):.4g} ({min(own):.4g} to {max(own):.4g})" for own in times)
            print(f"| {what} | {row[0]} | {shown} | {statistics.median(times[1]) / statistics.median(times[0]):.3f} |", flush=True)


main()
