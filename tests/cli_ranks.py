#!/usr/bin/env python3
"""Runs on several ranks, threads or processes of MPI, write the bytes of one rank, go on from any number to any other, and end with one line."""
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

from program import PROGRAM, chamomile, check, end, fingerprint, picture, refused, table, without_comments

MPIRUN = shutil.which("mpirun")
RUN = ["start.hdf5", "--dt", 0.0078125, "--eps", 0.05, "--frames", "--energy-every", 0.015625, "-q", "--overwrite"]
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def processes(folder, number, *words, wait=True):
    """Runs the program as so many processes."""
    command = [MPIRUN, "-n", number, "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1", PROGRAM, *words]
    started = subprocess.Popen([str(c) for c in command], cwd=folder, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if not wait:
        return started
    out, err = started.communicate(timeout=300)
    return started.returncode, out, err


def own_lines(err):
    """The lines of the program among those of the launcher."""
    return [line for line in err.splitlines() if line.startswith("chamomile")]


def rows(folder, snapshot):
    chamomile(folder, "convert", snapshot, "rows.txt", "-q", "--overwrite")
    return without_comments((folder / "rows.txt").read_text())


def results(folder, out):
    """What a run has written that ranks must not show in."""
    snapshots = sorted((folder / out).glob("snapshot_*.hdf5"))
    pictures = {p.name: picture(p)[0] for p in (folder / out).glob("frame_*.png")}
    energies = [tuple(row.values()) for row in table(folder / out / "energy.csv")]
    return [rows(folder, s) for s in snapshots], pictures, energies


def same_bytes(folder):
    chamomile(folder, "run", *RUN, "--t-end", 0.0625, "-o", "one", "--snapshot-every", 0.03125)
    one = results(folder, "one")
    check(len(one[0]) == 3 and len(one[1]) == 3, "the run on one rank wrote other files")
    for number in (1, 2, 3, 4, 7):
        chamomile(folder, "run", *RUN, "--t-end", 0.0625, "-o", "out", "--snapshot-every", 0.03125, "--ranks", number, "--threads", 4)
        check(results(folder, "out") == one, f"--ranks {number}: other results than those of one rank")
    for number in (2, 4) if MPIRUN else ():
        status, _, err = processes(folder, number, "run", *RUN, "--t-end", 0.0625, "-o", "out", "--snapshot-every", 0.03125)
        check(status == 0 and not own_lines(err), f"{number} processes: status {status}: {err}")
        check(results(folder, "out") == one, f"{number} processes: other results than those of one rank")
    # Another criterion, order and precision, adaptive steps, and a root cube at random places.
    other = ["start.hdf5", "--adaptive", "--dt-max", 0.03125, "--eps", 0.02, "--theta", 0.7, "--order", 4, "--precision", "double", "--decorrelate", 3,
             "--softening", "spline", "--t-end", 0.0625, "-q", "--overwrite"]
    chamomile(folder, "run", *other, "-o", "one")
    chamomile(folder, "run", *other, "-o", "out", "--ranks", 3)
    check(results(folder, "one") == results(folder, "out"), "--ranks 3: other results with adaptive steps in double")
    return one


def restarts(folder, one):
    """From one rank to three, to two, to seven and back, in parts of a step or more each."""
    chamomile(folder, "run", *RUN, "--t-end", 0.0625, "-o", "out", "--snapshot-every", 0.03125, "--max-walltime", 1e-4)
    for number in (3, 2, 7, 1) * 2:
        words = ["--ranks", number] if number > 1 else []
        chamomile(folder, "run", "--restart", "out", "-q", *words)
    check(results(folder, "out") == one, "restarts on other numbers of ranks: other results")
    if MPIRUN:
        chamomile(folder, "run", *RUN, "--t-end", 0.0625, "-o", "out", "--snapshot-every", 0.03125, "--max-walltime", 1e-4)
        status, _, err = processes(folder, 3, "run", "--restart", "out", "-q", "--max-walltime", 1000)
        check(status == 0 and results(folder, "out") == one, f"a restart on 3 processes: status {status}, or other results: {err}")


def bench(folder):
    """The rows of a benchmark on ranks tell what came from others, and the errors of one rank."""
    words = ["bench", "-n", 4000, "--repeat", 1, "--sample", 100, "--eps", 0.05, "-q", "--overwrite"]
    chamomile(folder, *words, "--csv", "one.csv")
    chamomile(folder, *words, "--csv", "three.csv", "--ranks", 3)
    rows = [table(folder / name)[0] for name in ("one.csv", "three.csv")]
    if MPIRUN:
        status, _, err = processes(folder, 2, *words, "--csv", "two.csv")
        check(status == 0 and not own_lines(err), f"bench on 2 processes: status {status}: {err}")
        rows.append(table(folder / "two.csv")[0])
    for row, number in zip(rows, ("-", "3", "2")):
        check(row["ranks"] == number, f"bench: {row['ranks']} ranks, not {number}")
        check(all(row[c] == rows[0][c] for c in ("99 % error", "particles", "cells", "far")), f"bench on {number} ranks: other errors or lists than one rank")
        check((number == "-") == (row["imported %"] == "-") == (row["MB between ranks"] == "-"), f"bench on {number} ranks: imports told wrongly")


def refusals(folder):
    common = ["run", "start.hdf5", "--eps", 0.05, "--t-end", 1, "-o", "none"]
    fixed = [*common, "--dt", 0.1]
    for line, words in [
            ("--ranks: 0: must be between 1 and 1024|--ranks: 0", [*fixed, "--ranks", 0]),
            ("--ranks", [*fixed, "--ranks", 5000]),
            ("--peer-timeout: needs --ranks, several cards or several processes", [*fixed, "--peer-timeout", 3]),
            ("--share-gpu: needs --device gpu and --ranks", [*fixed, "--ranks", 2, "--share-gpu"]),
            ("--share-gpu: needs --device gpu and --ranks", [*fixed, "--device", "gpu:0", "--share-gpu"]),
            ("--on-device-error: is for one rank", [*fixed, "--ranks", 2, "--on-device-error", "stop"]),
            ("--peer-timeout", [*fixed, "--ranks", 2, "--peer-timeout", 0]),
            ("--ranks, or several processes: are not for --block-steps", [*common, "--ranks", 2, "--block-steps"]),
            ("--ranks, or several processes: need --integrator leapfrog", [*common, "--ranks", 2, "--integrator", "hermite"]),
            ("--ranks, or several processes: need --solver tree", [*fixed, "--ranks", 2, "--solver", "direct"]),
            ("--ranks, or several processes: are not for periodic boxes", [*fixed, "--ranks", 2, "--box", 20]),
            ("--ranks, or several processes: are not for --accuracy", [*fixed, "--ranks", 2, "--accuracy", "1e-3"]),
            ("--device gpu:all: several cards: are not for --block-steps", [*common, "--block-steps", "--device", "gpu:all"]),
            ("--device gpu:0,1: several cards: need --solver tree", [*fixed, "--solver", "direct", "--device", "gpu:0,1"]),
            ("device: gpu:0,0: must be auto, cpu, gpu, gpu:NUMBER", [*fixed, "--device", "gpu:0,0"]),
            ("device: gpu:,1: must be auto, cpu, gpu, gpu:NUMBER", [*fixed, "--ranks", 2, "--device", "gpu:,1"])]:
        refused(folder, 2, line, *words)
    refused(folder, 3, "absent.hdf5", "run", "absent.hdf5", "--dt", 0.1, "--eps", 0.05, "--t-end", 1, "-o", "none", "--ranks", 3)
    chamomile(folder, "model", "plummer", "-n", 500, "-o", "twins.txt", "-q")
    text = (folder / "twins.txt").read_text().rstrip("\n")
    (folder / "twins.txt").write_text(text + "\n" + text.splitlines()[-1] + "\n")
    lines = [chamomile(folder, "run", "twins.txt", "--dt", 0.1, "--eps", 0, "--t-end", 1, "-o", "none", *more, status=3) for more in ([], ["--ranks", 3])]
    check(lines[0] == lines[1] and lines[0].count("\n") == 1, f"particles at one place: {lines}")
    if "gpu:0" not in chamomile(folder, "devices"):
        refused(folder, 5, "device: gpu:all", *fixed, "--device", "gpu:all")
    if not MPIRUN:
        return
    for line, words in [("info: is for one process", ["info", "start.hdf5"]), ("--ranks: contradicts several processes", [*fixed, "--ranks", 2]),
                        ("or several processes: are not for --block-steps", [*common, "--block-steps"]), ("--nonsense", [*fixed, "--nonsense"])]:
        before = fingerprint(folder)
        status, _, err = processes(folder, 3, *words)
        said = own_lines(err)
        check(status == 2 and len(said) == 1 and line in said[0], f"3 processes: {words}: status {status}: {err}")
        check(fingerprint(folder) == before, f"3 processes: {words}: changed files")


def ranks_of(launcher):
    """The processes of the program below the launcher."""
    children = subprocess.run(["ps", "-o", "pid=,comm=", "--ppid", str(launcher)], capture_output=True, text=True).stdout.split("\n")
    return [int(line.split()[0]) for line in children if line.strip() and line.split()[1].startswith("chamomile")]


def faults(folder):
    """A rank that is stopped ends the run with one line; one that is killed ends all; both leave a checkpoint to go on from."""
    long = ["run", "start.hdf5", "--dt", 0.0078125, "--eps", 0.05, "--t-end", 100, "--checkpoint-every", 2, "-q", "--overwrite", "-o", "long", "--peer-timeout", 2]
    for what, which, how in [("a silent rank", 2, signal.SIGSTOP), ("a killed rank", 1, signal.SIGKILL)]:
        shutil.rmtree(folder / "long", ignore_errors=True)
        started = processes(folder, 3, *long, wait=False)
        ends = time.time() + 120
        while not list(folder.glob("long/checkpoint_*.chk")) and started.poll() is None and time.time() < ends:
            time.sleep(0.1)
        ranks = ranks_of(started.pid)
        if not check(len(ranks) == 3, f"{what}: {len(ranks)} processes run"):
            started.kill()
            continue
        os.kill(ranks[which], how)
        try:
            _, err = started.communicate(timeout=120)
        except subprocess.TimeoutExpired:
            started.kill()
            check(False, f"{what}: the run does not end")
            continue
        finally:
            for pid in ranks:
                if os.path.exists(f"/proc/{pid}"):
                    os.kill(pid, signal.SIGKILL)
        said = own_lines(err)
        check(started.returncode != 0, f"{what}: status 0")
        if how == signal.SIGSTOP:
            check(started.returncode == 5 and len(said) == 1 and "silent for 2 seconds" in said[0], f"{what}: status {started.returncode}: {err}")
        chamomile(folder, "run", "--restart", "long", "-q", "--max-walltime", 1e-4)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        chamomile(folder, "model", "plummer", "-n", 6000, "--seed", 1, "-o", "start.hdf5", "-q")
        one = same_bytes(folder)
        restarts(folder, one)
        bench(folder)
        refusals(folder)
        if MPIRUN:
            faults(folder)
        else:
            print("skipped in part: no mpirun, so that only threads were ranks")
    end("ranks")


main()
