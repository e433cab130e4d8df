#!/usr/bin/env python3
"""The same system with REBOUND's gravity and with chamomile's, from Python: from_python.py

chamomile_rebound.py must be on PYTHONPATH, and CHAMOMILE_LIBRARY or the loader must find libchamomile_c.so."""
import ctypes
import math
import os
import random
import sys
import tempfile
import warnings

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

# Integrators with built-in gravity are refused, before and after attach().
for name in ("mercurius", "trace", "eos"):
    sim = cloud(10)
    sim.integrator = name
    right.append(refused(lambda: chamomile_rebound.attach(sim)))
    sim = cloud(10)
    chamomile_rebound.attach(sim)
    sim.integrator = name
    right.append(refused(lambda: sim.integrate(1e-3)))


def loaded(sim):
    path = os.path.join(tempfile.mkdtemp(), "saved.bin")
    sim.save_to_file(path)
    return rebound.Simulation(path)


# A copy without chamomile's gravity is refused, and continues after attaching either gravity.
warnings.simplefilter("ignore")  # REBOUND warns that functions are neither copied nor saved
for another in (rebound.Simulation.copy, loaded):
    sim = cloud(10)
    gravity = chamomile_rebound.attach(sim, solver="direct", precision="double")
    sim.steps(2)
    if another != loaded or rebound.__version__ >= "5":
        right.append(refused(lambda: another(sim).steps(1)))
    ours, own = another(sim), another(sim)
    again = chamomile_rebound.attach(ours, solver="direct", precision="double")
    own.gravity = "basic"
    for each in (sim, ours, own):
        each.steps(2)
    places = [[(p.x, p.y, p.z) for p in each.particles] for each in (sim, ours, own)]
    right.append(places[0] == places[1] and again.calls > 0)
    right.append(max(math.dist(a, b) for a, b in zip(places[0], places[2])) < 1e-12)
    again.detach()
    if rebound.__version__ >= "5":
        right.append(ours.gravity == "basic")
        ours.steps(1)
    chamomile_rebound.attach(sim)  # replaces the first
    sim.steps(1)
    chamomile_rebound.attach(sim).detach()
    right.append(sim.gravity == "basic")
    sim.steps(1)
sys.exit(0 if all(right) else 1)
