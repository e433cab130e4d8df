"""A host in Python whose particles lie on the processes of mpi4py, for check_mpi.py: the forces of one process, and faults that are raised on all."""
import sys

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
    """All processes must get the same."""
    try:
        call()
        said = "nothing"
    except chamomile.Error as error:
        said = f"{type(error).__name__}: {error}"
    check(said.startswith(f"{kind}: ") and line in said, f"{line}: said {said}")
    check(len(set(comm.allgather(said))) == 1, f"{line}: not the same on all")


words = dict(softening=0.02, device="cpu", comm=comm)
mine = chamomile.acceleration(x[own], m[own], **words)
check((mine == a[own]).all(), "other accelerations than those of one process")
records = np.zeros((len(own), 8), np.float32)  # columns that lie apart
records[:, 1:7:2] = x[own]
out = np.zeros((len(own), 3)), np.zeros(len(own))
both = chamomile.acceleration(records[:, 1:7:2], m[own], potential=True, out=out, **words)
check(both[0] is out[0] and np.abs(out[0] - a[own]).max(initial=0) < 1e-4 * np.abs(a).max() and np.allclose(out[1], phi[own], rtol=1e-4), "records, out")
check((chamomile.potential(x[own], m[own], **words) == phi[own]).all(), "other potentials than those of one process")
check(chamomile.acceleration(x[own], 2.0, **words).shape == (len(own), 3), "one mass for all")

lengths = np.where(np.arange(700) % 3, 0.02, 0.1)
of_lengths = chamomile.acceleration(x, m, softenings=lengths, device="cpu")
mine = chamomile.acceleration(x[own], m[own], softenings=lengths[own], device="cpu", comm=comm)
check((mine == of_lengths[own]).all() and (mine != a[own]).any() == bool(len(own)), "other accelerations by lengths of their own than those of one process")

first = x[own] if rank else np.where(x[own] == x[0], np.nan, x[own])
refused("InputError", "particle 0: position: must be finite", lambda: chamomile.acceleration(first, m[own], **words))
refused("InputError", "positions: shape ", lambda: chamomile.acceleration(x[own][:, :2] if last else x[own], m[own], **words))
refused("InputError", "masses: shape ", lambda: chamomile.acceleration(x[own], m[own][:-1] if rank == 0 else m[own], **words))
refused("InputError", "positions: with comm must be a numpy array", lambda: chamomile.acceleration(x[own].tolist() if last else x[own], m[own], **words))
refused("UsageError", "targets: is not for particles on several processes", lambda: chamomile.acceleration(x[own], m[own], targets=x[:3] if last else None, **words))
refused("InputError", "softenings: shape ", lambda: chamomile.acceleration(x[own], m[own], softenings=np.ones(3) if rank == 0 else 0.1, **words))
refused("UsageError", "several processes: are not for periodic boxes", lambda: chamomile.acceleration(x[own], m[own], box=20.0, **words))
refused("UsageError", "option: softenin: unknown", lambda: chamomile.acceleration(x[own], m[own], softenin=0.1, comm=comm))
if ranks > 1:
    refused("UsageError", f"rank {ranks - 1} of {ranks}: other quantities or options",
            lambda: chamomile.acceleration(x[own], m[own], softenings=0.1 if last else None, comm=comm))
    refused("UsageError", f"rank {ranks - 1} of {ranks}: other quantities or options", lambda: chamomile.acceleration(x[own], m[own], theta=0.4 if last else 0.5, comm=comm))
try:
    chamomile.acceleration(x, m, comm=3)
    check(False, "comm=3 was taken")
except chamomile.UsageError:
    pass
wrong = sum(comm.gather(wrong) or [], [])
if rank == 0:
    print("\n".join(wrong) or "all is right")
sys.exit(bool(wrong))
