"""A Python host with particles distributed over mpi4py processes, for check_python.py: forces equal one process, and
faults are raised on all processes.
"""
import sys
import time

import chamomile
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, ranks = comm.rank, comm.size
last = rank == ranks - 1
wrong = []

random = np.random.default_rng(1)
x, m = random.normal(size=(700, 3)), random.uniform(0.5, 1.5, 700)
own = np.flatnonzero(np.arange(700) % max(1, ranks - 1) == rank)  # the last of several has none
a, phi = chamomile.acceleration(x, m, potential=True, softening=0.02, device="cpu")


def check(condition, what):
    if not condition:
        wrong.append(f"rank {rank}: {what}")


def refused(kind, line, call):
    """All processes must get the same error."""
    try:
        call()
        said = "nothing"
    except (chamomile.Error, TypeError) as error:
        said = f"{type(error).__name__}: {error}"
    check(said.startswith(f"{kind}: ") and line in said, f"{line}: said {said}")
    check(len(set(comm.allgather(said))) == 1, f"{line}: the error differs between processes")


words = dict(softening=0.02, device="cpu", comm=comm)
mine = chamomile.acceleration(x[own], m[own], **words)
check((mine == a[own]).all(), "accelerations differ from one process")
records = np.zeros((len(own), 8), np.float32)  # columns in separate arrays
records[:, 1:7:2] = x[own]
out = np.zeros((len(own), 3)), np.zeros(len(own))
both = chamomile.acceleration(records[:, 1:7:2], m[own], potential=True, out=out, **words)
check(both[0] is out[0] and np.abs(out[0] - a[own]).max(initial=0) < 1e-4 * np.abs(a).max() and np.allclose(out[1], phi[own], rtol=1e-4), "records, out")
check((chamomile.potential(x[own], m[own], **words) == phi[own]).all(), "potentials differ from one process")
check(chamomile.acceleration(x[own], 2.0, **words).shape == (len(own), 3), "a single mass for all particles gives wrong results")

lengths = np.where(np.arange(700) % 3, 0.02, 0.1)
of_lengths = chamomile.acceleration(x, m, softenings=lengths, device="cpu")
mine = chamomile.acceleration(x[own], m[own], softenings=lengths[own], device="cpu", comm=comm)
check((mine == of_lengths[own]).all() and (mine != a[own]).any() == bool(len(own)), "accelerations with per-particle softening differ from one process")

first = x[own] if rank else np.where(x[own] == x[0], np.nan, x[own])
refused("InputError", "particle 0: position: must be finite", lambda: chamomile.acceleration(first, m[own], **words))
refused("InputError", "positions: shape ", lambda: chamomile.acceleration(x[own][:, :2] if last else x[own], m[own], **words))
refused("InputError", "masses: shape ", lambda: chamomile.acceleration(x[own], m[own][:-1] if rank == 0 else m[own], **words))
refused("TypeError", "positions: ", lambda: chamomile.acceleration(x[own].tolist() if last else x[own], m[own], **words))
refused("UsageError", "box: ", lambda: chamomile.acceleration(x[own], m[own], box=-1.0 if last else None, **words))
refused("InputError", "softenings: shape ", lambda: chamomile.acceleration(x[own], m[own], softenings=np.ones(3) if rank == 0 else 0.1, **words))
refused("UsageError", "softenin: unknown option", lambda: chamomile.acceleration(x[own], m[own], softenin=0.1, comm=comm))
if ranks > 1:
    refused("UsageError", f"rank {ranks - 1} of {ranks}: build(): arguments or options: must be equal on all ranks",
            lambda: chamomile.acceleration(x[own], m[own], softenings=0.1 if last else None, comm=comm))
    other_options = f"rank {ranks - 1} of {ranks}: Solver(): arguments or options: must be equal on all ranks"
    for mine, others in ((None, 1e-3), (1e-3, None), (2e-3, 1e-3)):
        refused("UsageError", other_options, lambda: chamomile.Solver(accuracy=mine if last else others, comm=comm))
    refused("UsageError", other_options, lambda: chamomile.acceleration(x[own], m[own], theta=0.4 if last else 0.5, comm=comm))

