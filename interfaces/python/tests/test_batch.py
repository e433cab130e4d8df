"""Batches of small systems: stacked and ragged arrays, steps, and refusals that name the argument."""

import time
import unittest

import numpy as np

import chamomile
from sums import error, field

RNG = np.random.default_rng(11)
X, V = RNG.normal(size=(4, 5, 20, 3)) + 50, RNG.normal(size=(4, 5, 20, 3))
M = RNG.uniform(0.5, 2, (4, 5, 20)) / 20
EXACT = {"softening": 0.1, "precision": "double", "device": "cpu"}
ALL = ("acceleration", "potential", "jerk")


def refusal(kind, call):
    try:
        call()
    except kind as refused:
        assert "\n" not in str(refused)
        return str(refused)
    raise AssertionError(f"no {kind.__name__}")


def test_stacked_systems_match_plain_sums():
    found = chamomile.Batch(G=2.0, **EXACT).evaluate(X, M, V, quantities=ALL)
    assert found.acceleration.shape == X.shape and found.potential.shape == M.shape and found.tidal_tensor is None
    for at in np.ndindex(4, 5):
        a, phi, _, jerk = field(X[at], X[at], M[at], 0.1, 2.0, np.arange(20), V[at], V[at])
        for got, expected in ((found.acceleration, a), (found.potential, phi), (found.jerk, jerk)):
            assert error(got[at], expected) < 1e-12
    a, phi = chamomile.acceleration(X, M, potential=True, G=2.0, **EXACT)
    assert np.allclose(a, found.acceleration, rtol=1e-13) and np.allclose(phi, found.potential, rtol=1e-13)
    assert np.array_equal(chamomile.potential(X, M, G=2.0, **EXACT), phi)
    assert np.array_equal(chamomile.jerk(X, V, M, G=2.0, **EXACT), found.jerk)


def test_a_batch_is_a_loop_of_solvers():
    x = X.reshape(20, 20, 3)
    for words, limit in ((EXACT, 1e-13), ({**EXACT, "precision": "float"}, 3e-5)):
        for more in ({}, {"kernel": "spline"}, {"softening": 0.0}):
            batch = chamomile.acceleration(x, 1 / 20, **{**words, **more})
            for b in range(20):
                assert error(batch[b], chamomile.acceleration(x[b], 1 / 20, solver="direct", **{**words, **more})) < limit
    lengths = RNG.uniform(0, 0.4, (20, 20))
    words = {"precision": "double", "device": "cpu", "softening_rule": "root-of-squares"}
    batch = chamomile.acceleration(x, 1 / 20, softenings=lengths, **words)
    for b in range(20):
        assert error(batch[b], chamomile.acceleration(x[b], 1 / 20, softenings=lengths[b], solver="direct", **words)) < 1e-13


def test_ragged_systems_by_offsets():
    x, m, v = X.reshape(-1, 3)[:60], M.reshape(-1)[:60], V.reshape(-1, 3)[:60]
    offsets = [0, 1, 3, 40, 60]
    batch = chamomile.Batch(**EXACT)
    found = batch.evaluate(x, m, v, offsets=offsets, quantities=ALL)
    assert not found.acceleration[0].any() and found.potential[0] == 0
    for begin, end in zip(offsets, offsets[1:]):
        single = batch.evaluate(x[begin:end], m[begin:end], v[begin:end], quantities=ALL)
        for name in ALL:
            assert np.array_equal(getattr(found, name)[begin:end], getattr(single, name))
    assert np.array_equal(chamomile.acceleration(x, m, offsets=np.array(offsets, "u2"), **EXACT), batch.evaluate(x, m, offsets=offsets).acceleration)


