#!/usr/bin/env python3
"""Measures the cost of Python calls, and pytreegrav against chamomile: docs/scripts/python_cost.py [N [N of
pytreegrav]]

A call from Python contains one C++ call, timed by Statistics.seconds; the rest is Python's cost. Medians of 9.
"""
import statistics
import sys
import time

import numpy as np

import chamomile


def timed(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def door(n):
    sphere = chamomile.plummer(n)
    x, m = sphere.positions, sphere.masses
    solver, out = chamomile.Solver(softening=0.001), np.zeros((n, 3))
    calls = {
        "build()": lambda: solver.build(x, m),
        "evaluate(out=...)": lambda: solver.evaluate(out={"acceleration": out}),
        "evaluate()": lambda: solver.evaluate(),
        "evaluate(points, out=...)": lambda: solver.evaluate(x, out={"acceleration": out}),
    }
    for name, call in calls.items():
        whole, within = [], []
        call()
        for _ in range(9):
            whole.append(timed(call))
            within.append(solver.statistics.seconds)
        extra = statistics.median(a - b for a, b in zip(whole, within))
        print(f"{name}: {statistics.median(whole) * 1e3:.1f} ms, {extra * 1e6:.0f} us of it outside C++, {100 * extra / statistics.median(whole):.3f} %")


def beside_pytreegrav(n):
    import pytreegrav
    from chamomile import pytreegrav as ours

    sphere = chamomile.plummer(n)
    x, m, h = sphere.positions, sphere.masses, np.full(n, 0.01)
    some = np.arange(0, n, n // 1000)
    exact = chamomile.acceleration(x, m, active=some, softening=0.01 / 2.8, kernel="spline", solver="direct", precision="double")

    def errors(a):
        return np.percentile(np.linalg.norm(a[some] - exact, axis=1) / np.linalg.norm(exact, axis=1), [50, 99])

    cases = [("theta 0.7", {}), ("theta 0.7, quadrupole", {"quadrupole": True}), ("theta 0.5, quadrupole", {"quadrupole": True, "theta": 0.5})]
    for name, words in cases:
        words = {"softening": h, "method": "tree", "parallel": True, **words}
        doors = {"pytreegrav": pytreegrav, "chamomile": ours}
        found = {door: errors(library.Accel(x, m, **words)) for door, library in doors.items()}
        seconds = {door: [] for door in doors}
        for _ in range(5):  # alternately, so other load affects both
            for door, library in doors.items():
                seconds[door].append(timed(lambda: library.Accel(x, m, **words)))
        for door in doors:
            print(f"{name}: {door}: {statistics.median(seconds[door]) * 1e3:.0f} ms, median error {found[door][0]:.1e}, 99 % {found[door][1]:.1e}")
        print(f"{name}: {statistics.median(a / b for a, b in zip(*seconds.values())):.1f} times as fast")
    usual = [timed(lambda: chamomile.acceleration(x, m, softening=0.01 / 2.8, kernel="spline")) for _ in range(9)]
    print(f"chamomile.acceleration() as it is: {statistics.median(usual) * 1e3:.0f} ms, median error "
          "{:.1e}, 99 % {:.1e}".format(*errors(chamomile.acceleration(x, m, softening=0.01 / 2.8, kernel="spline"))))


numbers = [int(float(word)) for word in sys.argv[1:]] + [1_000_000, 100_000][len(sys.argv) - 1 :]
door(numbers[0])
if numbers[1]:
    beside_pytreegrav(numbers[1])
