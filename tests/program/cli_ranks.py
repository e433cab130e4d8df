#!/usr/bin/env python3
"""Tests that runs on several ranks (threads or MPI processes) write the bytes of one rank, continue on any other
number, and end with one line.
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

from bad_inputs import write_inputs
from processes import ENVIRONMENT, LAUNCH, MPIRUN, launch, own_lines, processes, ranks_of, results
from program import PROGRAM, ROOT, chamomile, check, end, fingerprint, refused, table
from restarting import checkpoints, parts, start

RUN = ["start.hdf5", "--dt", 0.0078125, "--eps", 0.05, "--frames", "--energy-every", 0.015625, "--check-forces", 30, "--set", "check-forces.every=3",
       "-q", "--overwrite"]


def same_bytes(folder):
    chamomile(folder, "run", *RUN, "--t-end", 0.0625, "-o", "one", "--snapshot-every", 0.03125)
    one = results(folder, "one")
    check(len(one[0]) == 3 and len(one[1]) == 3, "the run on one rank wrote unexpected files")
    for number in (1, 2, 3, 4, 7):
        chamomile(folder, "run", *RUN, "--t-end", 0.0625, "-o", "out", "--snapshot-every", 0.03125, "--ranks", number, "--threads", 4)
        check(results(folder, "out") == one, f"--ranks {number}: results differ from one rank")
    for number in (2, 4) if MPIRUN else ():
        status, _, err = processes(folder, number, "run", *RUN, "--t-end", 0.0625, "-o", "out", "--snapshot-every", 0.03125)
        check(status == 0 and not own_lines(err), f"{number} processes: status {status}: {err}")
        check(results(folder, "out") == one, f"{number} processes: results differ from one rank")
    # Another criterion, order and precision, adaptive steps, and a root cube at random positions.
    other = ["start.hdf5", "--adaptive", "--dt-max", 0.03125, "--eps", 0.02, "--theta", 0.7, "--order", 4, "--precision", "double", "--set", "tree.decorrelate=3",
             "--softening", "spline", "--t-end", 0.0625, "-q", "--overwrite"]
    chamomile(folder, "run", *other, "-o", "one")
    chamomile(folder, "run", *other, "-o", "out", "--ranks", 3)
    check(results(folder, "one") == results(folder, "out"), "--ranks 3: results differ with adaptive steps in double")
    direct(folder)
    return one


def direct(folder):
    """Direct sums: threads and processes give the bytes of one rank, including pictures and a restart on another
    number.
    """
    words = ["start.hdf5", "--dt", 0.0078125, "--eps", 0.05, "--frames", "--solver", "direct", "--t-end", 0.0234375, "--snapshot-every", 0.015625, "-q", "--overwrite"]
    chamomile(folder, "run", *words, "-o", "one")
    one = results(folder, "one")
    for number in (2, 7):
        chamomile(folder, "run", *words, "-o", "out", "--ranks", number, "--threads", 2)
        check(results(folder, "out") == one, f"--ranks {number}: results differ with direct sums")
    chamomile(folder, "run", *words, "-o", "out", "--ranks", 3, "--max-walltime", 1e-4)
    chamomile(folder, "run", "--restart", "out", "-q", "--ranks", 2, "--max-walltime", 1000)
    check(results(folder, "out") == one, "a restart on another number of ranks: results differ with direct sums")
    if MPIRUN:
        status, _, err = processes(folder, 3, "run", *words, "-o", "out")
        check(status == 0 and not own_lines(err), f"3 processes with direct sums: status {status}: {err}")
        check(results(folder, "out") == one, "3 processes: results differ with direct sums")


def individual(folder):
    """Individual steps: trees and direct sums, kept and new trees, threads and processes give the bytes of one rank;
    restarts from one rank to three to two.
    """
    common = ["start.hdf5", "--block-steps", "--eps", 0.01, "--frames", "--t-end", 0.0625, "--dt-max", 0.015625, "--snapshot-every", 0.03125, "-q", "--overwrite"]
    few = ["few.hdf5", *common[1:]]
    for what, words, numbers in [
            ("trees", common, (1, 2, 3, 7)),
            ("new trees alone", [*common, "--set", "blocks.rebuild-above=0"], (3,)),
            ("trees kept as long as there are others", [*common, "--set", "blocks.rebuild-above=1", "--eta", 0.01], (2, 7)),
            ("theta in double", [*common, "--theta", 0.7, "--order", 4, "--precision", "double", "--set", "tree.decorrelate=3"], (3,)),
            ("direct sums", [*few, "--solver", "direct"], (1, 2, 3, 7)),
            ("a goal", [*common, "--accuracy", 2e-3, "--criterion", "moments", "--order", 2, "--local-order", 6, "--set", "tree.group-size=64", "--set", "tree.leaf-size=16", "--set", "accuracy.every=2"],
             (2, 3))]:
        chamomile(folder, "run", *words, "-o", "one")
        one = results(folder, "one")
        for number in numbers:
            chamomile(folder, "run", *words, "-o", "out", "--ranks", number, "--threads", 4)
            check(results(folder, "out") == one, f"--ranks {number}: results differ from one rank with individual steps by {what}")
        for number in (2, 3) if MPIRUN and what in ("trees", "direct sums", "a goal") else ():
            status, _, err = processes(folder, number, "run", *words, "-o", "out")
            check(status == 0 and not own_lines(err), f"{number} processes, individual steps by {what}: status {status}: {err}")
            check(results(folder, "out") == one, f"{number} processes: results differ from one rank with individual steps by {what}")
        chamomile(folder, "run", *words, "-o", "out", "--max-walltime", 1e-4)
        chamomile(folder, "run", "--restart", "out", "-q", "--ranks", 3)
        chamomile(folder, "run", "--restart", "out", "-q", "--ranks", 2, "--max-walltime", 1000)
        check(results(folder, "out") == one, f"restarts on other numbers of ranks: results differ with individual steps by {what}")


def softenings(folder):
    """Softening lengths per type and per particle: bytes of one rank on threads and processes, and from one rank to
    three to two.
    """
    chamomile(folder, "model", "galaxy", "-n", 3000, "--seed", 4, "-o", "galaxy.hdf5", "-q")
    by_type = ["--eps-type", "halo=0.3,disk=0.02,bulge=0.1"]
    common = ["galaxy.hdf5", *by_type, "--t-end", 0.0625, "--snapshot-every", 0.03125, "-q", "--overwrite"]
    for what, words in [
            ("by type", [*common, "--dt", 0.015625, "--frames"]),
            ("spline, root of squares, individual steps", [*common, "--softening", "spline", "--eps-rule", "root-of-squares", "--block-steps", "--dt-max", 0.015625]),
            ("direct sums in double", [*common, "--dt", 0.015625, "--solver", "direct", "--precision", "double"]),
            ("of each particle", ["one/snapshot_001.hdf5", "--t-end", 0.09375, "--dt", 0.015625, "--snapshot-every", 0.03125, "-q", "--overwrite"])]:
        if what == "of each particle":
            shutil.copy(folder / "one/snapshot_001.hdf5", folder / "lengths.hdf5")
            words[0] = "lengths.hdf5"
        chamomile(folder, "run", *words, "-o", "one")
        one = results(folder, "one")
        for number in (2, 7):
            chamomile(folder, "run", *words, "-o", "out", "--ranks", number, "--threads", 4)
            check(results(folder, "out") == one, f"--ranks {number}: results differ from one rank for softening {what}")
        if MPIRUN:
            status, _, err = processes(folder, 3, "run", *words, "-o", "out")
            check(status == 0 and not own_lines(err), f"3 processes, softening lengths {what}: status {status}: {err}")
            check(results(folder, "out") == one, f"3 processes: results differ from one rank for softening {what}")
        chamomile(folder, "run", *words, "-o", "out", "--max-walltime", 1e-4)
        chamomile(folder, "run", "--restart", "out", "-q", "--ranks", 3, "--max-walltime", 1e-4)
        chamomile(folder, "run", "--restart", "out", "-q", "--ranks", 2, "--max-walltime", 1000)
        check(results(folder, "out") == one, f"restarts on other numbers of ranks: results differ for softening {what}")


def with_tracers(folder):
    """Tracers are points outside the tree and in direct sums: bits equal one rank."""
    words = ["start.hdf5", "--tracers", "few.hdf5", "--block-steps", "--dt-max", 0.0078125, "--eps", 0.01, "--t-end", 0.015625, "-q", "--overwrite"]
    for solver, numbers in (("tree", (None, 1, 2, 7)), ("direct", (None, 3))):
        found = []
        for number in numbers:
            chamomile(folder, "run", *words, "--solver", solver, "-o", "out", *(["--ranks", number] if number else []))
            found.append(results(folder, "out"))
        check(all(one == found[0] for one in found), f"tracers, solver {solver}: results depend on the number of ranks")


def tuned(folder):
    """Ranks tune with the particles of a file, and the printed sizes repeat the bits on one rank."""
    words = ["start.hdf5", "--dt", 0.0078125, "--eps", 0.05, "--t-end", 0.015625, "--overwrite"]
    out = chamomile(folder, "run", *words, "--tune", "--set", "tree.leaf-size=16", "--ranks", 3, "-o", "out")
    if check(found := re.search(r"tuned +groups of .* leaves of 16: .*; (--set .*) repeats the run", out), f"--tune on ranks: {out}"):
        chamomile(folder, "run", *words, *found[1].split(), "-o", "one")
        check(results(folder, "one") == results(folder, "out"), "--tune on ranks: the printed sizes give other results on one rank")


def boxes(folder):
    """Periodic boxes, cosmological and plain: bytes of one rank on threads and processes, and from one rank to three to
    two.
    """
    chamomile(folder, "model", "cosmology", "--n", 16, "--box", 10, "--z-start", 24, "--seed", 3, "-o", "box.hdf5", "-q")
    comoving = ["box.hdf5", "--outputs-z", "11,9", "--z-end", 5, "--energy-every", 0.2, "-q", "--overwrite"]
    for what, words, numbers in [
            ("adaptive steps", [*comoving, "--eps-max", 5, "--frames"], (2, 7)),
            ("individual steps", [*comoving, "--block-steps", "--check-forces", 20], (2, 3)),
            ("plain time", ["start.hdf5", "--box", 20, "--block-steps", "--step-criterion", "softening", "--eps", 0.02, "--dt-max", 0.015625, "--t-end", 0.0625, "-q", "--overwrite"], (4,)),
            ("direct sums", ["few.hdf5", "--box", 20, "--solver", "direct", "--eps", 0.02, "--dt", 0.015625, "--t-end", 0.0625, "-q", "--overwrite"], (3,))]:
        chamomile(folder, "run", *words, "-o", "one")
        one = results(folder, "one")
        for number in numbers:
            chamomile(folder, "run", *words, "-o", "out", "--ranks", number, "--threads", 4)
            check(results(folder, "out") == one, f"--ranks {number}: results differ from one rank in a box with {what}")
        if MPIRUN:
            status, _, err = processes(folder, 2, "run", *words, "-o", "out")
            check(status == 0 and not own_lines(err), f"2 processes, box with {what}: status {status}: {err}")
            check(results(folder, "out") == one, f"2 processes: results differ from one rank in a box with {what}")
        chamomile(folder, "run", *words, "-o", "out", "--ranks", 2, "--max-walltime", 1e-4)
        chamomile(folder, "run", "--restart", "out", "-q", "--ranks", 3, "--max-walltime", 1e-4)
        chamomile(folder, "run", "--restart", "out", "-q", "--max-walltime", 1000)
        check(results(folder, "out") == one, f"restarts on other numbers of ranks: results differ in a box with {what}")


def restarts(folder, one):
    """Restarts from one rank to three, two, seven and back, in parts with at least one step each."""
    chamomile(folder, "run", *RUN, "--t-end", 0.0625, "-o", "out", "--snapshot-every", 0.03125, "--max-walltime", 1e-4)
    for number in (3, 2, 7, 1) * 2:
        before = checkpoints(folder / "out")[-1]
        words = ["--ranks", number] if number > 1 else []
        chamomile(folder, "run", "--restart", "out", "-q", *words)
        newest = checkpoints(folder / "out")[-1]
        found = len(parts(folder / "out", newest))
        check(newest == before or found == (number if number > 1 else 0), f"{newest.name} of {number} ranks has {found} parts")
    check(results(folder, "out") == one, "restarts on other numbers of ranks: results differ")
    if MPIRUN:
        chamomile(folder, "run", *RUN, "--t-end", 0.0625, "-o", "out", "--snapshot-every", 0.03125, "--max-walltime", 1e-4)
        status, _, err = processes(folder, 3, "run", "--restart", "out", "-q", "--max-walltime", 1000)
        check(status == 0 and results(folder, "out") == one, f"a restart on 3 processes: status {status}, or results differ: {err}")
        first, second, _ = parts(folder / "out", checkpoints(folder / "out")[-1])
        for name, line in ("lost", "No such file or directory"), ("copied", "part: of another checkpoint"):
            shutil.copytree(folder / "out", folder / name)
            part = folder / name / second.name
            part.unlink()
            if name == "copied":
                shutil.copy(first, part)
            status, out, err = processes(folder, 2, "run", "--restart", name, "--t-end", 0.09375, "--max-walltime", 1e-4)
            check(status == 0 and re.search(rf"rejected +{name}/{part.name}: .*{line}", out), f"a part is {name}: status {status}: {out} {err}")


def bench(folder):
    """Benchmark rows on ranks report imported data, and the errors of one rank."""
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
        check(all(row[c] == rows[0][c] for c in ("99 % error", "particles", "cells", "far")), f"bench on {number} ranks: errors or lists differ from one rank")
        check((number == "-") == (row["imported %"] == "-") == (row["MB between ranks"] == "-"), f"bench on {number} ranks: wrong imports printed")
    for row in rows[1:]:
        ranks, all_bytes, imports, most = (float(row[c]) for c in ("ranks", "MB between ranks", "MB of imports", "most MB of imports"))
        check(row["most partners"] == str(int(ranks) - 1), f"bench on {ranks} ranks: {row['most partners']} partners of a sphere")
        needed = 1e-6 * (32 * float(row["imported %"]) / 100 * 4000 + 144 * float(row["imported cells"]))
        check(needed < imports < all_bytes and imports / ranks <= most < imports, f"bench on {ranks} ranks: {imports} MB of imports, {needed} needed, of one {most}, in all {all_bytes}")
        check(0 < float(row["exchanges"]) < 40 and 0 < float(row["collectives"]) < 60, f"bench on {ranks} ranks: {row['exchanges']} exchanges and {row['collectives']} collectives")
        check(200 * 4000 / ranks < 1e6 * float(row["most MB held"]) < 4000 * 4000, f"bench on {ranks} ranks: {row['most MB held']} MB held")


def peak_of(pid):
    """Returns the peak memory of a process in bytes; 0 after it ended."""
    try:
        found = re.search(r"VmHWM:\s+(\d+) kB", pathlib.Path(f"/proc/{pid}/status").read_text())
    except OSError:
        return 0
    return int(found[1]) * 1024 if found else 0


def peak_to_end(started):
    """Waits until a process ends and returns its peak memory in bytes. `ru_maxrss` would count this script's memory too."""
    most = 0
    while started.poll() is None:
        most = peak_of(started.pid) or most
        time.sleep(0.001)
    return most