def test_arrays_of_any_stride_type_and_shape():
    batch = chamomile.Batch(**EXACT)
    expected = batch.evaluate(X, M).acceleration
    wide = np.zeros((4, 5, 20, 5))
    wide[..., 1:4] = X
    assert np.array_equal(batch.evaluate(wide[..., 1:4], M).acceleration, expected)
    backwards = batch.evaluate(X[::-1, ::-1, ::-1], M[::-1, ::-1, ::-1]).acceleration
    assert np.allclose(backwards[::-1, ::-1, ::-1], expected, rtol=1e-12)
    room = np.empty_like(wide)
    batch.evaluate(X, M, out={"acceleration": room[..., :3]})
    assert np.array_equal(room[..., :3], expected)
    single = batch.evaluate(X.astype("f4"), M.astype("f4")).acceleration
    assert single.dtype == np.float32 and error(single.reshape(-1, 3), expected.reshape(-1, 3)) < 1e-3
    assert batch.evaluate(np.empty((0, 7, 3)), np.empty((0, 7))).acceleration.shape == (0, 7, 3)
    assert batch.evaluate(X[0, 0], M[0, 0]).acceleration.shape == (20, 3)
    half = batch.evaluate(X, M, softenings=0.1).acceleration
    assert np.allclose(half, expected, rtol=1e-13)
    assert "Batch" in repr(batch) and batch.options["solver"] == "direct" and batch.device.startswith("CPU")


def test_steps_are_those_of_single_simulations():
    for scheme in ("leapfrog", "hermite"):
        x, v = X[0].copy(), V[0].copy()
        chamomile.Batch(**EXACT).advance(x, v, M[0], step=[0.01, 0.02, 0.01, 0.005, 0.01], steps=10, scheme=scheme)
        for b, step in enumerate((0.01, 0.02, 0.01, 0.005, 0.01)):
            now, moving = X[0, b].copy(), V[0, b].copy()
            chamomile.Batch(**EXACT).advance(now, moving, M[0, b], step=step, steps=10, scheme=scheme)
            assert np.array_equal(x[b], now) and np.array_equal(v[b], moving)
        if scheme == "leapfrog":
            snapshot = chamomile.make_snapshot(X[0, 1], M[0, 1], velocities=V[0, 1])
            chamomile.Simulation(snapshot, end_time=0.2, step=0.02, solver="direct", **EXACT).run()
            assert np.allclose(snapshot.positions, x[1], atol=1e-11) and np.allclose(snapshot.velocities, v[1], atol=1e-11)
        x, v = X[0].copy(), V[0].copy()
        for sign in (1, -1):
            chamomile.Batch(**EXACT).advance(x, v, M[0], step=sign * 0.001, steps=5, scheme=scheme)
        assert np.abs(x - X[0]).max() < (1e-12 if scheme == "leapfrog" else 1e-6)


