#!/usr/bin/env python3
"""The same system with REBOUND's gravity and with chamomile's, from Python: from_python.py

chamomile_rebound.py has to be on PYTHONPATH, and libchamomile_c.so where CHAMOMILE_LIBRARY or the loader says."""
import ctypes
import math
import random
import sys

import rebound

import chamomile_rebound


def cloud(n=300):
    rng = random.Random(1)
    sim = rebound.Simulation()
    sim.G, sim.softening, sim.integrator, sim.dt = 1.7, 0.02, "leapfrog", 1e-3
    for i in range(n):
        x, y, z = (rng.uniform(-1, 1) for _ in range(3))
        sim.add(m=rng.uniform(0.5, 1.5) / n, x=x, y=y, z=z, vx=rng.random())
    return sim


def accelerations(sim):
    rebound.clibrebound.reb_simulation_update_acceleration(ctypes.byref(sim))
    return [(p.ax, p.ay, p.az) for p in sim.particles]


calls = 0


def count(pointer):
    global calls
    calls += 1


def refused(call):
    try:
        call()
    except (ValueError, RuntimeError) as error:
        print(error)
        return True
    return False


right = []
known = []
for active, kind in ((None, 0), (300, 0), (40, 0), (40, 1), (1, 1), (0, 0)):
    sim = cloud()
    if active is not None:
        sim.N_active = active
    sim.testparticle_type = kind
    sim.additional_forces = count  # is still called
    own = accelerations(sim)
    gravity = chamomile_rebound.attach(sim, solver="direct", precision="double")
    calls = 0
    ours = accelerations(sim)
    right.append(calls == 1)
    worst = max(math.dist(a, b) / (math.hypot(*b) or 1) for a, b in zip(ours, own))
    print(f"N_active {active}, testparticle_type {kind}: {worst:.0e}")
    right.append(worst < 1e-12)
    gravity.detach()
    right.append(accelerations(sim) == own)
    known.append(own)
right.append(known[2][:40] != known[3][:40])  # the two types differ

own, ours = cloud(), cloud()
gravity = chamomile_rebound.attach(ours, solver="direct", precision="double")
own.integrate(0.1)
ours.integrate(0.1)
apart = max(abs(a.x - b.x) for a, b in zip(own.particles, ours.particles))
print(f"at t = {ours.t:.3g} after {gravity.calls} evaluations on {gravity.device}: {apart:.0e} apart")
right.append(apart < 1e-12 and gravity.calls >= 100)

ours.N_ghost_x = 1
right.append(refused(lambda: ours.integrate(0.2)))
right.append(refused(lambda: chamomile_rebound.attach(cloud(), tolerance=7)))
sys.exit(0 if all(right) else 1)