def peaks_of(started, number, is_over=lambda: False):
    """Waits until launched processes end and returns their peaks of memory by rank, until `is_over`; empty if not all were seen."""
    most = []
    while len(ranks := ranks_of(started.pid)) < number and started.poll() is None:
        time.sleep(0.01)
    while started.poll() is None:
        seen = [peak for pid in ranks if (peak := peak_of(pid))]
        if is_over():
            break
        most = seen if len(seen) == number else most
        time.sleep(0.01)
    return most


def tuning(folder):
    """The other ranks drop the solver of each ended trial: they need less memory than rank 0, which has all particles."""
    started = launch(folder, 2, "bench", "-n", 100000, "--eps", 0.05, "--theta", 1.5, "--order", 2, "--threads", 1, "--repeat", 1, "--sample", 0,
                     "--tune", "-q")
    most = peaks_of(started, 2)
    _, err = started.communicate()
    if check(started.returncode == 0 and len(most) == 2, f"bench --tune on 2 processes: status {started.returncode}, {len(most)} were found: {err}"):
        check(most[1] < 1.3 * most[0], f"bench --tune on 2 processes: rank 0 took {most[0] / 1e6:.0f} MB, rank 1 {most[1] / 1e6:.0f}")


def meshes(folder):
    """Each of four ranks needs a part of the memory of one for the mesh of a box, and with tracers, which lie anywhere, not all of it."""
    chamomile(folder, "model", "cosmology", "--n", 16, "--box", 10, "--z-start", 20, "-o", "box16.hdf5", "-q")
    words = ["run", "box16.hdf5", "--z-end", 19.9, "--set", "periodic.mesh=192", "--threads", 1, "-q", "-o", "box16", "--overwrite"]

    def largest(number, *more):
        started = launch(folder, number, *words, *more)
        most = peaks_of(started, number)
        _, err = started.communicate()
        check(started.returncode == 0 and len(most) == number, f"a box on {number} processes: status {started.returncode}, {len(most)} were found: {err}")
        return max(most, default=0) / 1e6

    one, four, with_tracers = largest(1), largest(4), largest(4, "--tracers", "box16.hdf5")
    print(f"memory of a rank with a mesh of 192^3: one {one:.0f} MB, four {four:.0f}, with tracers {with_tracers:.0f}")
    check(four < 0.7 * one and with_tracers < 1.2 * one,  # with whole meshes 1.8
          f"a mesh takes one rank {one:.0f} MB, each of four {four:.0f} and with tracers {with_tracers:.0f}")


