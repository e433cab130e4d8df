#!/usr/bin/env python3
"""Tests every kind of stop, restarts with other options, faults and full disks: the last good state is on disk and
continues.
"""
import fcntl
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import tempfile
import time

from program import check, end
from restarting import PROGRAM, blocks_of, chamomile, checkpoints, differences, said, start

RUN = ["run", "../plummer.hdf5", "--t-end", 0.3, "--dt", 0.01, "--eps", 0.05, "--snapshot-every", 0.1, "--frames", "-o", "out"]
LONG = ["run", "../plummer.hdf5", "--t-end", 1e5, "--dt", 0.01, "--eps", 0.05, "-o", "out"]


def fresh(top, name):
    folder = top / name
    folder.mkdir()
    return folder


def wait_for(condition, seconds=60):
    until = time.monotonic() + seconds
    while not condition() and time.monotonic() < until:
        time.sleep(0.02)
    return condition()


def has_begun(folder):
    return lambda: (folder / "out/steps.csv").exists() and len((folder / "out/steps.csv").read_text().splitlines()) > 5


def long_run(top, name, *more):
    """Returns a folder with a long run after some steps."""
    folder = fresh(top, name)
    run = start(folder, *LONG, *more)
    wait_for(has_begun(folder))
    return folder, run


def ends_like(folder, top, what):
    left = differences(folder / "out", top / "whole/out")
    left = [line for line in left if ".chk" not in line]
    check(not left, f"{what}: {left}")


def stops_by_signals(top):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM, signal.SIGHUP, signal.SIGXCPU):
        folder, run = long_run(top, f"signal_{number.name}")
        run.send_signal(number)
        out, errors = run.communicate(timeout=60)
        check(run.returncode == 0 and errors == "", f"{number.name}: status {run.returncode} {errors}")
        check(said(rf"stopped by {number.name}: t = \S+, step \d+, in out/checkpoint_\d+.chk\ncontinue with 'chamomile run --restart out'", out),
              f"{number.name}: {out}")
        check(len(checkpoints(folder / "out")) == 1 and not list((folder / "out").glob("*.tmp.*")), f"{number.name}: files")
    # A completed run: a restart has nothing to do.
    folder = fresh(top, "ended")
    chamomile(folder, *RUN)
    done = chamomile(folder, "run", "--restart", "out")
    check(done.returncode == 0 and said("the run had ended at t = ", done.stdout) and said("\nno steps left\n", done.stdout) and
          "nan" not in done.stdout, f"restart after the end: {done.stdout} {done.stderr}")
    # The second signal ends a long step, and changes no file.
    chamomile(top, "model", "plummer", "-n", 120000, "--seed", 2, "-o", "large.hdf5", "-q")
    folder = fresh(top, "twice")
    run = start(folder, "run", "../large.hdf5", "--t-end", 1, "--dt", 0.5, "--eps", 0.01, "--solver", "direct", "--precision", "double",
                "--threads", 1, "-o", "out")
    wait_for(lambda: (folder / "out/snapshot_000.hdf5").exists(), 240)
    before = sorted(p.name for p in (folder / "out").iterdir())
    run.send_signal(signal.SIGTERM)
    time.sleep(0.2)
    run.send_signal(signal.SIGTERM)  # within a second: a repeated request, as timeout(1) and batch systems send
    time.sleep(1.2)
    check(run.poll() is None, f"a signal repeated at once: status {run.returncode}")
    run.send_signal(signal.SIGINT)
    begun = time.monotonic()
    run.communicate(timeout=60)
    check(run.returncode == -signal.SIGINT, f"a second signal: status {run.returncode}")
    check(sorted(p.name for p in (folder / "out").iterdir()) == before, "a second signal leaves different files")
    check(time.monotonic() - begun < 5, "a second signal does not end the run at once")


