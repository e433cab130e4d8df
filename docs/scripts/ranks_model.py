#!/usr/bin/env python3
"""The time of a shared step on many GPUs, computed from measurements on one: tables of docs/data.

    docs/scripts/ranks_model.py && docs/scripts/make_tables.py

With --check it writes nothing, and the exit status is 1 if a table differs from the result.

Reads ranks_constants.csv, virtual_ranks.csv and ranks_times.csv. Writes ranks_checks.csv (measured steps of several
GPUs and their predictions) and ranks_model.csv (16 million particles per GPU). A step of P ranks with n particles each takes

    T(P) = a n + (m b n + I) / B + t e P + (c + s / B) C P

a: time of a particle on one GPU; m: fraction of misplaced particles; b: bytes of a misplaced particle; I: bytes of
imports; B: bandwidth of the network; t: time of a message; e: exchanges and collectives; c, s, C: time, bytes and number
of the coarse cells of a rank.
"""
import csv
import io
import pathlib
import sys

DATA = pathlib.Path(__file__).parents[1] / "data"
GPUS = (1, 2, 8, 64, 256, 1024)
SHARE = 16e6  # particles per GPU
PARTS = ("particles", "imports", "messages", "coarse tree")
MEASURED = {  # row in ranks_times.csv: particles, of one GPU or of all
    "shared step, 1.6e7, tolerance 0.02": (1.6e7, "all"),
    "shared step, 6.4e7, tolerance 0.02": (6.4e7, "all"),
    "shared step, 1.6e7 a GPU": (1.6e7, "one"),
    "shared step, 6.4e7 a GPU": (6.4e7, "one")}


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


def imported_bytes(ranks, share):
    """Returns the bytes imported by a rank, extrapolated from the largest Plummer sphere counted on at most as many
    ranks.
    """
    counted = [(int(row["ranks"]), int(row["N"]) / int(row["ranks"]), float(row["MB imported"]))
               for row in rows_of("virtual_ranks.csv") if row["set"] == "plummer" and int(row["ranks"]) <= ranks]
    _, counted_share, megabytes = max(counted)
    return 1e6 * megabytes * (share / counted_share) ** CONSTANT["growth of imports with a rank's particles"]


def exchanged(ranks, share):
    """Returns milliseconds per step, by part, beyond a single GPU's step."""
    if ranks == 1:
        return dict.fromkeys(PARTS, 0)
    network = CONSTANT["network of a rank"] * 1e6  # bytes per millisecond
    return {
        "particles": CONSTANT["misplaced particles"] * CONSTANT["misplaced particle"] * share / network,
        "imports": imported_bytes(ranks, share) / network,
        "messages": ranks * CONSTANT["exchanges and collectives"] * CONSTANT["message"] * 1e-3,
        "coarse tree": ranks * CONSTANT["coarse cells"] * (CONSTANT["coarse cell"] * 1e-6 + CONSTANT["coarse cell sent"] / network)}


def main():
    checks = []
    for row in rows_of("ranks_times.csv"):
        if row["computation"] not in MEASURED:
            continue
        (particles, of), gpus = MEASURED[row["computation"]], int(row["machine"].split()[0])
        part = 1 / gpus if of == "all" else 1
        predicted = part * float(row["one ms"]) + sum(exchanged(gpus, part * particles).values())
        checks.append([row["computation"], row["machine"], f"{predicted:.1f}", row["several ms"], f"{predicted / float(row['several ms']):.2f}"])
    if len(checks) < len(MEASURED):
        sys.exit(f"docs/data/ranks_times.csv: lacks a row of {', '.join(MEASURED)}")
    write("ranks_checks.csv", "2026-11-29: docs/scripts/ranks_model.py and docs/data/ranks_times.csv",
          ["step", "machine", "predicted ms", "measured ms", "ratio"], checks)
    rows = []
    for gpus in GPUS:
        own, parts = SHARE * CONSTANT["particle of a step on one GPU"] * 1e-6, exchanged(gpus, SHARE)
        whole = own + sum(parts.values())
        rows.append([gpus, f"{gpus * SHARE:.3g}", f"{own:.1f}", *(f"{parts[name]:.2g}" for name in PARTS), f"{whole:.1f}", f"{own / whole:.2f}",
                     f"{CONSTANT['particle on rank 0'] * gpus * SHARE / 1e9:.2g}"])
    write("ranks_model.csv", "computed on 2026-11-29 by docs/scripts/ranks_model.py for a Plummer sphere, tolerance 0.02, 1.6e7 particles per GPU; not measured",
          ["GPUs", "N", "own ms", *(f"{name} ms" for name in PARTS), "step ms", "efficiency", "GB on rank 0"], rows)


if __name__ == "__main__":
    main()
