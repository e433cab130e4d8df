#!/usr/bin/env python3
"""Tests that runs killed at random moments, or restarted from damaged checkpoints, end like the undisturbed run.

Uses 24 moments and 8 damages for each scheme; `--moments N` and `--damages N` after the two standard arguments change them,
and `--seed N` selects others. (test_checkpoint.cpp damages each byte.)
"""
import os
import pathlib
import random
import shutil
import sys
import tempfile
import time

from program import check, end
from restarting import blocks_of, chamomile, checkpoints, differences, parts, said, start

MODELS = {
    "leapfrog": ["--dt", 0.01, "--eps", 0.05, "--energy-every", 0.03],
    "adaptive": ["--adaptive", "--eta", 0.3, "--eps", 0.05, "--accuracy", 3e-3, "--set", "accuracy.every=5", "--criterion", "moments",
                 "--order", 2, "--local-order", 4, "--set", "tree.group-size=64", "--set", "tree.leaf-size=16", "--check-forces", 50, "--set", "check-forces.every=7"],
    "hermite": ["--integrator", "hermite", "--eps", 0.01],
    "blocks": ["--block-steps", "--eps", 0.02],
    "ranks": ["--dt", 0.01, "--eps", 0.05, "--energy-every", 0.03, "--ranks", 3],
    "box": ["--block-steps", "--outputs-z", "8.5,7.5", "--z-end", 7, "--power", "--halos", "--eps-max", 1],
}


def arguments_of(scheme):
    model = ["../../box.hdf5"] if scheme == "box" else ["../../plummer.hdf5", "--t-end", 0.3, "--snapshot-every", 0.1]
    return ["run", *model, *MODELS[scheme], "--frames", "--checkpoint-every", 1, "-o", "out"]


def undisturbed(top, scheme):
    folder = top / scheme / "whole"
    folder.mkdir(parents=True)
    begun = time.monotonic()
    done = chamomile(folder, *arguments_of(scheme))
    seconds = time.monotonic() - begun
    check(done.returncode == 0, f"{scheme}: {done.stderr}")
    return folder, seconds


def kill_often(top, scheme, seconds, moments, choose):
    """Runs repeatedly and kills each run several times, until `moments` moments have passed."""
    kills = runs = before_any = 0
    whole = top / scheme / "whole" / "out"

    def ranks():
        return ["--ranks", choose.choice([1, 2, 3])] if scheme == "ranks" else []

    while kills < moments:
        runs += 1
        folder = top / scheme / f"killed_{runs}"
        folder.mkdir()
        for _ in range(200):
            begun = checkpoints(folder / "out")
            before_any += not begun and kills > 0
            if not begun:
                shutil.rmtree(folder / "out", ignore_errors=True)
            arguments = ["run", "--restart", "out", "--threads", choose.choice([1, 2]), *ranks()] if begun else arguments_of(scheme)
            process = start(folder, *arguments)
            if kills < moments:
                if choose.random() < 0.8:  # mostly at or after a checkpoint since the last start, sometimes anywhere
                    while process.poll() is None and checkpoints(folder / "out") == begun:
                        time.sleep(0.001)
                    time.sleep(choose.uniform(0, 0.1 * seconds))
                else:
                    time.sleep(choose.uniform(0, 0.7 * seconds))
                if process.poll() is None:
                    process.kill()
                    kills += 1
                    process.communicate()
                    continue
            _, errors = process.communicate(timeout=300)
            check(process.returncode == 0, f"{scheme}, run {runs}: status {process.returncode}: {errors}")
            break
        left = differences(folder / "out", whole)
        check(not left, f"{scheme}, run {runs}: {left}")
        of = {path.name.rpartition(".chk.")[0] + ".chk" for path in parts(folder / "out")}
        check(of <= {path.name for path in checkpoints(folder / "out")}, f"{scheme}, run {runs}: parts of {of} are left over")
        shutil.rmtree(folder)
    return kills, runs, before_any


def damage(top, scheme, most, choose):
    """Truncates the newest checkpoint at every 4096th byte and flips a bit in every block: the run must use the older
    one.
    """
    folder = top / scheme / "damaged"
    folder.mkdir()
    source = folder / "source"
    done = chamomile(folder, *arguments_of(scheme), "-q", "--max-walltime", 1e-6)  # one step, then a stop
    check(done.returncode == 0, f"{scheme}: {done.stderr}")
    done = chamomile(folder, "run", "--restart", "out", "-q", "--max-walltime", 1e-6, *(MODELS[scheme][-2:] if scheme == "ranks" else ()))
    check(done.returncode == 0, f"{scheme}: {done.stderr}")
    (folder / "out").rename(source)
    older, newest = checkpoints(source)
    cases = []
    for file in (newest, *parts(source, newest)):
        data = file.read_bytes()
        cases += [(file.name, f"cut at {length}", data[:length]) for length in range(0, len(data), 4096)]
        for name, head, content, length in blocks_of(file):
            places = [("head of ", choose.randrange(head, content))]
            if length:
                places.append(("", choose.randrange(content, content + length)))
            for what, byte in places:
                flipped = bytearray(data)
                flipped[byte] ^= 1 << choose.randrange(8)
                cases.append((file.name, f"a bit of {what}{name}", bytes(flipped)))
    for file, name, damaged in choose.sample(cases, min(most, len(cases))):
        out = folder / "out"
        shutil.copytree(source, out)
        (out / file).write_bytes(damaged)
        done = chamomile(folder, "run", "--restart", "out", "--max-walltime", 1e-6, "--threads", 1)
        check(done.returncode == 0 and said(f"rejected +out/{file}: ", done.stdout) and
              said(f"restarted +from out/{older.name}: ", done.stdout), f"{scheme}, {name}: {done.stdout} {done.stderr}")
        check((out / (newest.name + ".aside")).exists() and
              [p.name for p in checkpoints(out)] == [older.name, newest.name], f"{scheme}, {name}: {list(out.iterdir())}")
        shutil.rmtree(out)
    return min(most, len(cases)), len(cases)


def main():
    # Syncs thousands of files to disk: a memory disk takes seconds.
    in_memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    options = dict(zip(sys.argv[3::2], sys.argv[4::2]))
    moments, damages, choose = int(options.get("--moments", 24)), int(options.get("--damages", 8)), random.Random(int(options.get("--seed", 1)))
    with tempfile.TemporaryDirectory(dir=in_memory) as name:
        top = pathlib.Path(name)
        chamomile(top, "model", "plummer", "-n", 300, "--seed", 1, "-o", "plummer.hdf5", "-q")
        chamomile(top, "model", "cosmology", "--n", 8, "--box", 1, "--z-start", 9, "--seed", 1, "-o", "box.hdf5", "-q")
        for scheme in MODELS:
            _, seconds = undisturbed(top, scheme)
            kills, runs, again = kill_often(top, scheme, seconds, moments // len(MODELS), choose)
            tried, cases = damage(top, scheme, damages, choose)
            print(f"{scheme}: {kills} kills in {runs} runs ({again} before a checkpoint), {tried} of {cases} damaged files")
    end("no run was lost")


main()