def stops_by_a_file(top):
    folder, run = long_run(top, "file")
    (folder / "out/checkpoint-now").touch()
    check(wait_for(lambda: len(checkpoints(folder / "out")) == 1), "no checkpoint after a checkpoint file was made")
    check(run.poll() is None and not (folder / "out/checkpoint-now").exists(), "a requested checkpoint ends the run, or the request file remains")
    (folder / "out/stop").touch()
    out, _ = run.communicate(timeout=60)
    check(run.returncode == 0 and "stopped by out/stop: " in out, f"a stop file: {run.returncode} {out}")
    check(not (folder / "out/stop").exists(), "the stop file remains")
    folder, run = long_run(top, "folder")
    (folder / "kept/within").mkdir(parents=True)
    (folder / "kept").rename(folder / "out/stop")
    out, _ = run.communicate(timeout=60)
    check(run.returncode == 0 and "stopped by out/stop: " in out, f"a stop folder: {run.returncode} {out}")


def stops_in_time(top):
    folder = fresh(top, "limit")
    begun = time.monotonic()
    done = chamomile(folder, *LONG, "--max-walltime", 3)
    check(done.returncode == 0 and "stopped by the limit of 3 s" in done.stdout, f"limit: {done.returncode} {done.stdout}")
    check(1 < time.monotonic() - begun < 4, f"a limit of 3 s took {time.monotonic() - begun} s")
    folder = fresh(top, "hopeless")
    shutil.rmtree(top / "parts", ignore_errors=True)
    done = chamomile(folder, *RUN, "--max-walltime", 1e-4)
    check("too short for two steps" in done.stdout and done.returncode == 0, f"a time limit too short for a step is not reported: {done.stdout}")
    parts = 1
    while "stopped by" in done.stdout and parts < 100:
        done = chamomile(folder, "run", "--restart", "out")  # with the previous limit
        parts += 1
    check(done.returncode == 0 and parts == 30, f"{parts} restarts of a step each: {done.stdout} {done.stderr}")
    run = (folder / "out/snapshot_003.hdf5").read_bytes()
    check(len(run) == len((top / "whole/out/snapshot_003.hdf5").read_bytes()), "another snapshot")
    check((folder / "out/energy.csv").read_bytes() == (top / "whole/out/energy.csv").read_bytes(), "30 restarts: energies differ")


