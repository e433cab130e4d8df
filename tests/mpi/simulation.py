"""A Python host with a simulation distributed over mpi4py processes, for check_python.py: bits and files equal one
process, and faults are raised on all processes.

Argument: a folder, created by the first process.
"""
import os
import pathlib
import signal
import sys

import chamomile
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, ranks = comm.rank, comm.size
last = rank == ranks - 1
folder = pathlib.Path(sys.argv[1])
wrong = []
N = 600
counts = [N * (r + 1) // max(1, ranks - 1) - N * r // max(1, ranks - 1) for r in range(max(1, ranks - 1))] + [0] * (ranks > 1)  # the last process has none
first = sum(counts[:rank])
whole = chamomile.plummer(N, seed=3)


def check(condition, what):
    if not condition:
        wrong.append(f"rank {rank}: {what}")


def part(begin, count, lengths=None):
    """Returns a snapshot with these particles."""
    own = slice(begin, begin + count)
    made = chamomile.make_snapshot(whole.positions[own], whole.masses[own], whole.velocities[own], G=whole.G)
    if lengths is not None:
        made.softenings = lengths[begin : begin + count]
    return made


def refused(kind, line, call):
    """All processes must get the same error."""
    try:
        call()
        said = "nothing"
    except BaseException as error:
        said = f"{type(error).__name__}: {error}"
    check(said.startswith(f"{kind}: ") and line in said, f"{line}: said {said}")
    return said


def refused_by_all(kind, line, call):
    said = refused(kind, line, call)
    check(len(set(comm.allgather(said))) == 1, f"{line}: the error differs between processes")


def told(deal, name=None, lengths=None, potentials=None, at=0.125, **options):
    """Returns observer data and output files of a run, from this process's particles or from one process with all."""
    words = {"comm": comm} if deal else {}
    snapshot = part(first, counts[rank], lengths) if deal else part(0, N, lengths)
    own = slice(None) if deal else slice(first, first + counts[rank])
    found = []

    def look(now):
        s = now.snapshot
        found.extend(np.copy(a[own]) for a in (s.positions, s.velocities, s.accelerations, s.potentials))
        found.append(np.array([now.time, now.step, now.step_length, s.time, now.diagnostics().energy]))

    simulation = chamomile.Simulation(snapshot, device="cpu", end_time=0.25, potentials=potentials, **words, **{"softening": 0.05, **options})
    simulation.at_intervals(at, look, potentials=True)
    simulation.every_steps(3, look, potentials=True)
    simulation.run(*[folder / f"{name}_{'several' if deal else 'one'}"] * bool(name), **({"snapshot_every": 0.125} if name else {}))
    found += [np.copy(a[own]) for a in (snapshot.positions, snapshot.velocities, snapshot.ids)]
    found.append(np.array([snapshot.time, simulation.time, simulation.step, simulation.end_time, simulation.diagnostics().kinetic]))
    check("CPU" in simulation.device, "device")
    return found, simulation.options


def pull(positions, time):
    return -0.1 * positions


several = np.where(np.arange(N) % 3, 0.05, 0.2)
CASES = {
    "shared": dict(step=1 / 32),
    "adaptive": dict(eta=0.1),
    "individual": dict(eta=0.1, block_steps=True),
    "direct": dict(step=1 / 32, solver="direct"),
    "lengths": dict(step=1 / 32, lengths=several, softening=None),
    "box": dict(step=1 / 32, box=20.0),
    "halo": dict(step=1 / 32, potentials=["nfw,M=1,rs=2,c=10"]),
    "pull": dict(step=1 / 32, potentials=[pull]),
}
comm.barrier()
for name, words in CASES.items():
    mine, options = told(True, name, **words)
    one, options_of_one = told(False, **words)  # each process has all particles
    check(options == options_of_one, f"{name}: options differ from one process: {options}")
    check(len(mine) == len(one), f"{name}: {len(mine)} arrays, not {len(one)}")
    for k, (a, b) in enumerate(zip(mine, one)):
        check(a.shape == b.shape and (a == b).all(), f"{name}: array {k} differs from one process")
    if rank == 0:
        told(False, name, **words)
        for path in sorted((folder / f"{name}_one").glob("*")):
            other = folder / f"{name}_several" / path.name
            if path.suffix == ".hdf5":
                a, b = chamomile.read_snapshot(path), chamomile.read_snapshot(other)
                check(all((getattr(a, what) == getattr(b, what)).all() for what in ("positions", "velocities", "ids", "potentials", "types")), f"{name}: {path.name}: particles differ")
            elif path.name == "energy.csv":
                check(path.read_bytes() == other.read_bytes(), f"{name}: {path.name}: bytes differ")
    comm.barrier()

simulation = chamomile.Simulation(part(first, counts[rank]), softening=0.05, step=1 / 32, end_time=0.25, device="cpu", comm=comm)
simulation.every_steps(3, lambda now: now.stop() if last and now.step == 3 else None)
simulation.run()
check(simulation.step == 3, f"the last process stopped it at step {simulation.step}")

# A stopped run continues on all processes.
for number in range(2):
    snapshot = part(first, counts[rank])
    if number == 1:  # particles come from the checkpoint
        snapshot.masses[:] *= 2
    simulation = chamomile.Simulation(snapshot, softening=0.05, step=1 / 32, end_time=0.25, device="cpu", comm=comm)
    simulation.every_steps(3, lambda now: os.kill(os.getpid(), signal.SIGUSR1) if rank == 0 and now.step == 3 else None)
    simulation.run(folder / "stopped", snapshot_every=0.125, restart=number == 1)
    check(simulation.step == (3, 8)[number], f"stopped at step {simulation.step}")
one = chamomile.Simulation(part(0, N), softening=0.05, step=1 / 32, end_time=0.25, device="cpu")
one.run()
check((one.snapshot.positions[first : first + counts[rank]] == snapshot.positions).all(), "a restarted run has different bits")
check((snapshot.masses == whole.masses[first : first + counts[rank]]).all(), "a restarted run has different masses than its checkpoint")

words = dict(softening=0.05, step=1 / 32, end_time=0.25, device="cpu", comm=comm)
own = lambda: part(first, counts[rank])
refused_by_all("UsageError", "ranks, several processes or several GPUs: need integrator leapfrog", lambda: chamomile.Simulation(own(), **{**words, "integrator": "hermite"}))
refused_by_all("UsageError", "ranks, several processes or several GPUs: contradict resident", lambda: chamomile.Simulation(own(), **{**words, "resident": True, "device": "gpu"}))
refused_by_all("UsageError", "stepp: unknown option", lambda: chamomile.Simulation(own(), stepp=1, **words))
refused_by_all("UsageError", "snapshot_every: needs a folder", lambda: chamomile.Simulation(own(), **words).run(snapshot_every=1))
simulation = chamomile.Simulation(own(), **words)
refused_by_all("OutputError", "holds the results of a run", lambda: simulation.run(folder / "stopped"))
before = simulation.diagnostics().kinetic
simulation.snapshot.velocities[:] *= 2  # a refused run has not begun
check(np.isclose(simulation.diagnostics().kinetic, 4 * before), "velocities set after a refused run are ignored")
refused_by_all("TypeError", "", lambda: simulation.at_times(3 if last else [0.1], print))
refused_by_all("TypeError", "", lambda: simulation.run(3.5 if last else folder / "never"))


class Strange(Exception):
    def __str__(self):
        return "no \udcff text"


class Several(Exception):
    def __init__(self, a, b):
        super().__init__(a, b)


def strange(now, kinds=(Strange, lambda: UnicodeDecodeError("utf-8", b"1", 0, 1, "why"), lambda: Several(1, 2))):
    if last:
        raise kinds[number]()


for number, line in enumerate(("Strange: no ? text", "UnicodeDecodeError: 'utf-8' codec", "Several: (1, 2)")):
    simulation = chamomile.Simulation(own(), **words)
    simulation.every_steps(2, strange)
    try:
        simulation.run()
        said = "nothing"
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
    check(last or said == f"Error: {line}" or said.startswith(f"Error: {line}"), f"{line}: said {said}")
if ranks > 1:
    refused_by_all("UsageError", f"rank {ranks - 1} of {ranks}: Simulation(): arguments or options", lambda: chamomile.Simulation(own(), **{**words, "step": 1 / 64 if last else 1 / 32}))

    def disagree(now):
        if rank == 0:
            now.diagnostics()

    simulation = chamomile.Simulation(own(), **words)
    simulation.every_steps(2, disagree)
    refused("UsageError", "the end of an observer: must be the call of rank 0, diagnostics()", simulation.run)

    def fail(kind):
        def observer(now):
            if last and now.step == 4:
                raise kind("nothing there")

        return observer

    # Ctrl-C on the first process during a message.
    carrier = chamomile._processes._carrier(comm)
    simulation = chamomile.Simulation(own(), **words)

    def interrupt(now, carry=carrier.carry):
        def interrupted(*words):
            carrier.carry = carry
            signal.raise_signal(signal.SIGINT)
            return carry(*words)

        if rank == 0 and now.step == 4:
            carrier.carry = interrupted

    simulation.every_steps(4, interrupt)
    refused_by_all("KeyboardInterrupt", "", lambda: simulation.run(folder / "interrupted"))
    check(simulation.step == 5, f"the interrupted run is at step {simulation.step}")
    check(rank > 0 or any("checkpoint" in p.name for p in (folder / "interrupted").iterdir()), "no checkpoint of the interrupted run")
    check(signal.getsignal(signal.SIGINT) is signal.default_int_handler, "the handler of Ctrl-C is not restored")

    for kind in (KeyboardInterrupt, LookupError):
        simulation = chamomile.Simulation(own(), **words)
        simulation.every_steps(2, fail(kind))
        refused_by_all(kind.__name__, "nothing there", lambda: simulation.run(folder / "failed", overwrite=True))
    check(simulation.step == 4, f"the failed run is at step {simulation.step}")
    check(rank > 0 or (folder / "failed/checkpoint").exists() or any("checkpoint" in p.name for p in (folder / "failed").iterdir()), "no checkpoint of the failed run")
bad = own()
if rank == 0:
    bad.positions[5] = np.nan
refused_by_all("NumericError", "particle id 6: position: not finite", lambda: chamomile.Simulation(bad, **words).run())

wrong = sum(comm.gather(wrong) or [], [])
if rank == 0:
    print("\n".join(wrong) or "all is right")
sys.exit(bool(wrong))
