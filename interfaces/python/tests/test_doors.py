"""The same particles through Python and C give bitwise equal results (docs/howto/embedding.md)."""

import ctypes
import os
import subprocess
import sys
import time
import unittest

import numpy as np

import chamomile

N = 100000


def particles():
    """Returns particles from exact random numbers: 16807 s mod 2147483647 (Park & Miller 1988)."""
    s, u = 1, np.empty(4 * N)
    for k in range(4 * N):
        s = 16807 * s % 2147483647
        u[k] = s / 2147483647
    u = u.reshape(N, 4)
    w = 2 * u[:, :3] - 1
    return np.ascontiguousarray(w * w * w), (0.5 + u[:, 3]) / N


def fnv1a(data):
    value = 14695981039346656037
    for byte in data:
        value = (value ^ byte) * 1099511628211 % 2**64
    return value


def c_field(x, m):
    """Returns a function that computes accelerations through libchamomile_c.so, with its context."""
    path = os.environ.get("CHAMOMILE_LIBRARY")
    if not path:
        raise unittest.SkipTest("CHAMOMILE_LIBRARY does not say where libchamomile_c.so is")
    c, context = ctypes.CDLL(path), ctypes.c_void_p()
    c.chm_last_error.restype = ctypes.c_char_p
    c.chm_last_error.argtypes = c.chm_destroy.argtypes = [ctypes.c_void_p]
    pointer = lambda a: ctypes.c_void_p(a.ctypes.data)

    def solve(a):
        status = c.chm_solve(context, ctypes.c_int64(len(m)), pointer(m), pointer(x), pointer(a), None)
        assert status == 0, c.chm_last_error(context)
        return a

    assert c.chm_create(ctypes.byref(context)) == 0
    assert c.chm_set_option(context, b"softening", b"0.01") == 0
    return solve, lambda: c.chm_destroy(context)


def test_the_same_bits_as_from_c():
    x, m = particles()
    solve, done = c_field(x, m)
    ours = chamomile.acceleration(x, m, softening=0.01)
    assert np.array_equal(ours, solve(np.empty_like(x)))
    print(f"accelerations {fnv1a(np.ascontiguousarray(ours).tobytes()):016x}")
    done()


def test_the_library_is_unloaded_and_loaded_again():
    """OpenMP threads outlive dlclose()."""
    path = os.environ.get("CHAMOMILE_LIBRARY")
    if not path:
        raise unittest.SkipTest("CHAMOMILE_LIBRARY does not say where libchamomile_c.so is")
    script = """
import _ctypes, ctypes, sys, time
for again in range(3):
    c, context, n = ctypes.CDLL(sys.argv[1]), ctypes.c_void_p(), 2000
    x, m, a = (ctypes.c_double * (3 * n))(*range(3 * n)), (ctypes.c_double * n)(*[1] * n), (ctypes.c_double * (3 * n))()
    assert c.chm_create(ctypes.byref(context)) == 0
    assert c.chm_solve(context, ctypes.c_int64(n), m, x, a, None) == 0
    c.chm_destroy.argtypes = [ctypes.c_void_p]
    c.chm_destroy(context)
    _ctypes.dlclose(c._handle)
    time.sleep(0.1)
print("still here")
"""
    done = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "2"})
    assert done.returncode == 0 and done.stdout == "still here\n", (done.returncode, done.stderr)


def test_a_call_costs_what_it_costs_from_c():
    """Build and full sums, alternating. The machine may be busy, so the limit is loose."""
    x, m = particles()
    solve, done = c_field(x, m)
    solver, a, ratios = chamomile.Solver(softening=0.01), np.empty_like(x), []
    solver.build(x, m).evaluate()
    for _ in range(9):
        times = [time.perf_counter()]
        solve(a)
        times.append(time.perf_counter())
        solver.build(x, m).evaluate()
        times.append(time.perf_counter())
        ratios.append((times[2] - times[1]) / (times[1] - times[0]))
    done()
    print(f"Python / C: {np.median(ratios):.3f}")
    assert np.median(ratios) < 1.5
