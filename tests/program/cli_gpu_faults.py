#!/usr/bin/env python3
"""Injects CUDA errors at many calls in a run: nothing may be lost. Needs a GPU (else status 77). Words after the
program select schemes.

Prints a table by error and call: the number of runs refused before output, continued from a checkpoint to the
undisturbed run's bits, or continued automatically to these bits.
"""
import collections
import concurrent.futures
import os
import pathlib
import re
import sys
import tempfile
import time

from program import check, failures
from restarting import chamomile, checkpoints, differences

CODES = {2: "out of memory", 46: "devices unavailable", 214: "uncorrectable ECC", 700: "illegal address", 702: "time-out", 719: "launch failure",
         999: "unknown"}
SPHERE = ["../plummer.hdf5", "--t-end", 0.2, "--eps", 0.05]
SHARED = [*SPHERE, "--dt", 0.01]
BOX = ["../box.hdf5", "--z-end", 7, "--block-steps", "--halos"]
SCHEMES = {"tree": SHARED, "direct": [*SHARED, "--solver", "direct"], "hermite": [*SPHERE, "--integrator", "hermite"],
           "individual": [*SPHERE, "--block-steps"], "individual, few by the host": [*SPHERE, "--block-steps", "--set", "blocks.host-below=500"], "box": BOX}
ON_HOST = ("hermite", "individual, few by the host")  # particles stay on the host
# An error or a trapping kernel at the K-th call overall, or an error at the K-th call matching the words; the first
# hundreds belong to the check before the run.
CALLS = (3, 100, 600, 1500, 4000)
WORDS = {"allocate": (1, 40, 150, 260), "copy": (1, 20, 80, 300), "launch": (1, 40, 150, 600), "wait": (1, 10, 40, 150)}
HANGS = (1, 10, 40, 150)
TIMEOUT = 3
SCHEMES_ASKED = sys.argv[3:]


def place(fault):
    """Returns the table column."""
    kind, _, rest = fault.partition(":")
    return "any call" if ":" not in rest and (kind.isdigit() or kind == "trap") else rest.partition(":")[2] or "wait"


def outcome(folder, fault, arguments, whole, scheme):
    """Runs with the fault, then continues from the remaining files; returns one word for the table."""
    case = f"{scheme}, {fault}"
    folder.mkdir()
    begun = time.monotonic()
    done = chamomile(folder, *arguments, env={**os.environ, "CHAMOMILE_GPU_FAULT": fault, "CHAMOMILE_GPU_TIMEOUT": str(TIMEOUT)})
    if fault.startswith("hang") and scheme not in ("tree", "individual", "individual, few by the host", "box"):  # the device stays busy for
                                                                                                                 # another minute; walking
                                                                                                                 # threads may wait for
                                                                                                                 # allocation
        check(time.monotonic() - begun < TIMEOUT + 40, f"{case}: took {time.monotonic() - begun:.0f} s")
    if done.returncode == 0:  # continued with smaller batches, or never reached the call
        left = differences(folder / "out", whole)
        check(not left, f"{case}: {left}")
        return "went on"
    named = "the GPU hangs" if fault.startswith("hang") else "differ from the sums of the host" if fault.startswith("wrong") else "cuda"
    check(done.returncode == 5 and len(done.stderr.splitlines()) == 1 and re.search(f"GPU: .*{named}.*host .*, device 0, .*UUID GPU-", done.stderr),
          f"{case}: {done.returncode} {done.stderr}")
    if not (folder / "out").exists():
        return "refused"
    if not checkpoints(folder / "out"):
        check(scheme not in ON_HOST, f"{case}: results without a checkpoint")
        return "refused"
    on = chamomile(folder, "run", "--restart", "out")
    if check(on.returncode == 0, f"{case}: {on.stderr}"):
        left = differences(folder / "out", whole, older_checkpoints=False)
        check(not left, f"{case}: {left}")
    return "restarted"


def end_of(folder):
    """Returns the last time in the run's energies."""
    return (folder / "out/energy.csv").read_text().splitlines()[-1].partition(",")[0]