def changes_what_may_change(top):
    folder = fresh(top, "changed")
    done = chamomile(folder, *RUN, "--theta", 0.6, "--checkpoint-every", 7, "--max-walltime", 1e-3, "-q")
    check(done.returncode == 0, f"begin: {done.stderr}")
    before = {p.name: p.read_bytes() for p in (folder / "out").iterdir()}

    def refused(status, pattern, *arguments):
        done = chamomile(folder, "run", *arguments)
        check(done.returncode == status and len(done.stderr.splitlines()) == 1 and said(pattern, done.stderr),
              f"{arguments}: {done.returncode} {done.stderr}")
        check({p.name: p.read_bytes() for p in (folder / "out").iterdir()} == before, f"{arguments}: files changed")

    again = ["--restart", "out"]
    refused(7, "--theta: 0.5: cannot change in a run that goes on; it was 0.6", *again, "--theta", 0.5)
    refused(7, "--eps: 0.1: cannot change .*it was 0.05", *again, "--eps", 0.1)
    refused(7, "--dt: 0.02: cannot change .*it was 0.01", *again, "--dt", 0.02)
    refused(7, "--order: 4: cannot change .*it was not given .2.", *again, "--order", 4)
    refused(7, "--set tree.group-size: 64: cannot change .*it was not given .0.", *again, "--set", "tree.group-size=64")
    refused(7, "--check-forces: 9: cannot change .*it was not given .0.", *again, "--check-forces", 9)
    refused(7, "--adaptive: true: cannot change .*it was not given .false.", *again, "--adaptive")
    refused(7, "--energy-every: 0.1: cannot change .*it was not given", *again, "--energy-every", 0.1)
    refused(7, "--integrator: hermite: cannot change", *again, "--integrator", "hermite")
    refused(7, "--instruction-set: baseline: cannot change", *again, "--instruction-set", "baseline")
    refused(7, "--output: other: cannot change", *again, "-o", "other")
    refused(2, "--restart: contradicts the file ../plummer.hdf5", *again, "../plummer.hdf5")
    refused(7, "--t-end: 0.001: lies before the time of the checkpoint, 0.01", *again, "--t-end", 0.001)
    refused(7, "--t-end: 0.01: is the time of the checkpoint; must be later", *again, "--t-end", 0.01)
    aside = checkpoints(folder / "out")[-1].name + ".aside"
    before[aside] = checkpoints(folder / "out")[-1].read_bytes()
    (folder / "out" / aside).write_bytes(before[aside])
    refused(7, f"--restart: out/{aside}: must be named checkpoint_N.chk", "--restart", f"out/{aside}")
    (folder / "out" / aside).unlink()
    del before[aside]
    refused(7, "--restart: none: does not exist", "--restart", "none")
    refused(7, "--restart: ..: no checkpoint", "--restart", "..")
    refused(7, "--restart: ../plummer.hdf5: header: not of a checkpoint", "--restart", "../plummer.hdf5")
    refused(4, "out: holds the results of a run .*--restart to continue", *RUN[1:])
    # Equal options may be given again, even spelled differently.
    done = chamomile(folder, "run", *again, "--theta", "0.60", "--dt", "1e-2", "--eps", "5e-2", "-o", "./out/", "--threads", 1, "--max-walltime", 1e9)
    check(done.returncode == 0, f"the same options: {done.stderr}")
    whole = fresh(top, "changed_whole")
    chamomile(whole, *RUN, "--theta", 0.6, "--checkpoint-every", 7, "--max-walltime", 1e-3, "-q")
    done = chamomile(whole, "run", "--restart", "out", "--max-walltime", 1e9, "--threads", 2, "-q")
    left = differences(folder / "out", whole / "out")
    check(not left, f"threads: {left}")
    # The run is complete; a later end is different.
    done = chamomile(folder, "run", *again)
    check(done.returncode == 0 and "the run had ended at t = 0.3" in done.stdout, f"at the end: {done.stdout}")
    done = chamomile(folder, "run", *again, "--t-end", 0.5, "--tree", "host", "-q")
    check(done.returncode == 0 and (folder / "out/snapshot_005.hdf5").exists(), f"a later end: {done.stderr}")
    times = [line.split(",")[0] for line in (folder / "out/energy.csv").read_text().splitlines()[1:]]
    check(times[0] == "0" and times[-1] == "0.5" and len(set(times)) == len(times), f"energies at {times}")