def memory(folder):
    """After a settling time, a thousand further steps with migrating particles take no more memory."""
    def most(steps):
        run = subprocess.Popen([PROGRAM, *map(str, ["run", "start.hdf5", "--dt", 0.001, "--eps", 0.05, "--t-end", steps * 0.001, "--ranks", 3, "--threads", 3, "-q",
                                                    "--overwrite", "-o", "memory", "--snapshot-every", 100])], cwd=folder)
        megabytes = peak_to_end(run) / 1e6
        check(run.returncode == 0 and megabytes > 0, f"{steps} steps: status {run.returncode}, {megabytes} MB")
        return megabytes

    few, many = most(300), most(1300)
    check(many < 1.05 * few, f"300 steps took {few:.1f} MB and 1300 steps {many:.1f} MB")
    print(f"memory of 300 and of 1300 steps on 3 ranks: {few:.1f} and {many:.1f} MB")


def reading(folder):
    """In a run that begins from a file or restarts, rank 0 holds little more than the non-moving columns of all
    particles, until it writes; and while it draws pictures and checks forces.
    """
    number, count = 10, 1500000
    chamomile(folder, "model", "plummer", "-n", count, "-o", "many.hdf5", "-q")
    chamomile(folder, "convert", "many.hdf5", "many.gadget2", "-q")
    words = ["--dt", 0.01, "--t-end", 1, "--eps", 0.05, "--theta", 1.5, "--order", 2, "-q", "--threads", 1, "--max-walltime", 1e-4]

    def written():
        return set(folder.glob("many*/*"))

    for what, run in [("HDF5", ["many.hdf5", *words, "-o", "many"]), ("a checkpoint", ["--restart", "many", "-q"]), ("GADGET-2", ["many.gadget2", *words, "-o", "many2"]),
                      ("HDF5 with pictures", ["many.hdf5", *words, "-o", "many3", "--frames", "--set", "frames.every=0.01", "--set", "frames.size=64", "--check-forces", 10])]:
        before = written()
        started = launch(folder, number, "run", *run)
        most = peaks_of(started, number, lambda: "--frames" not in run and written() != before)
        _, err = started.communicate()
        if not check(started.returncode == 0 and len(most) == number, f"{what}: status {started.returncode}, {len(most)} processes were found: {err}"):
            continue
        others = sum(most[1:]) / (number - 1)
        more = (most[0] - others) / count
        limit = 85 if "--frames" in run else 40  # blocks of snapshots and checkpoints; gathered particles: 300
        check(more < limit, f"{what}: rank 0 has {more:.0f} more bytes per particle than other ranks")
        print(f"{what} read on {number} processes: rank 0 took {most[0] / 1e6:.0f} MB, others {others / 1e6:.0f} in the mean")
    # A folder with results is refused after all checks of the particles, before ranks get them.
    chamomile(folder, "model", "cosmology", "--n", 114, "-o", "cosmos.hdf5", "-q")
    for what, particles, run in [
            ("a comoving box", 114**3, ["cosmos.hdf5", "--z-end", 9]),
            ("tracers", 2 * count, ["many.hdf5", "--tracers", "many.gadget2", *words]),
            ("a view", count, ["many.hdf5", *words, "--view"])]:
        command = [PROGRAM, "run", *map(str, run), "--ranks", "3", "-o", "many"]
        started = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        held = peak_to_end(started) / particles  # all particles: 115 to 160
        check(started.returncode == 4 and 20 < held < 70, f"{what}: status {started.returncode}, {held:.0f} bytes per particle at the start")
        print(f"{what}: {held:.0f} bytes per particle at the start")


