#!/usr/bin/env python3
"""What --accuracy chooses beside the best setting of an exhaustive scan, as a table.

    docs/scripts/accuracy_scan.py chamomile --sets plummer,disk,snapshot_010.hdf5 --accuracy 1e-2,1e-3 -n 20000

For each set and error: `chamomile bench` over multipole orders, local orders, criteria, group and leaf sizes and
tolerances gives each way's limit and time at the asked error; then the best few and the choice of --accuracy are
measured in turn. Times are processor time of one thread, which others on the machine change least. Errors are of --sample particles, not those that --accuracy measures itself by.
"""
import argparse
import csv
import math
import pathlib
import statistics
import subprocess
import tempfile

# Criterion, order, local order, group and leaf size.
WAYS = [(c, 2, p, g, 24) for c in ("relative", "moments") for p in (4, 5, 6) for g in (64, 128, 256)]
WAYS += [("moments", o, p, g, 24) for o in (3, 4) for p in (5, 6) for g in (64, 128, 256)]
WAYS += [("moments", 2, p, g, 12) for p in (5, 6) for g in (128, 256)]
WAYS += [("moments", 2, 3, 128, 24), ("moments", 0, 5, 128, 24), ("geometric", 2, 5, 128, 24), ("geometric", 2, 6, 128, 24)]


class Bench:
    def __init__(self, options, folder):
        self.options, self.table = options, folder / "rows.csv"

    def __call__(self, of, repeat, *arguments, sample=None):
        is_file = pathlib.Path(of).exists()
        source = [of] if is_file else ["--model", of, "-n", self.options.n]
        softening = [] if is_file and not self.options.eps else ["--eps", self.options.eps or 1e-3]
        command = [self.options.program, "bench", *source, *softening, "--repeat", repeat,
                   "--sample", self.options.sample if sample is None else sample, "--threads", 1, "--device", "cpu",
                   "--csv", self.table, "--overwrite", "-q", *arguments]
        subprocess.run([str(word) for word in command], check=True)
        with open(self.table, newline="") as file:
            return list(csv.DictReader(file))


def setting(row):
    """Returns the options to repeat this row, without its limit, and the limit's name."""
    limit = "theta" if row["criterion"] == "geometric" else "tolerance"
    return ("--criterion", row["criterion"], "--order", row["order"], "--local-order", row["local order"],
            "--set", f"tree.group-size={row['group']}", "--set", f"tree.leaf-size={row['leaf']}"), limit


def at_error(rows, goal):
    """Returns (milliseconds, limit) at the goal, by logarithmic interpolation between rows on both sides."""
    points = sorted((float(r["99 % error"]), float(r["processor ms"]), float(r[setting(r)[1]])) for r in rows)
    for (e0, t0, x0), (e1, t1, x1) in zip(points, points[1:]):
        if e0 <= goal <= e1:
            part = math.log(goal / e0) / math.log(e1 / e0)
            return t0 * (t1 / t0) ** part, x0 * (x1 / x0) ** part
    return None


def scan(bench, of, goal):
    """Returns the settings with times at the goal, fastest first: (milliseconds, options, row)."""
    guess = 0.0015 * (goal / 1e-3) ** (1 / 0.75)
    tolerances = ",".join(f"{min(1, guess * f):.3g}" for f in (0.4, 1, 2.5, 6))
    angle = 0.65 * (goal / 1e-3) ** (1 / 4.3)
    angles = ",".join(f"{min(1.5, angle * f):.3g}" for f in (0.75, 0.9, 1.08, 1.3))
    found = []
    for criterion, order, local, group, leaf in WAYS:
        limits = ("--theta", angles) if criterion == "geometric" else ("--tolerance", tolerances)
        rows = bench(of, 2, "--criterion", criterion, "--order", order, "--local-order", local, "--set", f"tree.group-size={group}",
                     "--set", f"tree.leaf-size={leaf}", *limits)
        hit = at_error(rows, goal)
        if hit:
            fixed, limit = setting(rows[0])
            found.append((hit[0], (*fixed, "--" + limit, f"{hit[1]:.3g}"), rows[0]))
    return sorted(found, key=lambda f: f[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--sets", default="plummer,hernquist,disk,cube,merger")
    parser.add_argument("--accuracy", default="1e-2,1e-3,1e-4,1e-5")
    parser.add_argument("-n", type=int, default=20000)
    parser.add_argument("--eps", type=float)
    parser.add_argument("--sample", type=int, default=5000)
    parser.add_argument("--repeat", type=int, default=8, help="evaluations timed")
    parser.add_argument("--finalists", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--choice-only", action="store_true", help="no scan: errors of the choice alone")
    options = parser.parse_args()
    print("| set | asked | achieved / asked | chosen | ms | best of the scan | ms | ratio |\n|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(options, pathlib.Path(name))
        for of in options.sets.split(","):
            for goal in map(float, options.accuracy.split(",")):
                chosen = bench(of, 1, "--accuracy", goal)[0]
                achieved = float(chosen["99 % error"]) / goal
                words = lambda row: "direct sum" if row["solver"] == "direct" else \
                    f"{row['criterion']} order {row['order']}, local {row['local order']}, {row['group']}/{row['leaf']}"
                line = f"| {pathlib.Path(of).name} | {goal:g} | {achieved:.2f} | {words(chosen)} "
                if options.choice_only:
                    print(line + f"| {float(chosen['min']):.1f} | | | |", flush=True)
                    continue
                finalists = scan(bench, of, goal)[:options.finalists]
                fixed, limit = setting(chosen)
                mine_options = ("--solver", "direct") if chosen["solver"] == "direct" else (*fixed, "--" + limit, chosen[limit])
                time_of = lambda words: float(bench(of, options.repeat, *words, sample=0)[0]["processor ms"])
                times = [[] for _ in range(1 + len(finalists))]
                for _ in range(options.rounds):
                    for t, words_of in zip(times, [mine_options, *(f[1] for f in finalists)]):
                        t.append(time_of(words_of))
                mine, *least = map(statistics.median, times)
                best = min(range(len(finalists)), key=lambda k: least[k])
                print(line + f"| {mine:.2f} | {words(finalists[best][2])} | {least[best]:.2f} | {mine / least[best]:.2f} |", flush=True)


main()