def goes_on_from_its_end(top):
    """A completed run restarted with a later end gives the bits of a run with the later end from the start."""
    chamomile(top, "model", "cosmology", "--box", 100, "--n", 8, "--z-start", 49, "-o", "box.hdf5", "-q")
    plain, comoving = ["../plummer.hdf5", "--eps", 0.05, "--snapshot-every", 0.125], ["../box.hdf5", "--outputs-z", "30,19"]
    for name, arguments, first, last in (
            ("shared", [*plain, "--dt", 0.0078125], ["--t-end", 0.25], ["--t-end", 0.5]),
            ("adaptive", [*plain, "--adaptive"], ["--t-end", 0.25], ["--t-end", 0.5]),
            ("blocks", [*plain, "--block-steps"], ["--t-end", 0.25], ["--t-end", 0.5]),
            ("hermite", [*plain, "--integrator", "hermite"], ["--t-end", 0.125], ["--t-end", 0.25]),
            ("accuracy", [*plain, "--dt", 0.03125, "--accuracy", 1e-2, "--criterion", "moments", "--order", 2, "--local-order", 4, "--set", "tree.group-size=64",
                          "--set", "tree.leaf-size=16"], ["--t-end", 0.25], ["--t-end", 0.5]),
            ("comoving", [*comoving, "--adaptive"], ["--z-end", 19], ["--z-end", 9])):
        folder = fresh(top, f"prolonged_{name}")
        done = [chamomile(folder, "run", *arguments, *first, "-o", "out"), chamomile(folder, "run", "--restart", "out", *last),
                chamomile(folder, "run", *arguments, *last, "-o", "whole")]
        check(all(run.returncode == 0 for run in done), f"{name}: {[run.stderr for run in done]}")
        check(said(r"\ncontinue with 'chamomile run --restart out --.-end L[A-Z]+'\n$", done[0].stdout), f"{name}: {done[0].stdout}")
        prolonged, whole = ({block: path.read_bytes()[begin:begin + length] for block, _, begin, length in blocks_of(path)}
                            for path in (checkpoints(folder / place)[-1] for place in ("out", "whole")))
        other = [block for block in whole if block.startswith(("particles/", "simulation/", "timeline/next", "timeline/time", "run/outputs")) and
                 prolonged.get(block) != whole[block]]
        check(not other and len(whole) > 20, f"{name}: {other} differs from an uninterrupted run")
        names = [sorted(p.name for p in (folder / place).glob("*.hdf5")) for place in ("out", "whole")]
        check(names[0] == names[1], f"{name}: {names}")


