#!/usr/bin/env python3
"""Runs on several ranks of which one is killed, stopped, out of memory or out of disk at a random moment: nothing is lost, and one place says why.

6 kills unless `--moments N` follows the two arguments of all tests; `--seed N` chooses others."""
import os
import pathlib
import random
import resource
import shutil
import signal
import sys
import tempfile
import time

from processes import MPIRUN, launch, left_of, own_lines, ranks_of, results
from program import PROGRAM, check, end
from restarting import chamomile, checkpoints, start, steps

SPHERE = ["run", "../../plummer.hdf5", "--t-end", 0.3, "--snapshot-every", 0.1, "--block-steps", "--dt-max", 0.01, "--eta", 0.008, "--eps", 0.05, "--energy-every", 0.03, "--frames",
          "--checkpoint-every", 1, "-q", "-o", "out"]
WAITS = ["--set", "ranks.peer-timeout=3"]
TESTS = pathlib.Path(PROGRAM).parent / "tests"


class Case:
    """A run in a separate folder, on `number` processes, or on three ranks of one process for 0."""

    def __init__(self, top, name):
        self.name, self.folder, self.whole = name, top / "cases" / name, top / "cases/whole"
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)

    def begin(self, number, *more, only=None):
        """Begins the run, or continues from its last checkpoint."""
        self.begun = checkpoints(self.folder / "out")
        if not self.begun:
            shutil.rmtree(self.folder / "out", ignore_errors=True)
        words = ["run", "--restart", "out", "-q", *more] if self.begun else [*SPHERE, *more]
        self.process = launch(self.folder, number, *words, only=only) if number else start(self.folder, *words, "--ranks", 3)
        self.pids = []

    def wait(self, seconds):
        """Waits for the next checkpoint, then for `seconds`. Returns whether the run continues with all processes
        known.
        """
        while self.process.poll() is None and checkpoints(self.folder / "out") == self.begun:
            time.sleep(0.001)
        time.sleep(seconds)
        self.pids = ranks_of(self.process.pid) or [self.process.pid]
        return self.process.poll() is None

    def end(self):
        """Returns the status and standard error; no process may remain."""
        try:
            _, err = self.process.communicate(timeout=120)
        except Exception:
            self.process.kill()
            _, err = self.process.communicate()
            check(False, f"{self.name}: does not end")
        left = left_of(self.pids)
        check(not left, f"{self.name}: {len(left)} processes are left")
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        return self.process.returncode, err

    def go_on(self, number):
        """Runs to the end on `number` ranks; bits must equal the undisturbed run."""
        self.begin(number)
        status, err = self.end()
        check(status == 0, f"{self.name}: restart with status {status}: {err}")
        self.is_whole()

    def is_whole(self):
        """Checks that files equal the undisturbed run's files."""
        for what, of in (("results", lambda case: results(case, "out")), ("steps", lambda case: steps(case / "out")),
                         ("last checkpoint", lambda case: checkpoints(case / "out")[-1].name)):
            check(of(self.folder) == of(self.whole), f"{self.name}: different {what}")

    def says(self, status, line):
        """Checks the exit status and that one of the program's lines contains the words."""
        found, err = self.end()
        said = own_lines(err)
        check(found == status and len(said) == 1 and line in said[0], f"{self.name}: status {found}, not {status}, or not one line with '{line}': {err}")


def kills(top, seconds, moments, choose):
    """Kills random ranks, or the launcher, on random numbers of ranks at random moments, until `moments` kills."""
    done = runs = before_any = 0
    while done < moments:
        runs += 1
        case = Case(top, f"killed_{runs}")
        while done < moments:
            number = choose.choice([0, 2, 3, 4])
            case.begin(number)
            before_any += not case.begun
            if choose.random() < 0.8:
                there = case.wait(choose.uniform(0, 0.1 * seconds))
            else:
                time.sleep(choose.uniform(0, 0.7 * seconds))
                case.pids = ranks_of(case.process.pid) or [case.process.pid]
                there = case.process.poll() is None
            if there:
                victim = case.process.pid if choose.random() < 0.1 else choose.choice(case.pids)
                try:
                    os.kill(victim, signal.SIGKILL)
                    done += 1
                except ProcessLookupError:  # just ended
                    there = False
            status, err = case.end()
            check(status in ((0,) if not there else (0, 137, -9)) and not own_lines(err), f"{case.name}, {number} processes: status {status}: {err}")
            if status == 0:
                break
        case.go_on(choose.choice([0, 2, 3, 4]))
        shutil.rmtree(case.folder)
    return runs, before_any