# A solver with a kept tree, evaluated at all sources, some sources and targets, while the sources move.
points = np.concatenate([random.normal(size=(90, 3)), 1e7 * np.ones((1, 3)), x[:9]])
here = np.flatnonzero(np.arange(100) % ranks == ranks - 1 - rank)
some = np.arange(0, len(own), 3)
moved = x + 1e-3 * random.normal(size=x.shape)


def forces(deal, **options):
    """Returns a solver's results, distributed or from one process with all particles, in process order."""
    order = np.concatenate([np.flatnonzero(np.arange(700) % max(1, ranks - 1) == r) for r in range(ranks)]) if not deal else own
    targets = points[np.concatenate([np.flatnonzero(np.arange(100) % ranks == ranks - 1 - r) for r in range(ranks)])] if not deal else points[here]
    counts = [len(np.flatnonzero(np.arange(700) % max(1, ranks - 1) == r)) for r in range(ranks)]
    active = np.concatenate([sum(counts[:r]) + np.arange(0, counts[r], 3) for r in range(ranks)]).astype(int) if not deal else some
    solver = chamomile.Solver(softening=0.02, device="cpu", **options, **({"comm": comm} if deal else {}))
    both, given = ("acceleration", "potential"), []
    shift = options.get("box", 0) / 2  # no source crosses a face: an image has other bits
    for first, places in ((True, x), (False, moved), (True, moved)):
        (solver.build if first else solver.refit)(places[order] + shift, m[order])
        if options.get("solver") != "direct":
            given += solver.evaluate(targets + shift, quantities=both)[:2]
        given += solver.evaluate(quantities=both)[:2]
        given += solver.evaluate(active=active, quantities=both)[:2]
        given += solver.evaluate(quantities="potential")[1:2]
    check(solver.size == len(order), "wrong number of particles of the solver")
    return given


GOAL = dict(accuracy=2e-3, criterion="moments", order=2, local_order=6, group_size=64, leaf_size=16)
for options in ({}, {"solver": "direct"}, {"precision": "double", "decorrelate": 5}, {"kernel": "spline"}, {"box": 20.0}, GOAL):
    mine = [np.concatenate(comm.allgather(part)) for part in forces(True, **options)]
    check(all((a == b).all() for a, b in zip(mine, forces(False, **options))), f"forces of a solver differ from one process: {options}")

# Accuracy goals that may select another solver or precision.
for goal in (1e-3, 1e-6):
    solver = chamomile.Solver(softening=0.02, device="cpu", accuracy=goal, decorrelate=3, comm=comm).build(x[own], m[own])
    chosen = solver.options
    check(len(set(comm.allgather(repr(chosen)))) == 1, f"accuracy {goal}: options differ between processes")
    check(goal > 1e-6 or chosen["precision"] == "double", f"accuracy {goal}: chosen {chosen}")
    mine = solver.evaluate().acceleration
    order = np.concatenate([np.flatnonzero(np.arange(700) % max(1, ranks - 1) == r) for r in range(ranks)])
    names = ["solver", "precision", "softening", "device"]
    if chosen["solver"] == "tree":
        names += ["decorrelate", "criterion", "tolerance" if chosen["criterion"] in ("moments", "relative") else "theta", "order", "local_order", "group_size", "leaf_size"]
    of_all = chamomile.acceleration(x[order], m[order], **{name: chosen[name] for name in names})
    check((np.concatenate(comm.allgather(mine)) == of_all).all(), f"accuracy {goal}: bits differ from one process")
    exact = chamomile.acceleration(x, m, softening=0.02, device="cpu", solver="direct", precision="double")[own]
    errors = np.concatenate(comm.allgather(np.linalg.norm(mine - exact, axis=1) / np.linalg.norm(exact, axis=1)))
    check(np.percentile(errors, 99) < 1.5 * goal, f"accuracy {goal}: has {np.percentile(errors, 99)}")
    if chosen["solver"] == "direct" and ranks > 1:
        refused("UsageError", "targets: accuracy chose direct sums", lambda: solver.evaluate(x[:3] + 1))