def keeps_two(top):
    folder = fresh(top, "two")
    done = chamomile(folder, *RUN, "--checkpoint-every", 4)
    check([p.name for p in checkpoints(folder / "out")] == ["checkpoint_000000028.chk", "checkpoint_000000030.chk"], "the kept checkpoints are not the two newest")
    # From the older checkpoint: the newer is set aside, and the run ends with equal results.
    ended = {p.name: p.read_bytes() for p in (folder / "out").iterdir()}
    shutil.copytree(folder / "out", folder / "within")
    for place, name in ((folder, "out/checkpoint_000000028.chk"), (folder / "within", "checkpoint_000000028.chk")):
        done = chamomile(place, "run", "--restart", name)
        check(done.returncode == 0 and (place / name).with_name("checkpoint_000000030.chk.aside").exists(), f"restart from {name}: {done.stderr}")
    for name in ("snapshot_003.hdf5", "energy.csv", "frame_003.png"):
        check((folder / "out" / name).read_bytes() == ended[name], f"restart from a named file: different {name}")
    # Lost lines, and leftover files from a killed run.
    lines = (folder / "out/energy.csv").read_bytes().splitlines(keepends=True)
    (folder / "out/energy.csv").write_bytes(b"".join(lines[:2]) + lines[2][:7])
    (folder / "out/steps.csv").unlink()
    (folder / "out/snapshot_002.hdf5.tmp.123").write_text("half")
    (folder / "out/notes.tmp.123").write_text("mine")
    done = chamomile(folder, "run", "--restart", "out", "--t-end", 0.4)
    check(done.stdout.count("lines are missing") == 2 and done.returncode == 0, f"lost lines: {done.stdout} {done.stderr}")
    kept = (folder / "out/energy.csv").read_bytes().splitlines(keepends=True)
    check(kept[:2] == lines[:2] and len(kept) == 3 and kept[2].startswith(b"0.4,"), f"energy.csv holds {kept}")
    check(not (folder / "out/snapshot_002.hdf5.tmp.123").exists() and (folder / "out/notes.tmp.123").exists(), "files of a killed run remain")
    # A line changed by hand.
    text = (folder / "out/energy.csv").read_bytes()
    (folder / "out/energy.csv").write_bytes(text.replace(b"0.4,", b"0.5,"))
    done = chamomile(folder, "run", "--restart", "out", "--t-end", 0.5)
    check(done.returncode == 0 and said("out/energy.csv: changed since the checkpoint", done.stdout) and done.stdout.count("changed since") == 1,
          f"a changed line: {done.stdout} {done.stderr}")
    both = checkpoints(folder / "out")
    # A checkpoint whose step differs from its name is not the newest, nor does it displace checkpoints of the
    # continuing run.
    foreign = folder / "out/checkpoint_999.chk"
    foreign.write_bytes(both[0].read_bytes())
    done = chamomile(folder, "run", "--restart", "out", "--t-end", 0.6, "--checkpoint-every", 3)
    check(done.returncode == 0 and said(f"rejected +out/checkpoint_999.chk: step .*: must be named {both[0].name}", done.stdout) and
          said(f"restarted +from out/{both[1].name}: ", done.stdout), f"a renamed checkpoint: {done.stdout} {done.stderr}")
    check(len(checkpoints(folder / "out")) == 2 and not foreign.exists(), f"a renamed checkpoint: {checkpoints(folder / 'out')}")
    foreign.write_bytes(checkpoints(folder / "out")[0].read_bytes())
    done = chamomile(folder, "run", "--restart", foreign)
    check(done.returncode == 7 and "must be named" in done.stderr, f"a renamed checkpoint, named: {done.returncode} {done.stderr}")
    foreign.unlink()
    # A checkpoint from another run, at a later step.
    chamomile(folder, "run", "--model", "plummer", "-n", 50, "--eps", 0.05, "--t-end", 0.9, "--dt", 0.01, "--checkpoint-every", 30, "-o", "other")
    other = checkpoints(folder / "other")[-1]
    ours, there = checkpoints(folder / "out")[-1], folder / "out" / other.name
    there.write_bytes(other.read_bytes())
    done = chamomile(folder, "run", "--restart", "out")
    check(done.returncode == 7 and said(f"out/{other.name} and out/{ours.name} belong to different runs: name one", done.stderr), f"a checkpoint of another run: {done.returncode} {done.stderr}")
    done = chamomile(folder, "run", "--restart", ours, "--t-end", 0.7)
    check(done.returncode == 0 and not there.exists(), f"restart from a named checkpoint next to one of another run: {done.stderr}")
    run = start(folder, *LONG[:-1], "foreign", "--checkpoint-every", 5)
    wait_for(lambda: len(checkpoints(folder / "foreign")) == 2)
    for number in (999999999, 999999998):
        (folder / f"foreign/checkpoint_{number}.chk").write_text("of somebody else")
    newest = checkpoints(folder / "foreign")[-3]
    wait_for(lambda: not newest.exists())
    run.send_signal(signal.SIGTERM)
    run.communicate(timeout=60)
    check(len(checkpoints(folder / "foreign")) == 4, f"checkpoints of others: {checkpoints(folder / 'foreign')}")
    both = checkpoints(folder / "out")
    for path in both:
        path.write_bytes(path.read_bytes()[:-1])
    other = os.open(folder / "out", os.O_RDONLY)
    fcntl.flock(other, fcntl.LOCK_EX)  # locked by a run that may write newer files there: they are not read
    done = chamomile(folder, "run", "--restart", "out")
    check(done.returncode == 4 and "in use by another run" in done.stderr, f"two runs: {done.returncode} {done.stderr}")
    os.close(other)
    done = chamomile(folder, "run", "--restart", "out")
    check(done.returncode == 7 and all(path.name in done.stderr for path in both) and len(done.stderr.splitlines()) == 1,
          f"all checkpoints damaged: {done.returncode} {done.stderr}")
    check(checkpoints(folder / "out") == both, "all checkpoints damaged: they are renamed")


