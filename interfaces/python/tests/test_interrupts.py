"""Ctrl-C ends every long call, and the next call works."""

import os
import signal
import threading
import time

import numpy as np

import chamomile
from chamomile import pytreegrav

RNG = np.random.default_rng(2)
LIMIT = 0.3  # 0.2, plus a margin for builds without optimization
DIRECT = {"solver": "direct", "precision": "double", "softening": 0.01}


def cloud(n):
    return RNG.normal(size=(n, 3)), np.full(n, 1 / n)


def built(n, **words):
    return chamomile.Solver(**words).build(*cloud(n), velocities=cloud(n)[0])


def one_step(n, **words):
    return chamomile.Simulation(chamomile.plummer(n), end_time=1, step=0.5, **words)


CALLS = {  # preparation, and a call that takes seconds
    "direct sums": (lambda: built(150_000, **DIRECT), lambda solver: solver.evaluate()),
    "direct sums at points": (lambda: built(150_000, **DIRECT), lambda solver: solver.evaluate(cloud(150_000)[0])),
    "direct sums of many sources": (lambda: built(1_500_000, **DIRECT), lambda solver: solver.evaluate(active=np.arange(100_000))),
    "direct sums in float": (lambda: built(400_000, solver="direct"), lambda solver: solver.evaluate()),
    "tree": (lambda: built(400_000, tolerance=1e-6), lambda solver: solver.evaluate(quantities=("acceleration", "potential"))),
    "jerks": (lambda: built(100_000, softening=0.01), lambda solver: solver.evaluate(quantities="jerk")),
    "gradients": (lambda: built(100_000, softening=0.01), lambda solver: solver.vjp(potential=np.ones(100_000))),
    "jerks of many sources": (lambda: built(1_000_000, softening=0.01), lambda solver: solver.evaluate(quantities="jerk")),
    "tidal tensors": (lambda: built(150_000, softening=0.01), lambda solver: solver.evaluate(quantities="tidal_tensor")),
    "neighbours": (lambda: built(60_000), lambda solver: solver.neighbours(cloud(60_000)[0], 1.0, most=0)),
    "build": (lambda: cloud(4_000_000), lambda arrays: chamomile.Solver().build(*arrays)),
    "accuracy=": (lambda: cloud(300_000), lambda arrays: chamomile.Solver(accuracy=1e-5).build(*arrays)),
    "accuracy()": (lambda: cloud(200_000), lambda arrays: chamomile.accuracy(*arrays, sample=20_000)),
    "periodic direct sums": (lambda: cloud(8_000), lambda arrays: chamomile.acceleration(arrays[0] % 1, arrays[1], box=1.0, **DIRECT)),
    "periodic direct sums of many sources": (lambda: cloud(1_000_000), lambda arrays: chamomile.acceleration(arrays[0] % 1, arrays[1], box=1.0, **DIRECT)),
    "pytreegrav": (lambda: cloud(150_000), lambda arrays: pytreegrav.Accel(*arrays, method="bruteforce", parallel=True)),
    "plummer": (lambda: None, lambda _: chamomile.plummer(130_000)),
    "galaxy": (lambda: None, lambda _: chamomile.galaxy(3_000_000)),
    "hernquist": (lambda: None, lambda _: chamomile.hernquist(3_000_000)),
    "step": (lambda: one_step(150_000, solver="direct", precision="double"), lambda simulation: simulation.run()),
    "diagnostics": (lambda: one_step(150_000, solver="direct", precision="double"), lambda simulation: simulation.diagnostics()),
    "Hermite's step": (lambda: one_step(30_000, integrator="hermite", softening=0.01), lambda simulation: simulation.run()),
}


def interrupted(call, after):
    """Returns the seconds from the signal to the exception, or None if the call ended before.

    They are those of the processor, by thread, so that other programs on the machine do not matter.
    """
    sent = []

    def send():
        sent.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(after, send)
    timer.start()
    try:
        call()
        timer.cancel()
        timer.join()
        time.sleep(0.01)  # handles a signal that came at the end
    except KeyboardInterrupt:
        return (time.process_time() - sent[0]) / chamomile.thread_count()
    return None


def test_every_long_call():
    slow = {}
    for name, (make, call) in CALLS.items():
        made = make()
        seconds = interrupted(lambda: call(made), 0.3)
        print(f"{name}: {'ended before' if seconds is None else f'{seconds:.2f} s'}", flush=True)
        if seconds is not None and seconds > LIMIT:
            slow[name] = seconds
    assert not slow, slow


def test_the_next_call_works():
    solver = built(150_000, **DIRECT)
    assert interrupted(solver.evaluate, 0.2) is not None
    some = np.arange(5)
    again = solver.evaluate(active=some).acceleration
    x, m = cloud(1000)
    assert np.array_equal(chamomile.Solver(**DIRECT).build(x, m).evaluate().acceleration, solver.build(x, m).evaluate().acceleration)
    assert again.shape == (5, 3) and np.isfinite(again).all()


def test_a_step_is_made_or_not():
    simulation = one_step(50_000, solver="direct", precision="double", softening=0.01)
    before = simulation.snapshot.positions.copy(), simulation.snapshot.velocities.copy()
    assert interrupted(simulation.run, 0.5) is not None
    assert simulation.step == 0 and simulation.time == 0
    assert np.array_equal(simulation.snapshot.positions, before[0]) and np.array_equal(simulation.snapshot.velocities, before[1])


def test_a_handler_that_raises_nothing():
    seen = []
    kept = signal.signal(signal.SIGUSR1, lambda *_: seen.append(time.perf_counter()))
    x, m = cloud(20_000)
    timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGUSR1))
    timer.start()
    a = chamomile.acceleration(x, m, **DIRECT)
    timer.join()
    signal.signal(signal.SIGUSR1, kept)
    assert seen and np.array_equal(a, chamomile.acceleration(x, m, **DIRECT))
