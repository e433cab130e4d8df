#!/usr/bin/env python3
"""CUDA errors on purpose, at many calls of a run: nothing is lost, whatever fails. Needs a GPU (status 77 without)."""
import os
import pathlib
import re
import sys
import tempfile

from restarting import chamomile, checkpoints, differences

CODES = {2: "out of memory", 46: "devices unavailable", 214: "uncorrectable ECC", 700: "illegal address", 702: "time-out", 719: "launch failure",
         999: "unknown"}
SCHEMES = {"tree": [], "direct": ["--solver", "direct"], "hermite": ["--integrator", "hermite"], "resident": ["--resident"]}
CALLS = (40, 90, 200, 450)
failures = []


def check(condition, what):
    if not condition:
        failures.append(what)


def main():
    if not re.search(r"^gpu:[0-9]", chamomile(".", "devices").stdout, re.M):
        print("skipped: no GPU")
        return 77
    with tempfile.TemporaryDirectory() as name:
        top = pathlib.Path(name)
        chamomile(top, "model", "plummer", "-n", 3000, "--seed", 1, "-o", "plummer.hdf5", "-q")
        for scheme, more in SCHEMES.items():
            steps = [] if scheme == "hermite" else ["--dt", 0.01]
            arguments = ["run", "../plummer.hdf5", "--t-end", 0.2, *steps, "--eps", 0.05, "--device", "gpu", *more, "--checkpoint-every", 3, "-o", "out"]
            (top / scheme).mkdir()
            whole = chamomile(top / scheme, *arguments)
            check(whole.returncode == 0, f"{scheme}: {whole.stderr}")
            for code, word in CODES.items():
                for call in CALLS:
                    case = f"{scheme}, {word} at call {call}"
                    folder = top / f"{scheme}_{code}_{call}"
                    folder.mkdir()
                    done = chamomile(folder, *arguments, env={**os.environ, "CHAMOMILE_GPU_FAULT": f"{code}:{call}"})
                    if done.returncode == 0:  # it went on with less at a time, or never came to that call
                        left = differences(folder / "out", top / scheme / "out")
                        check(not left, f"{case}: {left}")
                        print(f"{case}: went on")
                        continue
                    check(done.returncode == 5 and len(done.stderr.splitlines()) == 1 and re.search("GPU: .*host .*, device 0, .*UUID GPU-", done.stderr),
                          f"{case}: {done.returncode} {done.stderr}")
                    if not checkpoints(folder / "out"):
                        print(f"{case}: before the first step")
                        continue
                    on = chamomile(folder, "run", "--restart", "out")
                    check(on.returncode == 0, f"{case}: {on.stderr}")
                    left = differences(folder / "out", top / scheme / "out")
                    check(not left, f"{case}: {left}")
                    print(f"{case}: stopped, and went on from {re.search('step [0-9]+', on.stdout)[0]}")
            folder = top / f"{scheme}_cpu"  # a tree's first step takes some 300 calls
            folder.mkdir()
            done = chamomile(folder, *arguments, "--on-device-error", "cpu", env={**os.environ, "CHAMOMILE_GPU_FAULT": "700:450" if scheme == "tree" else "700:200"})
            expected = 2 if scheme == "resident" else 0  # which is of a GPU alone
            check(done.returncode in (expected, 5 if expected else 0), f"{scheme}, on without a GPU: {done.returncode} {done.stderr}")
    print("\n".join(failures) or "no fault has lost anything")
    return bool(failures)


sys.exit(main())
