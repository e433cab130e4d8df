"""The field of 100000 particles from Python: at the particles, at a distant point, and its errors.

The particles and the last number printed are the same in all languages of docs/howto/embedding.md.
"""

import sys

import numpy as np

import chamomile


def particles(n):
    """Returns positions (n, 3) and masses (n,) from the random numbers of Park & Miller (1988)."""
    state, u = 1, np.empty((n, 4))
    for i in range(n):
        for k in range(4):
            state = 16807 * state % 2147483647
            u[i, k] = state / 2147483647
    w = 2 * u[:, :3] - 1
    return w * w * w, (0.5 + u[:, 3]) / n


def fnv1a(array):
    value = 14695981039346656037
    for byte in array.tobytes():
        value = ((value ^ byte) * 1099511628211) & 0xFFFFFFFFFFFFFFFF
    return value


x, m = particles(100000)
solver = chamomile.Solver(softening=0.01).build(x, m)  # once, for all evaluations below
print(solver)
a = solver.evaluate(quantities=("acceleration", "potential")).acceleration

there = solver.evaluate(np.array([[100.0, 0, 0]])).acceleration
ratio = there[0, 0] * 1e4 / m.sum()
print(f"at 100: a r^2 / M = {ratio:.6f}")

# The first 1000 are recomputed with direct sums in double.
some = np.arange(1000)
exact = chamomile.acceleration(x, m, active=some, softening=0.01, solver="direct", precision="double")
errors = np.linalg.norm(a[some] - exact, axis=1) / np.linalg.norm(exact, axis=1)
median, most = np.percentile(errors, [50, 99])
print(f"errors of 1000: median {median:.1e}, 99 % {most:.1e}")
print(f"accelerations {fnv1a(a):016x}")
sys.exit(0 if most < 1e-3 and abs(ratio + 1) < 1e-3 else 1)