def survives_faults(top):
    folder = fresh(top, "fault")
    (folder / "fast.txt").write_text("1 0 0 0 0 0 0 1\n1 1 0 0 0 0 0 2\n1e-9 0 1 0 0 3e307 0 7\n")
    done = chamomile(folder, "run", "fast.txt", "--t-end", 10, "--dt", 1, "--eps", 0.05, "--snapshot-every", 5, "-o", "out")
    check(done.returncode == 6 and said("particle id 7: position: not finite in step 6", done.stderr), done.stderr)
    check("the state before the error: t = 5, step 5, in out/checkpoint_000000005.chk" in done.stdout, f"fault: {done.stdout}")
    check(len(list((folder / "out").glob("snapshot_*"))) == 2, "a snapshot of a failed step is written")
    done = chamomile(folder, "run", "--restart", "out")
    check(done.returncode == 6 and "in step 6" in done.stderr, f"restart with the same fault: {done.returncode} {done.stderr}")
    # Two unsoftened particles collide in the middle of a run.
    (folder / "meet.txt").write_text("1e-30 -0.5 0 0 1 0 0 1\n1e-30 0.5 0 0 -1 0 0 2\n0 9 9 9 0 0 0 3\n")
    done = chamomile(folder, "run", "meet.txt", "--t-end", 1, "--dt", 0.125, "--eps", 0, "--snapshot-every", 1, "-o", "met")
    check(done.returncode == 6 and said("ids 1 and 2.* in step 4 from t = 0.375", done.stderr) and
          "step 3, in met/checkpoint_000000003.chk" in done.stdout, f"two coincident particles: {done.returncode} {done.stderr} {done.stdout}")
    # An energy error beyond its limit.
    loose = ["run", "../plummer.hdf5", "--t-end", 3, "--dt", 0.1, "--eps", 0.01, "-o"]
    done = chamomile(folder, *loose, "warned", "--max-energy-error", 1e-6, "--set", "energy-error.action=warn")
    check(done.returncode == 0 and done.stdout.count("warning      energy error: ") == 1, f"warning: {done.stdout} {done.stderr}")
    done = chamomile(folder, *loose, "limited", "--max-energy-error", 1e-6)
    check(done.returncode == 8 and said("^chamomile: error: energy error: .* above --max-energy-error 1e-06\n$", done.stderr), f"limit: {done.stderr}")
    check(said(r"stopped by the energy error: t = \S+, step \d+, in limited/checkpoint_\d+.chk", done.stdout), f"limit: {done.stdout}")
    before = (folder / "limited/steps.csv").read_bytes()
    done = chamomile(folder, "run", "--restart", "limited")
    check(done.returncode == 8 and (folder / "limited/steps.csv").read_bytes() == before, f"restart with the same limit: {done.returncode} {done.stdout}")
    done = chamomile(folder, "run", "--restart", "limited", "--max-energy-error", 1)
    check(done.returncode == 0, f"restart with another limit: {done.stderr}")
    for name in ("energy.csv", "snapshot_010.hdf5"):
        a, b = ((folder / place / name).read_bytes() for place in ("limited", "warned"))
        check(len(a) == len(b) and (a == b or name != "energy.csv"), f"after the limit: {name} differs")


def survives_full_disks(top):
    folder = fresh(top, "disk")
    disk = folder / "out"
    disk.mkdir()
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=500k", "tmpfs", disk], capture_output=True).returncode != 0:
        print("not tested here: a file system that is full (it takes root)")
        return
    arguments = [*[word for word in RUN if word != "--frames"], "--checkpoint-every", 1]
    whole = fresh(top, "disk_whole")
    chamomile(whole, *arguments)
    try:
        for size, what in (("268k", "checkpoint_000000001.chk"), ("500k", "snapshot_001.hdf5")):
            for path in disk.iterdir():
                path.unlink()
            subprocess.run(["mount", "-o", f"remount,size={size}", disk], check=True)
            done = chamomile(folder, *arguments)
            check(done.returncode == 4 and len(done.stderr.splitlines()) == 1 and said(f"out/{what}: .*No space", done.stderr), f"full disk: {done.returncode} {done.stderr}")
            check(not list(disk.glob("*.tmp.*")) and checkpoints(disk), f"full disk: {sorted(p.name for p in disk.iterdir())}")
            subprocess.run(["mount", "-o", "remount,size=10m", disk], check=True)
            done = chamomile(folder, "run", "--restart", "out")
            check(done.returncode == 0, f"after room was made: {done.stderr}")
            left = differences(disk, whole / "out")
            check(not left, f"after room was made: {left}")
    finally:
        subprocess.run(["umount", disk])


