#!/usr/bin/env python3
"""Checks the C and Fortran interfaces with particles distributed over MPI processes (tests/mpi): forces equal one
process, and bad input on one process gives the same line and status on all.
"""
import pathlib
import re
import sys
from subprocess import run

from processes import MPIRUN, processes
from program import PROGRAM, check, end

FORTRAN = pathlib.Path(PROGRAM).parent / "tests/mpi_client_fortran"
CLIENT = pathlib.Path(PROGRAM).parent / "tests/mpi_client"


def told(number, *words, program=CLIENT, **more):
    """Returns status, lines and errors from `number` client processes."""
    status, out, err = processes(CLIENT.parent, number, *words, program=program, **more)
    return status, out.splitlines(), err


def forces():
    for number in (1, 2, 3, 7):
        for particles, deal, precision, *solver in [(6000, "blocks", "float"), (6000, "cards", "float"), (6000, "empty", "float"), (6000, "cards", "double"), (600, "last", "float"),
                                           (5, "cards", "float"), (5, "blocks", "double"), (1, "last", "float"), (0, "cards", "float"),
                                                    (2500, "blocks", "float", "direct"), (2500, "empty", "double", "direct"), (3, "cards", "float", "direct"),
                                                    (6000, "cards", "float", "tree", "cpu", "lengths"), (6000, "empty", "double", "tree", "cpu", "lengths"),
                                                    (2500, "empty", "float", "direct", "cpu", "lengths")]:
            status, lines, err = told(number, "forces", particles, deal, precision, *(solver or ["tree"]))
            case = f"{number} processes, {particles} particles, {deal}, {precision}, {solver}"
            found = re.match(r"rms (\S+) potential (\S+) other bits (\d+)$", lines[0]) if lines else None
            if not check(status == 0 and found, f"{case}: status {status}: {lines} {err}"):
                continue
            if particles > 1:  # potentials are floats
                check(float(found[1]) <= (1e-13 if precision == "double" else 2e-6) and float(found[2]) < 1e-7, f"{case}: {lines[0]}")
            check(found[3] == "0", f"{case}: {found[3]} accelerations differ from one process")


def forces_on_gpu():
    if not re.search(r"^gpu:0", run([PROGRAM, "devices"], capture_output=True, text=True).stdout, re.M):
        print("note: no GPU: tested on processors only")
        return
    for number in (1, 2, 3):
        for precision in ("float", "double"):
            status, lines, err = told(number, "forces", 20000, "cards", precision, "tree", "gpu")
            check(status == 0 and lines and lines[0].endswith("other bits 0"), f"{number} processes on a shared GPU, {precision}: status {status}: {lines} {err}")


BAD = {  # bad input on process 1 of 3: status and text in the line
    "unknown key": (2, "option: softenin: unknown; did you mean 'softening'?"),
    "value": (2, "softening: -1: must be a number >= 0"),
    "no value": (2, "option: key or value: must not be NULL"),
    "other option": (2, "rank 1 of 3: options or version: must be equal on all ranks"),
    "box": (2, "rank 1 of 3: options or version: must be equal on all ranks"),
    "idle": (2, "share_gpu: needs device gpu"),
    "other call": (2, "rank 1 of 3: chm_mpi_evaluate(): must be the call of rank 0, chm_mpi_set_option()"),
    "not finite": (3, "particle 207: position: must be finite"),
    "twins": (3, "particles 203 and 207: position: "),
    "potential": (2, "potential: must be requested on all ranks or on none"),
    "number": (2, "n: -3: must be 0 or more"),
    "no positions": (2, "position: must not be NULL"),
    "no room": (2, "acceleration: must not be NULL"),
    "overlap": (2, "acceleration: must not overlap position"),
    "softening": (3, "particle 200: softening length: -1"),
    "some softenings": (2, "softening: must not be NULL"),
    "place": (2, "ranks: arrays are on the GPU: must be on the host"),
    "type": (2, "position: type: 9: must be CHM_FLOAT64 or CHM_FLOAT32"),
}


def refusals():
    for what, (fault, line) in BAD.items():
        status, lines, err = told(3, "bad", what)
        check(status == 0 and len(lines) == 3 and len(set(lines)) == 1 and lines[0].startswith(f"{fault}: {line}"), f"{what}: status {status}: {lines} {err}")
    status, lines, err = told(3, "handle")
    check(status == 0 and lines == 3 * ["2: forces: must not be NULL"], f"a missing handle: status {status}: {lines} {err}")
    # Some processes compute while another is busy elsewhere.
    status, lines, err = told(3, "some")
    check(status == 0 and len(lines) == 1 and lines[0].startswith("CPU, "), f"calls from some processes only: status {status}: {lines} {err}")


def failures():
    """One process fails: the others end their call with the same line."""
    library = next(CLIENT.parent.glob("libfailing_new.*"))
    for what, fault, line, variables in [("memory", 3, "rank 1 of 3: not enough memory", {"LD_PRELOAD": library, "FAILING_NEW": 20}),
                                         ("silent", 5, "silent for 1 seconds: must answer (peer_timeout)", {})]:
        status, lines, err = told(3, "fail", what, only=(1, variables))
        said = [text for text in lines if text.startswith(f"{fault}: ") and line in text]
        after = [text for text in lines if text.endswith(": next") and text != "0: next"]
        check(len(said) == 3 and len(after) == 3 and len(lines) == 6 and status != 0, f"{what}: status {status}: {lines} {err}")


def fortran():
    if not FORTRAN.exists():
        return print("skipped in part: no module of MPI's for Fortran")
    for number in (1, 3, 4):
        status, lines, err = told(number, program=FORTRAN)
        check(status == 0 and lines == ["all is right"], f"{number} processes in Fortran: status {status}: {lines} {err}")


if not MPIRUN or not CLIENT.exists():
    print("skipped: no mpirun" if not MPIRUN else "skipped: no MPI in this build")
    sys.exit(77)
forces()
forces_on_gpu()
refusals()
failures()
fortran()
end("mpi")
