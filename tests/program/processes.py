"""Common to scripts that run the program as several MPI processes."""
import os
import pathlib
import re
import shutil
import subprocess
import time

from program import PROGRAM, as_text, table

MPIRUN = shutil.which("mpirun")
IS_OPEN_MPI = MPIRUN and "Open MPI" in subprocess.run([MPIRUN, "--version"], capture_output=True, text=True).stdout
LAUNCH = [MPIRUN, *(["--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"] if IS_OPEN_MPI else [])]
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def contexts(number, *words, only=None, program=PROGRAM):
    """Returns the launcher's command line for `number` processes. only: (rank, more): extra words, or environment
    variables, for one process.
    """
    parts = [(number, words, {})]
    if only:
        rank, more = only
        own = (1, words, more) if isinstance(more, dict) else (1, (*words, *more), {})
        parts = [part for part in ((rank, words, {}), own, (number - rank - 1, words, {})) if part[0]]
    line = []
    for count, arguments, variables in parts:
        line += [":"] if line else []
        line += ["-n", count]
        for name, value in variables.items():
            line += ["-x", f"{name}={value}"] if IS_OPEN_MPI else ["-env", name, value]
        line += [program, *arguments]
    return line


def launch(folder, number, *words, **more):
    """Starts the program as `number` processes."""
    command = [*LAUNCH, *contexts(number, *words, **more)]
    return subprocess.Popen([str(c) for c in command], cwd=folder, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def processes(folder, number, *words, **more):
    """Runs the program as `number` processes; returns status, standard output and standard error."""
    started = launch(folder, number, *words, **more)
    try:
        out, err = started.communicate(timeout=300)
    except subprocess.TimeoutExpired:
        started.terminate()  # the launcher ends the processes
        started.communicate()
        raise
    return started.returncode, out, err


def own_lines(err):
    """Returns the program's lines, without the launcher's."""
    return [line for line in err.splitlines() if line.startswith("chamomile")]


def ranks_of(launcher):
    """Returns the program's processes below the launcher, by rank."""
    parents = {int(line.split()[0]): (int(line.split()[1]), line.split()[2])
               for line in subprocess.run(["ps", "-eo", "pid=,ppid=,comm="], capture_output=True, text=True).stdout.splitlines()}

    def is_below(pid):
        while pid in parents and pid != launcher:
            pid = parents[pid][0]
        return pid == launcher

    found = {}
    for pid, (_, name) in parents.items():
        if name.startswith("chamomile") and is_below(pid):
            try:
                found[int(re.search(rb"(?:OMPI_COMM_WORLD_RANK|PMI_RANK)=(\d+)", pathlib.Path(f"/proc/{pid}/environ").read_bytes())[1])] = pid
            except (OSError, TypeError):  # just ended
                pass
    return [found[rank] for rank in sorted(found)]


def is_alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def left_of(pids, seconds=30):
    """Returns the processes that still exist after `seconds`."""
    ends = time.monotonic() + seconds
    while (left := [pid for pid in pids if is_alive(pid)]) and time.monotonic() < ends:
        time.sleep(0.05)
    return left


def pixels(path):
    """Returns the compressed pixels of a PNG file, without texts."""
    data, at, found = path.read_bytes(), 8, b""
    while at < len(data):
        length = int.from_bytes(data[at:at + 4], "big")
        found += data[at + 8:at + 8 + length] if data[at + 4:at + 8] in (b"IHDR", b"IDAT") else b""
        at += length + 12
    return found


def results(folder, out):
    """Returns output that must not depend on ranks or restarts."""
    snapshots = sorted((folder / out).glob("snapshot_*.hdf5"))
    pictures = {p.name: pixels(p) for p in (folder / out).glob("frame_*.png")}
    tables = [tuple(row.values()) for name in ("energy.csv", "forces.csv") if (folder / out / name).exists() for row in table(folder / out / name)]
    return [as_text(folder, s) for s in snapshots], pictures, tables