def survives_limits_of_sizes(top):
    """Lines that could not be written appear after the run continues."""
    chamomile(top, "model", "plummer", "-n", 4, "--seed", 3, "-o", "four.hdf5", "-q")
    arguments = ["run", "../four.hdf5", "--t-end", 1, "--eps", 0.05, "--snapshot-every", 1, "-o", "out"]
    for name, more in ("energy.csv", ["--dt", 0.001, "--energy-every", 0.001]), ("steps.csv", ["--dt", 0.0002]):
        whole, folder = fresh(top, f"unlimited_{name}"), fresh(top, f"limited_{name}")
        chamomile(whole, *arguments, *more)
        size = int(0.9 * (whole / "out" / name).stat().st_size)
        done = chamomile(folder, *arguments, *more, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))
        check(done.returncode == 4 and f"out/{name}: cannot be written" in done.stderr and len(checkpoints(folder / "out")) == 1,
              f"{name} is limited: {done.returncode} {done.stdout} {done.stderr}")
        done = chamomile(folder, "run", "--restart", "out")
        left = [line for line in differences(folder / "out", whole / "out") if ".chk" not in line]
        check(done.returncode == 0 and not left, f"{name} was limited: {done.stderr} {left}")


def survives_lost_folders(top):
    folder, run = long_run(top, "lost", "--checkpoint-every", 50)
    (folder / "out").rename(folder / "elsewhere")
    _, errors = run.communicate(timeout=60)
    check(run.returncode == 4 and len(errors.splitlines()) == 1 and said("out/.*No such file", errors), f"a removed folder: {run.returncode} {errors}")
    folder, run = long_run(top, "renamed", "--checkpoint-every", 50)
    (folder / "out").rename(folder / "elsewhere")
    (folder / "out").mkdir()
    _, errors = run.communicate(timeout=60)
    check(run.returncode == 4 and len(errors.splitlines()) == 1 and "--output: out: the folder of this run was renamed" in errors, f"a replaced folder: {run.returncode} {errors}")
    check(not list((folder / "out").iterdir()), f"results in two places: {list((folder / 'out').iterdir())}")
    with open("/dev/full", "w") as full:
        done = subprocess.run([PROGRAM, *map(str, RUN)], cwd=folder, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    check(done.returncode == 4 and done.stderr == "chamomile: error: standard output: cannot be written\n", f"/dev/full: {done}")
    ends_like(folder, top, "standard output that is full")
    folder = fresh(top, "log")
    chamomile(folder, *RUN, "--checkpoint-every", 2)
    (folder / "out/run.log").unlink()
    (folder / "out/run.log").symlink_to("/dev/full")
    done = chamomile(folder, "run", "--restart", "out")
    check(done.returncode == 4 and said("^chamomile: error: out/run.log: cannot be written: No space left", done.stderr), f"a full disk for the log: {done.returncode} {done.stderr}")


def main():
    in_memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=in_memory) as name:
        top = pathlib.Path(name)
        chamomile(top, "model", "plummer", "-n", 800, "--seed", 1, "-o", "plummer.hdf5", "-q")
        done = chamomile(fresh(top, "whole"), *RUN)
        check(done.returncode == 0 and [p.name for p in checkpoints(top / "whole/out")] == ["checkpoint_000000030.chk"], f"the run itself: {done.stderr}")
        for part in (stops_by_signals, stops_by_a_file, stops_in_time, changes_what_may_change, goes_on_from_its_end, keeps_two, survives_faults,
                     survives_full_disks, survives_limits_of_sizes, survives_lost_folders):
            part(top)
    end("no state was lost")


main()