def refusals(folder):
    common = ["run", "start.hdf5", "--eps", 0.05, "--t-end", 1, "-o", "none"]
    fixed = [*common, "--dt", 0.1]
    for line, words in [
            ("--ranks: 0: must be between 1 and 1024|--ranks: 0", [*fixed, "--ranks", 0]),
            ("--ranks", [*fixed, "--ranks", 5000]),
            ("--set ranks.peer-timeout: needs --ranks, several processes or several GPUs", [*fixed, "--set", "ranks.peer-timeout=3"]),
            ("--set ranks.share-gpu: needs --device gpu, and --ranks or several processes", [*fixed, "--ranks", 2, "--set", "ranks.share-gpu"]),
            ("--set ranks.share-gpu: needs --device gpu, and --ranks or several processes", [*fixed, "--device", "gpu:0", "--set", "ranks.share-gpu"]),
            ("--on-device-error: is for one rank", [*fixed, "--ranks", 2, "--on-device-error", "stop"]),
            ("--set ranks.peer-timeout: 0: ", [*fixed, "--ranks", 2, "--set", "ranks.peer-timeout=0"]),
            ("--set blocks.host-below: needs a single rank", [*common, "--ranks", 2, "--block-steps", "--set", "blocks.host-below=10"]),
            ("--ranks, several processes or several GPUs: need --integrator leapfrog", [*common, "--ranks", 2, "--integrator", "hermite"]),
            ("device: gpu:0,0: must be auto, cpu, gpu, gpu:NUMBER", [*fixed, "--device", "gpu:0,0"]),
            ("device: gpu:,1: must be auto, cpu, gpu, gpu:NUMBER", [*fixed, "--ranks", 2, "--device", "gpu:,1"])]:
        refused(folder, 2, line, *words)
    refused(folder, 3, "absent.hdf5", "run", "absent.hdf5", "--dt", 0.1, "--eps", 0.05, "--t-end", 1, "-o", "none", "--ranks", 3)
    chamomile(folder, "model", "plummer", "-n", 500, "-o", "twins.txt", "-q")
    text = (folder / "twins.txt").read_text().rstrip("\n")
    (folder / "twins.txt").write_text(text + "\n" + text.splitlines()[-1] + "\n")
    lines = [chamomile(folder, "run", "twins.txt", "--dt", 0.1, "--eps", 0, "--t-end", 1, "-o", "none", *more, status=3) for more in ([], ["--ranks", 3])]
    check(lines[0] == lines[1] and lines[0].count("\n") == 1, f"coincident particles: {lines}")
    if "gpu:0" not in chamomile(folder, "devices"):
        refused(folder, 5, "device: gpu:all", *fixed, "--device", "gpu:all")


