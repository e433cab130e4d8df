#!/usr/bin/env python3
"""The time of an evaluation on many GPUs, computed from what was measured on few: tables of docs/data.

    docs/scripts/ranks_model.py && docs/scripts/make_tables.py

With --check nothing is written, and the exit status is 1 where a table is not what the script makes.

It reads ranks_constants.csv and virtual_ranks.csv, and writes ranks_checks.csv (each counted figure beside its prediction) and ranks_model.csv (16 million particles a GPU, to 16384 GPUs).
Ranks with n particles each take

    T(P) = a n + (60 n + I) / B + m P e + (t + s / B) C,    and 192 n (P - 1) / B for an output, whose rows and energies pass rank 0,

a being the time of a particle (with trees made by the host, or as on one GPU), I the bytes sent for imports, B the network, m the time of a message, e the exchanges with all ranks, t, s and C the time, bytes and number of coarse cells.
"""
import csv
import io
import math
import pathlib
import sys

DATA = pathlib.Path(__file__).parents[1] / "data"
GPUS = (1, 2, 8, 64, 512, 1024, 4096, 16384)
SHARE = 16e6  # particles of a GPU
MOST = 2**32 - 1  # particles of all ranks of a `run`, whose numbers have 32 bits
PARTICLES, MEGABYTES = 1, 2  # columns of what was counted
STUDY = {(8, 8e6): 0.071, (64, 1e6): 0.185, (8, 2e6): 0.13, (64, 2.5e5): 0.32}  # imported parts of n, counted by a prototype


def rows_of(name):
    with open(DATA / name, newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def write(name, comment, headings, rows):
    text = io.StringIO()
    text.write(f"# {comment}\n")
    csv.writer(text, lineterminator="\n").writerows([headings, *rows])
    if "--check" not in sys.argv:
        (DATA / name).write_text(text.getvalue())
    elif not (DATA / name).exists() or (DATA / name).read_text() != text.getvalue():
        sys.exit(f"docs/data/{name}: is not what docs/scripts/ranks_model.py makes")


CONSTANT = {row["constant"]: float(row["value"]) for row in rows_of("ranks_constants.csv")}


class Imports:
    """Imported particles and megabytes of a rank of P, grown from the largest Plummer sphere that was counted."""

    def __init__(self):
        self.points = {}
        for row in rows_of("virtual_ranks.csv"):
            if row["set"] == "plummer":
                share = int(row["N"]) / int(row["ranks"])
                imported = float(row["imported % of a rank"]) / 100 * share
                self.points.setdefault(int(row["ranks"]), []).append((share, imported, float(row["MB imported"])))

    def law(self, ranks, column, share):
        """The value of a column, of as many ranks as were counted last."""
        counted = max(self.points[max(known for known in self.points if known <= ranks)])
        return counted[column] * (share / counted[0]) ** CONSTANT["imports grow with a rank's particles as"]


def on_ranks(imports, gpus, share):
    """Milliseconds by part of an evaluation, and of collecting an output on rank 0."""
    levels = CONSTANT["levels of the coarse tree"] + math.log(gpus, 8)
    network = CONSTANT["network of a rank"] * 1e6  # bytes a millisecond
    several = gpus > 1
    return {
        "own": share * CONSTANT["evaluation on a rank"] * 1e-6,
        "own of a GPU": share * CONSTANT["evaluation on a GPU that makes its tree"] * 1e-6,
        "particles": several * 60 * share / network,
        "imports": 1e6 * imports.law(gpus, MEGABYTES, share) / network if several else 0,
        "messages": several * gpus * (CONSTANT["exchanges with all ranks"] + 2 * levels) * CONSTANT["message"] * 1e-3,
        "coarse tree": several * gpus * CONSTANT["coarse cells"] * (CONSTANT["coarse cell"] * 1e-6 + CONSTANT["coarse cell sent"] / network),
        "output": 192 * share * (gpus - 1) / network}


def first_to_break(parts, gpus, share):
    """What ends a `run`, and what takes most of an evaluation besides the own work."""
    memory = CONSTANT["particle on rank 0"] * share * gpus / 1e9
    run = "numbers of 32 bits" if share * gpus > MOST else f"memory of rank 0, {memory:.3g} GB" if memory > CONSTANT["machine of rank 0"] else "-"
    others = {name: parts[name] for name in ("particles", "imports", "messages", "coarse tree")}
    largest = max(others, key=others.get)
    words = {"particles": "bandwidth: particles to their domains", "imports": "bandwidth: imports", "messages": "latency: messages to all", "coarse tree": "coarse tree"}
    return run, words[largest] if gpus > 1 else "-"


def checks(imports):
    rows = []

    def add(figure, predicted, measured):
        rows.append([figure, f"{predicted:.4g}", f"{measured:.4g}", f"{predicted / measured:.2f}"])

    for (ranks, share), part in STUDY.items():
        add(f"imported % of a rank with {share:.3g} particles of {ranks}, Plummer", 100 * imports.law(ranks, PARTICLES, share) / share, 100 * part)
    for row in rows_of("virtual_ranks.csv"):
        if row["set"] == "plummer":
            share, ranks = int(row["N"]) / int(row["ranks"]), int(row["ranks"])
            needed = 32 * float(row["imported % of a rank"]) / 100 * share + 144 * float(row["cells of a rank"])
            add(f"MB of imports of a rank, {ranks} ranks, N = {int(row['N']):.3g}, as 32 and 144 bytes for its particles and cells", needed / 1e6, float(row["MB imported"]))
    return rows


def main():
    imports = Imports()
    write("ranks_checks.csv", "2026-11-26: docs/scripts/ranks_model.py beside counts (a prototype, 2026-11-23; virtual ranks). The power of imports was chosen after two-point powers of each P had given 0.70 and 0.76 of the prototype on 64 ranks. Rows of MB add counted particles and cells, and predict nothing",
          ["figure", "predicted", "measured", "ratio"], checks(imports))
    rows = []
    for gpus in GPUS:
        parts = on_ranks(imports, gpus, SHARE)
        sent = sum(parts[name] for name in ("particles", "imports", "messages", "coarse tree"))
        owned, by_gpu = parts["own"] + sent, parts["own of a GPU"] + sent
        run, own = first_to_break(parts, gpus, SHARE)
        held = CONSTANT["coarse cells"] * gpus * CONSTANT["coarse cell held"] / 1e9
        rows.append([gpus, f"{gpus * SHARE:.3g}", *(f"{parts[name]:.3g}" for name in ("own", "particles", "imports", "messages", "coarse tree")), f"{owned:.3g}",
                     f"{parts['own'] / owned:.2f}", f"{by_gpu:.3g}", f"{parts['own of a GPU'] / by_gpu:.2f}", f"{parts['output']:.3g}", f"{CONSTANT['particle on rank 0'] * gpus * SHARE / 1e9:.3g}", f"{held:.3g}", own, run])
    write("ranks_model.csv", "computed on 2026-11-26 by docs/scripts/ranks_model.py for a Plummer sphere, 1.6e7 particles a GPU, ranks with a GPU and 16 cores each",
          ["GPUs", "N", "own ms", "particles ms", "imports ms", "messages ms", "coarse tree ms", "ms", "efficiency", "ms if GPUs made the trees", "efficiency then", "output ms", "GB on rank 0", "GB of coarse tree", "most besides the own", "`run` ends by"], rows)


if __name__ == "__main__":
    main()