def goes_on_with_the_cpu(top, scheme, arguments):
    for number, fault in enumerate(("700:3", "2:1:allocate", "700:1500", "700:150:launch", "trap:1500", "hang:1", "hang:150", "wrong:1")):
        folder = top / f"{scheme}_cpu_{number}"
        folder.mkdir()
        done = chamomile(folder, *arguments, "--on-device-error", "cpu",
                         env={**os.environ, "CHAMOMILE_GPU_FAULT": fault, "CHAMOMILE_GPU_TIMEOUT": str(TIMEOUT)})
        case = f"{scheme}, {fault}, on without a GPU: {done.returncode} {done.stderr}"
        if check(done.returncode == 0, case):
            check(len(done.stderr.splitlines()) <= 1 and (not done.stderr or "the run goes on without it" in done.stderr), case)
            check(end_of(folder) == end_of(top / scheme), f"{case}: ends at {end_of(folder)}")


def main():
    if not re.search(r"^gpu:[0-9]", chamomile(".", "devices").stdout, re.M):
        print("skipped: no GPU")
        return 77
    faults = [f"{code}:{call}" for code in CODES for call in CALLS]
    faults += [f"{code}:{call}:{word}" for code in (2, 46, 700) for word in WORDS for call in WORDS[word]]
    faults += [f"hang:{wait}" for wait in HANGS] + [f"trap:{call}" for call in CALLS] + ["wrong:1"]
    table = collections.defaultdict(collections.Counter)
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(4) as pool:
        top = pathlib.Path(name)
        chamomile(top, "model", "plummer", "-n", 3000, "--seed", 1, "-o", "plummer.hdf5", "-q")
        chamomile(top, "model", "cosmology", "--n", 16, "--box", 2, "--z-start", 9, "--seed", 1, "-o", "box.hdf5", "-q")
        waiting = {}
        chosen = {scheme: more for scheme, more in SCHEMES.items() if scheme in SCHEMES_ASKED or not SCHEMES_ASKED}
        for scheme, more in chosen.items():
            arguments = ["run", *more, "--device", "gpu", "--threads", 4, "--checkpoint-every", 3, "-o", "out"]
            (top / scheme).mkdir()
            done = chamomile(top / scheme, *arguments)
            check(done.returncode == 0, f"{scheme}: {done.stderr}")
            check("sums of the GPU and the host differ by" in (top / scheme / "out/run.log").read_text(), f"{scheme}: the device was not checked before the run")
            print(scheme, *re.findall("checked .*", (top / scheme / "out/run.log").read_text()))
            for number, fault in enumerate(faults):
                job = pool.submit(outcome, top / f"{scheme}_{number}", fault, arguments, top / scheme / "out", scheme)
                waiting[job] = (scheme, fault)
            waiting[pool.submit(goes_on_with_the_cpu, top, scheme, arguments)] = None
        for job in concurrent.futures.as_completed(waiting):
            if waiting[job]:
                scheme, fault = waiting[job]
                kind = fault.partition(":")[0]
                row = (scheme, CODES[int(kind)] if kind.isdigit() else {"hang": "hang", "trap": "trap", "wrong": "wrong sums"}[kind])
                table[row, "check before the run" if kind == "wrong" else place(fault)][job.result()] += 1
            else:
                job.result()
    columns = ["any call", *WORDS, "check before the run"]
    print("runs refused before anything is written / restarted to the same bits / continued to the same bits\n")
    print("| | " + " | ".join(columns) + " |\n|" + "---|" * (len(columns) + 1))
    for row in sorted({row for row, _ in table}):
        cells = [" / ".join(str(table[row, column][word]) for word in ("refused", "restarted", "went on")) if (row, column) in table else "" for column in columns]
        print(f"| {row[0]}, {row[1]} | " + " | ".join(cells) + " |")
    print("\n" + ("\n".join(failures) or f"{len(waiting) - len(chosen)} faults, none has lost anything"))
    return bool(failures)


sys.exit(main())