def test_refusals_name_the_argument():
    batch = chamomile.Batch(**EXACT)
    usage, wrong = chamomile.UsageError, chamomile.InputError
    x, m = X.reshape(-1, 3), M.reshape(-1)
    for offsets, words in (
        ([0, 7, 3, 400], "offsets: 3 after 7: must not decrease"),
        ([0, 7, 7, 400], "offsets: system 1: empty"),
        ([1, 400], "offsets: 1: must begin with 0"),
        ([0, 7, 300], "offsets: 300: must end with the number of bodies, 400"),
        ([0, -7, 400], "offsets: -7: must be 0 or more"),
        ([], "offsets: 0: must be 2 or more"),
        ([[0, 400]], "offsets: shape (1, 2): must be (N,)"),
    ):
        assert refusal(wrong, lambda: batch.evaluate(x, m, offsets=np.array(offsets, int))).startswith(words), words
    assert refusal(TypeError, lambda: batch.evaluate(x, m, offsets=[0.0, 400.0])).startswith("offsets: float64")
    assert refusal(wrong, lambda: batch.evaluate(X, M, offsets=[0, 400])).startswith("offsets: need positions of shape (N, 3)")
    assert refusal(wrong, lambda: batch.evaluate(X, M[:3])).startswith("masses: shape (3, 5, 20): must be (4, 5, 20), like positions")
    assert refusal(wrong, lambda: batch.evaluate(X, M, V[0])).startswith("velocities: shape (5, 20, 3): must be (4, 5, 20, 3), like positions")
    assert refusal(wrong, lambda: batch.evaluate(M, M)).startswith("positions: shape (4, 5, 20): must be (..., N, 3)")
    assert refusal(wrong, lambda: batch.evaluate(np.empty((3, 0, 3)), np.empty((3, 0)))).startswith("offsets: system 0: empty")
    assert refusal(TypeError, lambda: batch.evaluate(X[:, :, :10], M[:, :, :10])).startswith("positions: rows are not evenly spaced")
    assert refusal(TypeError, lambda: batch.evaluate(X.tolist(), M)).startswith("positions: list")
    assert refusal(TypeError, lambda: batch.evaluate(X.astype(int), M)).startswith("positions: ")
    assert refusal(usage, lambda: batch.evaluate(X, M, quantities="jerk")).startswith("velocities: missing")
    assert refusal(usage, lambda: batch.evaluate(X, M, quantities="tidal_tensor")).startswith("quantities: tidal_tensor")
    assert refusal(wrong, lambda: batch.evaluate(X, M, out={"acceleration": X})).startswith("acceleration: shares memory with positions")
    for name, call in {
        "comm": lambda: chamomile.Batch(comm=object()),
        "box": lambda: chamomile.Batch(box=1.0),
        "solver": lambda: chamomile.Batch(solver="tree"),
        "tolerance": lambda: chamomile.Batch(tolerance=1e-3),
        "targets": lambda: chamomile.acceleration(X, M, targets=x),
        "active": lambda: chamomile.acceleration(x, m, active=[1], offsets=[0, 400]),
        "target_velocities": lambda: chamomile.jerk(X, V, M, targets=None, target_velocities=x),
    }.items():
        assert name in refusal(usage, call), name
    assert "comm" in refusal(usage, lambda: chamomile.acceleration(X, M, comm=object()))
    assert "tidal_tensor" in refusal(usage, lambda: chamomile.tidal_tensor(X, M))
    moving = V.copy()
    for words, text in (
        ({"scheme": "euler"}, "scheme: euler: must be leapfrog or hermite"),
        ({"steps": -1}, "steps: -1"),
        ({"step": [1.0, 2.0]}, "step: 2 lengths: must be one, or one per system, 20"),
        ({"step": np.nan}, "step: nan: must be finite"),
    ):
        call = {"step": 0.1, **words}
        assert refusal((usage, wrong), lambda: batch.advance(X.copy(), moving, M, **call)).startswith(text), text
    assert np.array_equal(moving, V)
    twins = X.copy()
    twins[2, 1, 3] = twins[2, 1, 17]
    assert refusal(wrong, lambda: chamomile.acceleration(twins, M)).startswith("system 11: particles 3 and 17: position: ")
    twins[2, 1, 3, 0] = np.nan
    assert refusal(wrong, lambda: batch.evaluate(twins, M)).startswith("particle 223: position: nan")


def test_small_calls_are_short():
    def best(call, times=200):
        seconds = []
        for _ in range(times):
            start = time.perf_counter()
            call()
            seconds.append(time.perf_counter() - start)
        return 1e6 * min(seconds)

    x, m = X[0, 0, :10].copy(), M[0, 0, :10].copy()
    solver = chamomile.Solver(softening=0.1, device="cpu").build(x, m)
    function = best(lambda: chamomile.acceleration(x, m, softening=0.1, device="cpu"))
    kept = best(lambda: solver.build(x, m).evaluate())
    print(f"ten bodies: {function:.0f} us by acceleration(), {kept:.0f} by a Solver")
    assert function < 150 and kept < 100  # 34 and 20 on an idle core


def test_units_are_refused_as_elsewhere():
    class Quantity:
        unit = "kpc"
        shape, ndim = X.shape, 4

        def to_value(self, unit):
            return X

    batch = chamomile.Batch(**EXACT)
    assert "positions: Quantity in kpc" in refusal(TypeError, lambda: batch.evaluate(Quantity(), M))
    assert "step: Quantity in kpc" in refusal(TypeError, lambda: batch.advance(X.copy(), V.copy(), M, step=Quantity()))


def test_tensors_of_torch():
    try:
        import torch
    except ImportError:
        raise unittest.SkipTest("no torch")
    x, m = torch.from_numpy(X), torch.from_numpy(M)
    found = chamomile.acceleration(x, m, **EXACT)
    assert isinstance(found, torch.Tensor) and found.shape == x.shape
    assert np.array_equal(found.numpy(), chamomile.acceleration(X, M, **EXACT))
    moved, v = x.clone(), torch.from_numpy(V.copy())
    chamomile.Batch(**EXACT).advance(moved, v, m, step=0.01)
    assert not torch.equal(moved, x)