def numbered(folder):
    """Tests numbered bad input: exit status, one line, no changed files."""
    (folder / "inputs").mkdir()
    write_inputs(folder / "inputs")
    run = ["run", "start.hdf5", "--eps", 0.05, "--t-end", 1, "--dt", 0.1, "-o", "none"]
    # number, process count (0: the program alone), words, status, line, extra words or variables for the last process
    cases = [
        (1, 0, [*run, "--ranks", 0], 2, "--ranks: 0"),
        (2, 0, [*run, "--device", "gpu:9"], 5, "device: gpu:9: "),
        (3, 0, [*run, "--device", "gpu:0,0"], 2, "gpu:0,0"),
        (4, 3, run, 2, "rank 2 of 3: arguments: must equal the arguments of rank 0", ["--theta", 0.4]),
        (5, 3, ["run", "absent.hdf5", *run[2:]], 3, "absent.hdf5: file: No such file"),
        (6, 0, [*run, "--files", 0], 2, "--files: 0: must be a whole number from 1 to 512"),
        (7, 0, ["run", "inputs/piece.0.gadget2", *run[2:], "--ranks", 3], 3, "inputs/piece.1.gadget2: file: missing: must exist, because the snapshot has 2 pieces"),
        (7, 3, ["run", "inputs/piece.0.gadget2", *run[2:]], 3, "inputs/piece.1.gadget2: file: missing: must exist, because the snapshot has 2 pieces"),
        (8, 2, ["pairs"], 2, "pairs: is for one process; 'run', 'bench', 'power', 'halos' and 'model cosmology' take several"),
        (8, 0, ["pairs", "--ranks", 2], 2, "--ranks: unknown option"),
        (8, 2, ["run", "start.hdf5", "--eps", 0.05, "--t-end", 1, "-o", "none", "--integrator", "hermite"], 2, "several processes or several GPUs: need --integrator leapfrog"),
        (9, 0, [*run, "--box", 20, "--set", "periodic.mesh=16", "--ranks", 20], 2, "--set periodic.mesh: 16: must be at least the number of ranks, 20"),
        (11, 3, [*run[:-1], "busy", "--overwrite"], 4, "busy: in use by another run"),
        (11, 0, [*run[:-1], "busy", "--overwrite", "--ranks", 3], 4, "busy: in use by another run"),
        (12, 3, ["info", "start.hdf5"], 2, "info: is for one process"),
        (12, 2, ["model", "plummer", "-n", 10, "-o", "none.hdf5"], 2, "model plummer: is for one process"),
        (13, 3, [*run, "--ranks", 2], 2, "--ranks: contradicts several processes"),
        (14, 3, [*run, "--nonsense"], 2, "--nonsense"),
        (15, 3, [], 2, "no command given"),
    ]
    if (without := pathlib.Path(PROGRAM).parent / "tests/program_without_mpi").exists():
        cases += [(10, 3, run, 2, "several processes: need a build with MPI", without)]
    else:
        print("not tested here: a program built without MPI")
    busy = start(folder, "run", "start.hdf5", "--eps", 0.05, "--t-end", 1e9, "--dt", 0.1, "-o", "busy", "-q", "--checkpoint-walltime", 0,
                 "--energy-every", 1e6, "--snapshot-every", 1e8, "--set", "steps.every=1000000000")
    while not (folder / "busy/snapshot_000.hdf5").exists() and busy.poll() is None:
        time.sleep(0.01)
    os.kill(busy.pid, signal.SIGSTOP)
    for number, count, words, status, line, *more in cases:
        if not count:
            refused(folder, status, line, *words)
        elif MPIRUN:
            before = fingerprint(folder)
            other = more[0] if more and isinstance(more[0], pathlib.Path) else None
            found, _, err = processes(folder, count, *words, only=(count - 1, more[0]) if more and not other else None, program=other or PROGRAM)
            said = own_lines(err)
            check(found == status and len(said) == 1 and line in said[0], f"{number}: {count} processes: {words}: status {found}: {err}")
            check(fingerprint(folder) == before, f"{number}: {count} processes: {words}: changed files")
    busy.kill()
    busy.communicate()


