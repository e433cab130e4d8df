#!/usr/bin/env python3
"""Tests `chamomile fluid`: printed and written values agree, repeat on one thread and two, one line per mistake."""
import fcntl
import functools
import math
import pathlib
import tempfile

from program import check, end, refused as refused_in, run, table


def printed(text, name):
    """Returns mean and error from the named row."""
    row = next(line for line in text.splitlines() if line.startswith(name))
    return [float(word) for word in row[len(name):].split()[:2]]


with tempfile.TemporaryDirectory() as scratch:
    folder = pathlib.Path(scratch)
    chamomile, refused = (functools.partial(function, folder) for function in (run, refused_in))
    # A run stopped as often as possible, in equilibration and measurement, gives the undisturbed run's bytes.
    short = "-n", 500, "--steps", 40, "--equilibrate", 20, "--device", "cpu"
    check(chamomile("fluid", *short, "-o", "whole.csv").returncode == 0, "fluid: an uninterrupted run failed")
    result, parts = chamomile("fluid", *short, "-o", "parts.csv", "--checkpoint", "fluid.chk", "--max-walltime", 1e-4), 1
    while "stopped by" in result.stdout and parts < 100:
        check(not (folder / "parts.csv").exists(), "fluid: a table is written before the end")
        result, parts = chamomile("fluid", "--restart", "fluid.chk", "--threads", 1 + parts % 2), parts + 1
    check(result.returncode == 0 and parts == 60, f"fluid: {parts} parts: {result.stdout} {result.stderr}")
    check((folder / "parts.csv").read_bytes() == (folder / "whole.csv").read_bytes(), "fluid: an interrupted run differs")
    result = chamomile("fluid", "--restart", "fluid.chk", "--steps", 50, "-o", "on.csv", "--max-walltime", 1000)
    check(result.returncode == 0 and len((folder / "on.csv").read_text().splitlines()) == 6, f"fluid: more steps: {result.stderr}")
    refused(7, "--density: 0.5: cannot change in a run that goes on", "fluid", "--restart", "fluid.chk", "--density", 0.5)
    refused(4, "--checkpoint: fluid.chk: exists", "fluid", *short, "--checkpoint", "fluid.chk")
    refused(2, "--max-walltime: needs --checkpoint", "fluid", *short, "--max-walltime", 1)
    (folder / "lost.chk.1").write_bytes((folder / "fluid.chk.1").read_bytes())  # the newest is missing
    result = chamomile("fluid", "--restart", "lost.chk", "--steps", 60, "-o", "lost.csv", "--max-walltime", 1e-4)
    check(result.returncode == 0 and (folder / "lost.chk").exists(), f"fluid: restart from the previous checkpoint: {result.stderr}")
    (folder / "lost.chk").unlink()
    result = chamomile("fluid", "--restart", "./lost.chk", "--checkpoint", folder / "lost.chk", "--steps", 60, "-o", "again.csv", "--max-walltime", 1e-4)
    check(result.returncode == 0 and (folder / "lost.chk").exists(), f"fluid: restart from the same file under another path: {result.stderr}")
    # With another checkpoint name, existing checkpoints stay unchanged.
    there = {name: (folder / name).read_bytes() for name in ("fluid.chk", "fluid.chk.1")}
    (folder / "saved.chk").write_bytes(there["fluid.chk"])
    refused(4, "--checkpoint: fluid.chk: exists", "fluid", "--restart", "saved.chk", "--checkpoint", "fluid.chk", "-o", "saved.csv")
    result = chamomile("fluid", "--restart", "saved.chk", "--steps", 60, "-o", "saved.csv", "--max-walltime", 1e-4)
    check(result.returncode == 0 and (folder / "saved.chk").read_bytes() != there["fluid.chk"], f"fluid: restart from a copy: {result.stderr}")
    check(all((folder / name).read_bytes() == was for name, was in there.items()), "fluid: restart from a copy: the original checkpoint is overwritten")
    (folder / "fluid.chk").write_bytes((folder / "fluid.chk").read_bytes()[:-9])
    good = (folder / "fluid.chk.1").read_bytes()
    result = chamomile("fluid", "--restart", "fluid.chk", "--steps", 60, "-o", "damaged.csv", "--max-walltime", 1e-4)  # from the previous checkpoint
    check(result.returncode == 0 and "rejected fluid.chk: size: " in result.stdout and "restarted from fluid.chk.1: " in result.stdout,
          f"fluid: a damaged checkpoint: {result.stdout} {result.stderr}")
    check((folder / "fluid.chk.1").read_bytes() == good, "fluid: a damaged checkpoint replaces the valid previous one")
    for name in ("fluid.chk", "fluid.chk.1"):
        (folder / name).write_bytes((folder / name).read_bytes()[:-9])
    refused(7, "fluid.chk: size: ", "fluid", "--restart", "fluid.chk")
    check(not (folder / "fluid.chk.lock").exists(), "fluid: the lock file remains")
    (folder / "older.chk.1").touch()  # from another run: a restart must not read it
    refused(4, "--checkpoint: older.chk.1: exists", "fluid", *short, "--checkpoint", "older.chk")
    result = chamomile("fluid", *short, "--checkpoint", "older.chk", "--overwrite", "-o", "older.csv")
    check(result.returncode == 0 and (folder / "older.chk").exists() and not (folder / "older.chk.1").exists(), f"fluid: {result.stderr}")
    with open(folder / "held.chk.lock", "w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        refused(4, "held.chk: another run is writing this file", "fluid", *short, "--checkpoint", "held.chk")

    short = "-n", 500, "--steps", 200, "--equilibrate", 100, "--device", "cpu"
    for threads in 1, 2:
        result = chamomile("fluid", *short, "--threads", threads, "--argon", "-o", f"{threads}.csv")
        check(result.returncode == 0, f"fluid: {result.stderr}")
    check((folder / "1.csv").read_bytes() == (folder / "2.csv").read_bytes(), "fluid: results of one and two threads differ")
    rows = [{name: float(value) for name, value in row.items()} for row in table(folder / "1.csv")]
    check(len(rows) == 20 and rows[-1]["step"] == 200, f"fluid: {len(rows)} rows")
    check(abs(rows[-1]["time"] - 0.4) < 1e-12, "fluid: time")
    for name, column in ("temperature", "temperature"), ("potential energy per atom", "potential"), ("total energy per atom", "total"), ("pressure", "pressure"):
        mean = sum(row[column] for row in rows) / len(rows)
        parts = [sum(row[column] for row in rows[2 * k:2 * k + 2]) / 2 for k in range(10)]
        error = math.sqrt(sum((part - mean) ** 2 for part in parts) / 90)
        told = printed(result.stdout, name)
        check(abs(told[0] - mean) < 1e-5 and abs(told[1] - error) < 1e-5, f"fluid: {name}: printed {told}, in the file {mean} {error}")
    for row in rows:
        check(abs(row["potential"] + row["kinetic"] - row["total"]) < 1e-12, "fluid: total is not potential + kinetic")
        check(abs(2 * 500 * row["kinetic"] / (3 * 499) - row["temperature"]) < 1e-12, "fluid: temperature and kinetic energy do not match")
    drift = max(abs(row["total"] - rows[0]["total"]) for row in rows)
    check(drift < 1e-3, f"fluid: energy per atom changed by {drift}")
    kelvin = next(line for line in result.stdout.splitlines() if line.startswith("temperature")).split()
    check(abs(float(kelvin[3]) - 119.8 * float(kelvin[1])) < 0.02 and kelvin[4] == "K", f"fluid --argon: {kelvin}")
    check("total energy: change" in result.stdout, "fluid: the output does not report energy conservation")

    seeds = [chamomile("fluid", *short, "--seed", seed, "-q").stdout for seed in (1, 2)]
    check(seeds[0] != seeds[1], "fluid: two seeds give the same run")
    check("steps/s" not in seeds[0], "fluid --quiet: prints more than the results")

    refused(2, "twice the cut-off", "fluid", "-n", 100)
    refused(2, "from < to", "fluid", "-n", 500, "--cutoff", 3, "--switch", 3)
    refused(2, "--density: -1", "fluid", "--density", -1)
    refused(2, "--temperature: 0", "fluid", "--temperature", 0)
    refused(2, "--n: 1", "fluid", "-n", 1)
    refused(2, "--steps: 0", "fluid", "--steps", 0)
    refused(2, "unknown", "fluid", "--solver", "tree")
    refused(2, "device: tpu", "fluid", "--device", "tpu", "-n", 500)
    refused(4, "exists", "fluid", "-n", 500, "-o", "1.csv")
    refused(4, "does not exist", "fluid", "-n", 500, "-o", "nowhere/1.csv")
    refused(6, "shorter step", "fluid", "-n", 500, "--step", 5)
    check("--cutoff" in chamomile("fluid", "--help").stdout, "fluid --help")

end("fluid does what it says")