def memory(top, choose):
    """Memory runs out on a rank at the start, in the middle and in parallel loops."""
    library = next(TESTS.glob("libfailing_new.*"))
    for request in (1, 30, 100, *(choose.randrange(100, 3000) for _ in range(5))):
        case, rank = Case(top, f"memory_{request}"), choose.randrange(3)
        case.begin(3, *WAITS, only=(rank, {"LD_PRELOAD": library, "FAILING_NEW": request}))
        status, err = case.end()
        said = own_lines(err)
        if status:  # 3 before the first step, 6 in a step
            named = f"rank {rank} of 3: not enough memory" if rank else "not enough memory"
            check(status in (3, 6) and len(said) == 1 and named in said[0], f"{case.name} of rank {rank}: status {status}: {err}")
        case.go_on(choose.choice([2, 3]))


def disk(top, choose):
    """The disk of rank 0 is full from the start or in the middle, or its folder cannot be sent to disk once a checkpoint has its name."""
    library = next(TESTS.glob("libfailing_writes.*"))
    case = Case(top, "disk_at_the_start")
    case.begin(3, *WAITS, only=(0, {"LD_PRELOAD": library, "FAILING_WRITES": "28:1000000"}))
    case.says(4, "No space left on device")
    case.go_on(3)
    case = Case(top, "folder")
    case.begin(3, *WAITS, only=(0, {"LD_PRELOAD": library, "FAILING_FOLDER": 5}))
    case.says(4, "folder cannot be written")
    check(len(checkpoints(case.folder / "out")) == 1, f"{case.name}: no checkpoint")
    case.go_on(2)
    case = Case(top, "disk")
    case.begin(3, *WAITS)
    if check(case.wait(choose.uniform(0, 0.3)), f"{case.name}: the run ended too early"):
        resource.prlimit(case.pids[0], resource.RLIMIT_FSIZE, (50000, 50000))
    case.says(4, "chamomile: error: out/")
    case.go_on(2)


def sleeping(top, choose):
    """A stopped rank ends the run, unless it continues in time."""
    for rank in (1, 2):
        case = Case(top, f"asleep_{rank}")
        case.begin(3, *WAITS)
        if check(case.wait(choose.uniform(0, 0.3)), f"{case.name}: the run ended too early"):
            os.kill(case.pids[rank], signal.SIGSTOP)
        case.says(5, "silent for 3 seconds")
        case.go_on(choose.choice([2, 3, 4]))
    for rank in (0, 1):
        case = Case(top, f"nap_{rank}")
        case.begin(3, *WAITS)
        if check(case.wait(choose.uniform(0, 0.3)), f"{case.name}: the run ended too early"):
            os.kill(case.pids[rank], signal.SIGSTOP)
            time.sleep(1)
            os.kill(case.pids[rank], signal.SIGCONT)
        status, err = case.end()
        check(status == 0 and not own_lines(err), f"{case.name}: status {status}: {err}")
        case.is_whole()


def signals(top, choose):
    """Sends other signals to one rank, all ranks and the launcher."""
    # signal, target (a rank or the launcher), whether the run continues unaffected
    for what, whom, undisturbed in [("SEGV", 0, False), ("SEGV", 2, False), ("ABRT", 1, False), ("TERM", 1, True), ("USR1", 2, True), ("TERM", 0, False),
                                    ("USR1", 0, False), ("USR1", None, False), ("TERM", None, False), ("INT", None, False)]:
        case = Case(top, f"{what}_{'launcher' if whom is None else whom}")
        case.begin(3)
        if check(case.wait(choose.uniform(0, 0.3)), f"{case.name}: the run ended too early"):
            os.kill(case.process.pid if whom is None else case.pids[whom], getattr(signal, f"SIG{what}"))
        status, err = case.end()
        check(len(own_lines(err)) == 0, f"{case.name}: {err}")
        check((status == 0) == (undisturbed or what == "USR1" or (what, whom) == ("TERM", 0)), f"{case.name}: status {status}: {err}")
        if undisturbed:
            case.is_whole()
        else:
            case.go_on(choose.choice([0, 2, 3]))


def main():
    if not MPIRUN:
        print("skipped: no mpirun")
        sys.exit(77)
    in_memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # syncs thousands of files to disk
    options = dict(zip(sys.argv[3::2], sys.argv[4::2]))
    moments, choose = int(options.get("--moments", 6)), random.Random(int(options.get("--seed", 1)))
    with tempfile.TemporaryDirectory(dir=in_memory) as name:
        top = pathlib.Path(name)
        check(chamomile(top, "model", "plummer", "-n", 3000, "--seed", 1, "-o", "plummer.hdf5", "-q").returncode == 0, "model")
        whole = Case(top, "whole")
        begun = time.monotonic()
        whole.begin(3)
        status, err = whole.end()
        check(status == 0, f"run without a fault: status {status}: {err}")
        seconds = time.monotonic() - begun
        for part in (memory, disk, sleeping, signals):
            part(top, choose)
            print(part.__doc__, flush=True)
        runs, before_any = kills(top, seconds, moments, choose)
    end(f"{moments} kills in {runs} runs ({before_any} before a checkpoint), and nothing was lost")


main()