solver = chamomile.Solver(softening=0.02, device="cpu", comm=comm)
refused("StateError", "evaluate: no sources: call build() first", lambda: solver.evaluate())
solver.build(x[own], m[own])
refused("UsageError", "quantities: mass: must be one of", lambda: solver.evaluate(quantities="mass" if last else "acceleration"))
refused("UsageError", "self_index: needs a single process", lambda: solver.evaluate(points, self_index=np.full(100, -1) if last else None))
refused("UsageError", "tidal_tensor: needs a single process", lambda: solver.evaluate(quantities="tidal_tensor"))
refused("InputError", "active: 700: must be the index of a source", lambda: solver.evaluate(active=np.array([700] if last else [], int)))
refused("UsageError", "accuracy: 2", lambda: chamomile.Solver(accuracy=2.0, comm=comm))
refused("UsageError", "accuracy: 2", lambda: chamomile.Solver(accuracy=2.0 if rank == 0 else 1e-3, comm=comm))
for call in (chamomile.tidal_tensor, lambda *words, **more: chamomile.jerk(words[0], *words, **more)):
    refused("UsageError", "comm: tidal tensors and jerks need a single process", lambda: call(x[own], m[own], comm=comm))
refused("UsageError", "share_gpu: needs device gpu", lambda: chamomile.Solver(share_gpu=True, comm=comm))
refused("UsageError", "peer_timeout: -1: must be a number > 0", lambda: chamomile.Solver(peer_timeout=-1.0, comm=comm))
refused("InputError", "target 0: position: must be finite", lambda: solver.evaluate(np.full((1, 3), np.nan)))
refused("UsageError", "neighbours: ", lambda: solver.neighbours(points, 0.1))
if ranks > 1:
    refused("UsageError", "evaluate(): must be the call of rank 0, build()", lambda: solver.evaluate() if rank == 1 else solver.build(x[own], m[own]))
    refused("UsageError", f"rank {ranks - 1} of {ranks}: evaluate(): arguments or options", lambda: solver.evaluate(points if last else None))
    solver.build(x[own], m[own])
check((solver.evaluate().acceleration == a[own]).all(), "accelerations differ after a refused call")

# A process fails alone within a call: all are notified, and the communicator cannot be used again.
another = comm.Dup()
beside, solver = (chamomile.Solver(softening=0.02, device="cpu", comm=another).build(x[own], m[own]) for _ in range(2))
if last:
    def fail(*_):
        raise MemoryError("no room")

    chamomile._processes._carrier(another).carry = fail
refused("DeviceError", f"rank {ranks - 1} of {ranks}: MemoryError: no room", lambda: solver.evaluate())
for call in (lambda: chamomile.Solver(comm=another), beside.evaluate, solver.evaluate):
    refused("DeviceError", "comm: a process failed in an earlier call", call)
# A silent process.
another = comm.Dup()
solver = chamomile.Solver(softening=0.02, device="cpu", peer_timeout=0.5, comm=another).build(x[own], m[own])
if last and ranks > 1:
    carry = chamomile._processes._carrier(another).carry
    chamomile._processes._carrier(another).carry = lambda *words: time.sleep(3) or carry(*words)
if ranks > 1:
    try:
        solver.evaluate()
        said = "nothing"
    except chamomile.DeviceError as error:
        said = str(error)
    check("silent for 0.5 seconds: must answer (peer_timeout)" in said, f"a silent process: {said}")
try:
    chamomile.acceleration(x, m, comm=3)
    check(False, "comm=3 was accepted")
except chamomile.UsageError:
    pass
wrong = sum(comm.gather(wrong) or [], [])
if rank == 0:
    print("\n".join(wrong) or "all is right")
sys.exit(bool(wrong))