def faults(folder):
    """A stopped rank ends the run with one line; a killed rank ends all; both leave a checkpoint."""
    long = ["run", "start.hdf5", "--dt", 0.0078125, "--eps", 0.05, "--t-end", 100, "--checkpoint-every", 2, "-q", "--overwrite", "-o", "long", "--set", "ranks.peer-timeout=2"]
    for what, which, how in [("a silent rank", 2, signal.SIGSTOP), ("a killed rank", 1, signal.SIGKILL)]:
        shutil.rmtree(folder / "long", ignore_errors=True)
        started = launch(folder, 3, *long)
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


def example(folder):
    """Runs examples/parallel from file to file, with pictures, against one rank."""
    launcher = " ".join(map(str, LAUNCH))
    done = subprocess.run([ROOT / "examples/parallel", folder / "example", "20000", "3"], env={**ENVIRONMENT, "CHAMOMILE": PROGRAM, "MPIRUN": launcher},
                          capture_output=True, text=True, timeout=600)
    check(done.returncode == 0 and "3 ranks" in done.stdout, f"examples/parallel: status {done.returncode}: {done.stdout} {done.stderr}")
    chamomile(folder / "example", "run", "galaxies.hdf5", "--t-end", 1, "--dt", 0.05, "--eps", 0.05, "--energy-every", 0.25, "--frames", "-q", "-o", "one")
    check(results(folder / "example", "run") == results(folder / "example", "one"), "examples/parallel: results differ from one rank")


def large_box(folder):
    """Runs examples/large_box, whose snapshots in pieces are one snapshot each to commands that take many files."""
    done = subprocess.run([ROOT / "examples/large_box", folder / "box", "12", "40", "3"],
                          env={**ENVIRONMENT, "CHAMOMILE": PROGRAM, "MPIRUN": " ".join(map(str, LAUNCH))}, capture_output=True, text=True, timeout=600)
    check(done.returncode == 0 and "3 ranks" in done.stdout, f"examples/large_box: status {done.returncode}: {done.stdout} {done.stderr}")
    run = folder / "box/run"
    for name, count in ("snapshot_???.hdf5", 4), ("snapshot_*.hdf5", 20), ("power_*.txt", 4), ("halos_*.hdf5", 4), ("frame_*.png", 4), ("light_cone_*.hdf5", 1):
        check(len(list(run.glob(name))) == count, f"examples/large_box: {name}: not {count}")
    chamomile(run, "render", *sorted(path.name for path in run.glob("snapshot_*.hdf5")), "--size", 32, "-o", "all.png", "-q")
    check(len(list(run.glob("all_*.png"))) == 4, "render: pieces are drawn apart from their snapshot")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        chamomile(folder, "model", "plummer", "-n", 6000, "--seed", 1, "-o", "start.hdf5", "-q")
        one = same_bytes(folder)
        chamomile(folder, "model", "plummer", "-n", 900, "--seed", 2, "-o", "few.hdf5", "-q")
        restarts(folder, one)
        individual(folder)
        softenings(folder)
        with_tracers(folder)
        tuned(folder)
        boxes(folder)
        bench(folder)
        memory(folder)
        refusals(folder)
        numbered(folder)
        if MPIRUN:
            faults(folder)
            tuning(folder)
            meshes(folder)
            reading(folder)
            example(folder)
            large_box(folder)
        else:
            print("skipped in part: no mpirun: ranks were threads only")
    end("ranks")


main()
