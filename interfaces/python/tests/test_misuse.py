"""Misuse gives an exception of the right class with a one-line message, and the next call works."""

import copy
import importlib
import os
import pickle
import unittest

import numpy as np

import chamomile
from chamomile import DeviceError, Error, InputError, OutputError, StateError, UsageError, pytreegrav

N = 64
RNG = np.random.default_rng(1)
X, M, V = RNG.normal(size=(N, 3)), np.full(N, 1 / N), RNG.normal(size=(N, 3))


OF_TREES = {"criterion": "moments", "tolerance": 0.01, "theta": 0.5, "order": 2, "local_order": 6, "cluster_size": 4, "leaf_size": 8, "tree": "host", "accuracy": 0.01}


def raises(kinds, call, part=""):
    try:
        call()
    except kinds as error:
        line = str(error)
        assert line and "\n" not in line and part in line, line
        return error
    raise AssertionError(f"no exception: {part}")


def built(**words):
    return chamomile.Solver(softening=0.1, **words).build(X, M)


def test_classes():
    for kind in (UsageError, InputError, OutputError, DeviceError, StateError, chamomile.NumericError):
        assert issubclass(kind, Error)
    assert issubclass(InputError, ValueError) and issubclass(OutputError, OSError) and issubclass(StateError, RuntimeError)


def test_wrong_types():
    for wrong, part in [
        (X.tolist(), "list"), (X.astype(int), "int64"), (X.astype(">f8"), ">f8"), (X.astype("f2"), "float16"),
        (X.astype(complex), "complex128"), (X.astype(object), "object"), (None, "NoneType"), ("text", "str"), (3.0, "float"),
    ]:
        raises(TypeError, lambda: chamomile.acceleration(wrong, M), part)
        raises(TypeError, lambda: built().evaluate(wrong) if wrong is not None else built().evaluate(object()))
    raises(TypeError, lambda: chamomile.acceleration(X, M.astype(int)), "masses: int64: must be float32 or float64")
    raises(TypeError, lambda: chamomile.acceleration(X.astype("f4"), M, out=np.zeros((N, 3), int)), "convert")
    packed = np.zeros(N, dtype=[("flag", "i1"), ("x", "f8", 3)])
    raises(TypeError, lambda: chamomile.acceleration(packed["x"], M), "aligned")
    raises(TypeError, lambda: built().evaluate(active=M), "whole numbers")
    for wrong in np.ones(2), 1j, "x":
        raises(TypeError, lambda: chamomile.nfw(10, b_to_a=wrong), "b_to_a: ")
    raises(OverflowError, lambda: chamomile.nfw(10, b_to_a=10**400), "b_to_a: ")


class WithUnit(np.ndarray):
    """Like astropy's Quantity and unyt's array: an array with a unit."""

    unit = "kpc"

    def to_value(self, unit):
        return np.asarray(self)


class Length(float):
    """unyt's number, which float() accepts."""

    units = "kpc"


def simulation(**words):
    return chamomile.Simulation(chamomile.plummer(10), **{"end_time": 1, "step": 0.5, "softening": 0.1, **words})


ARRAYS = [  # of vectors and numbers: the argument, the call
    ("positions", lambda x, m: chamomile.acceleration(x, M)),
    ("positions", lambda x, m: chamomile.potential(x, M)),
    ("positions", lambda x, m: chamomile.tidal_tensor(x, M)),
    ("positions", lambda x, m: chamomile.accuracy(x, M)),
    ("masses", lambda x, m: chamomile.acceleration(X, m)),
    ("masses", lambda x, m: chamomile.accuracy(X, m)),
    ("velocities", lambda x, m: chamomile.jerk(X, x, M)),
    ("targets", lambda x, m: chamomile.acceleration(X, M, targets=x)),
    ("targets", lambda x, m: built().evaluate(x)),
    ("targets", lambda x, m: built().neighbours(x, 1.0)),
    ("radius", lambda x, m: built().neighbours(X, m)),
    ("target_velocities", lambda x, m: chamomile.jerk(X, V, M, targets=X, target_velocities=x)),
    ("softenings", lambda x, m: chamomile.acceleration(X, M, softenings=m)),
    ("softenings", lambda x, m: chamomile.accuracy(X, M, softenings=m)),
    ("softenings", lambda x, m: setattr(chamomile.make_snapshot(X, M), "softenings", m)),
    ("target_softenings", lambda x, m: chamomile.acceleration(X, M, softenings=M, targets=X, target_softenings=m)),
    ("acceleration", lambda x, m: built().evaluate(out={"acceleration": x.copy()})),
    ("positions", lambda x, m: chamomile.make_snapshot(x, M)),
    ("masses", lambda x, m: chamomile.make_snapshot(X, m)),
    ("velocities", lambda x, m: chamomile.make_snapshot(X, M, x)),
    ("times", lambda x, m: simulation().at_times([Length(t) for t in m], print)),
    ("pos", lambda x, m: pytreegrav.Accel(x, M)),
    ("m", lambda x, m: pytreegrav.Accel(X, m)),
    ("softening", lambda x, m: pytreegrav.Accel(X, M, m)),
    ("pos", lambda x, m: pytreegrav.AccelTarget(x, X, M)),
    ("potentials: pull", lambda x, m: pulled(x)),
]
NUMBERS = [
    ("softening", lambda h: chamomile.acceleration(X, M, softening=h)),
    ("G", lambda h: chamomile.Solver(G=h)),
    ("masses", lambda h: chamomile.acceleration(X, h)),
    ("softenings", lambda h: chamomile.acceleration(X, M, softenings=h)),
    ("radius", lambda h: built().neighbours(X, h)),
    ("time", lambda h: chamomile.make_snapshot(X, M, time=h)),
    ("box_size", lambda h: chamomile.make_snapshot(X, M, box_size=h)),
    ("G", lambda h: chamomile.make_snapshot(X, M, G=h)),
    ("softening", lambda h: chamomile.make_snapshot(X, M, softening=h)),
    ("end_time", lambda h: simulation(end_time=h)),
    ("step", lambda h: simulation(step=h)),
    ("interval", lambda h: simulation().at_intervals(h, print)),
    ("snapshot_every", lambda h: simulation().run("out", snapshot_every=h)),
    ("truncation", lambda h: chamomile.plummer(9, truncation=h)),
    ("height", lambda h: chamomile.disk(9, height=h)),
    ("separation", lambda h: chamomile.merger(999, separation=h)),
    ("semi_major_axis", lambda h: chamomile.two_body(semi_major_axis=h)),
    ("scale", lambda h: chamomile.hernquist(9, scale=h)),
]


def pulled(x):
    def pull(positions, time):
        return x[: len(positions)]

    chamomile.Simulation(chamomile.plummer(10), end_time=1, step=0.5, softening=0.1, potentials=[pull]).run()


def test_units():
    for name, call in ARRAYS:
        raises(TypeError, lambda: call(X.view(WithUnit), M.view(WithUnit)), f"{name}: ")
    line = str(raises(TypeError, lambda: chamomile.acceleration(X.view(WithUnit), M)))
    assert line.startswith("positions: WithUnit in kpc: must be plain numbers") and line.endswith("convert with positions.to_value('kpc')"), line
    for name, call in NUMBERS:
        raises(TypeError, lambda: call(Length(3)), f"{name}: Length in kpc")
        if name != "snapshot_every":
            call(3.0)
    plain = X.view(WithUnit)
    plain.unit = ""  # dimensionless
    assert np.array_equal(chamomile.acceleration(plain, M, softening=0.1), chamomile.acceleration(X, M, softening=0.1))


def test_units_of_libraries():
    found = 0
    for module, unit_of in (("astropy.units", lambda u: u.kpc), ("unyt", lambda u: u.kpc), ("pint", lambda u: u.UnitRegistry().kpc)):
        try:
            unit = unit_of(importlib.import_module(module))
        except ImportError:
            continue
        found += 1
        for name, call in ARRAYS:
            if name not in ("times", "acceleration", "potentials: pull"):
                raises(TypeError, lambda: call(X * unit, M * unit), f"{name}: ")
        for name, call in NUMBERS:
            raises(TypeError, lambda: call(3.0 * unit), f"{name}: ")
    if not found:
        raise unittest.SkipTest("no astropy, unyt or pint")


def test_masks():
    masked = np.ma.masked_array(X, np.arange(3 * N).reshape(N, 3) == 7), np.ma.masked_array(M, np.arange(N) == 5)
    for name, call in ARRAYS:
        if name != "times":
            raises(TypeError, lambda: call(*masked), f"{name}: MaskedArray with 1 masked values")
    raises(TypeError, lambda: built().evaluate(X, self_index=np.ma.masked_array(np.arange(N), np.arange(N) == 5)), "self_index")
    whole = np.ma.masked_array(X)
    assert np.array_equal(chamomile.acceleration(whole, M, softening=0.1), chamomile.acceleration(X, M, softening=0.1))


def test_a_mass_without_dimensions():
    expected = chamomile.acceleration(X, 0.5, softening=0.1)
    for one in (np.array(0.5), np.float32(0.5), np.array(0.5, np.float32)):
        assert np.array_equal(chamomile.acceleration(X, one, softening=0.1), expected)
        chamomile.acceleration(X, one, softening=0.1, out=np.zeros((N, 3)))


def test_wrong_shapes():
    for x, m, part in [
        (X[:, :2], M, "(64, 2): must be (N, 3)"), (X.ravel(), M, "(192,)"), (X[None], M, "masses: shape (64,): must be (1, 64), like positions"),
        (X, M[:-1], "masses: shape (63,): must be (64,), one per row of positions"), (X, M[:, None], "masses"),
    ]:
        raises(InputError, lambda: chamomile.acceleration(x, m), part)
    raises(InputError, lambda: chamomile.acceleration(X, M, out=np.zeros((N - 1, 3))), "(64, 3)")
    raises(InputError, lambda: built().evaluate(X, self_index=[1, 2]), "self_index")
    raises(InputError, lambda: chamomile.jerk(X, V[1:], M), "velocities")


def test_wrong_values():
    for bad in (np.nan, np.inf):
        x = X.copy()
        x[7, 1] = bad
        raises(InputError, lambda: chamomile.acceleration(x, M), "particle 7")
        raises(InputError, lambda: built().evaluate(x), "target 7")
    m = M.copy()
    m[3] = -1
    raises(InputError, lambda: chamomile.acceleration(X, m), "3")
    twins = np.concatenate([X, X[:1]])
    raises(InputError, lambda: chamomile.acceleration(twins, 1.0))
    raises(InputError, lambda: built().evaluate(active=[N]), f"active: {N}")
    raises(InputError, lambda: built().evaluate(active=[-1]), "active: -1")
    raises(InputError, lambda: built().evaluate(X[:1], self_index=[-2]), "-2")
    raises(InputError, lambda: built().evaluate(X[:1], self_index=[N]), str(N))
    raises(InputError, lambda: built().neighbours(X, -1.0))


def test_wrong_options():
    for words, part in [
        ({"tolerence": 1}, "did you mean 'tolerance'"), ({"solver": "fmm"}, "tree, direct"), ({"theta": -1}, "theta"),
        ({"theta": 0.5, "tolerance": 1e-3}, "one of the two"), ({"criterion": "geometric", "tolerance": 1e-3}, "needs theta"),
        ({"order": 1}, "order"), ({"softening": -1}, "softening"), ({"group_size": -1}, "group"), ({"device": "tpu"}, "tpu"),
        ({"G": 0}, "G: 0"), ({"G": -1}, "G: -1"), ({"G": np.nan}, "G: nan"), ({"G": np.inf}, "G: inf"), ({"softening": np.inf}, "inf"),
        ({"theta": 1.6}, "1.5"), ({"tolerance": 2}, "<= 1"), ({"tolerance": 0}, "> 0"), ({"local_order": 2}, "0, 3, 4, 5, 6"),
        ({"decorrelate": 1, "solver": "direct"}, "decorrelate: needs solver tree"),
        ({"accuracy": 1e-30}, "1e-12 to 0.5"), ({"accuracy": 2}, "1e-12 to 0.5"), ({"accuracy": 1e-3, "tolerance": 1e-3}, "one of the two"),
        ({"accuracy": 1e-3, "theta": 0.5}, "one of the two"), ({"accuracy": 1e-7, "precision": "single"}, "needs precision double"),
        *[({"solver": "direct", name: value}, f"{name}: needs solver tree") for name, value in OF_TREES.items()],
    ]:
        for call in (chamomile.Solver, lambda **words: chamomile.potential(X, M, **words), lambda **words: chamomile.accuracy(X, M, **words)):
            raises(UsageError, lambda: call(**words), part)
    raises(TypeError, lambda: chamomile.Solver(tolerance="small"), "must be a number")
    raises(TypeError, lambda: chamomile.Solver(1))
    if not chamomile.devices():
        raises(DeviceError, lambda: chamomile.Solver(device="gpu"), chamomile.why_no_gpu())
    for n in (0, -1, 10**9):
        raises(UsageError, lambda: chamomile.use_threads(n), f"threads: {n}")


def test_wrong_order():
    solver = chamomile.Solver()
    for call in (solver.evaluate, lambda: solver.evaluate(X), lambda: solver.refit(X, M), lambda: solver.neighbours(X, 1.0)):
        raises(StateError, call, "build() first")
    solver = built()
    raises(InputError, lambda: solver.refit(X[1:], M[1:]), "64")
    x = X.copy()
    x[0, 0] = np.nan
    raises(InputError, lambda: solver.build(x, M))
    raises(StateError, solver.evaluate, "build() first")  # the failed call left no state
    assert np.isfinite(solver.build(X, M).evaluate().acceleration).all()
    raises(UsageError, lambda: built().evaluate(quantities="jerk"), "velocities")
    raises(UsageError, lambda: chamomile.jerk(X, V, M, targets=X), "target_velocities")
    raises(UsageError, lambda: built().evaluate(quantities="torque"), "acceleration, potential")
    raises(UsageError, lambda: built().evaluate(X, active=[1]))
    raises(UsageError, lambda: built().evaluate(self_index=[1]))
    raises(UsageError, lambda: built().neighbours(X, 1.0, most=-1), "most: -1")


def test_results_upon_inputs_and_each_other():
    x = X.copy()
    solver = built()
    raises(InputError, lambda: solver.evaluate(x, out={"acceleration": x}), "shares memory with targets")
    long = np.zeros((N + 1, 3))
    long[:-1] = X
    raises(InputError, lambda: solver.evaluate(long[:-1], out={"acceleration": long[1:]}), "shares memory")
    room = np.zeros((N, 4))
    both = {"acceleration": room[:, :3], "potential": room[:, 2]}
    raises(InputError, lambda: solver.evaluate(out=both), "shares memory with acceleration")
    solver.evaluate(out={"acceleration": room[:, :3], "potential": room[:, 3]})
    every = np.lib.stride_tricks.as_strided(np.zeros(3), (N, 3), (0, 8))
    raises(InputError, lambda: solver.evaluate(out={"acceleration": every}), "items share memory")
    fixed = np.zeros((N, 3))
    fixed.flags.writeable = False
    raises(InputError, lambda: solver.evaluate(out={"acceleration": fixed}), "read-only")


def test_results_upon_sources_in_one_call():
    names = ("positions", "masses", "velocities")
    numbers = np.arange(N)
    calls = {
        "acceleration": lambda a, **words: chamomile.acceleration(a[0], a[1], softening=0.1, **words),
        "potential": lambda a, **words: chamomile.potential(a[0], a[1], softening=0.1, **words),
        "tidal_tensor": lambda a, **words: chamomile.tidal_tensor(a[0], a[1], softening=0.1, **words),
        "jerk": lambda a, **words: chamomile.jerk(a[0], a[2], a[1], softening=0.1, **words),
    }
    for quantity, call in calls.items():
        for k, name in enumerate(names[: 3 if quantity == "jerk" else 2]):
            # Members of one record, so that results of any shape can partly overlap any argument.
            record = np.zeros((N, 14))
            record[:, 0:3], record[:, 3], record[:, 4:7] = X, M, V
            arrays, first = (record[:, 0:3], record[:, 3], record[:, 4:7]), (0, 3, 4)[k]
            width = {"potential": 1, "tidal_tensor": 6}.get(quantity, 3)
            upon = record[:, first] if width == 1 else record[:, first : first + width]
            before = record.copy()
            for words in ({}, {"targets": X + 1, "target_velocities": V} if quantity == "jerk" else {"targets": X + 1}):
                raises(InputError, lambda: call(arrays, out=upon, **words), "shares memory with")
            assert np.array_equal(record, before), (quantity, name)
            apart = record[:, 7] if width == 1 else record[:, 7 : 7 + width]
            call(arrays, out=apart)  # a different member of the same records
            assert np.array_equal(record[:, :7], before[:, :7]) and apart.any()
    x, m = X.copy(), M.copy()
    raises(InputError, lambda: chamomile.acceleration(x, m, out=x), "acceleration: shares memory with positions")
    raises(InputError, lambda: chamomile.acceleration(x, m, potential=True, out=(np.zeros((N, 3)), m)), "potential: shares memory with masses")
    assert np.array_equal(x, X) and np.array_equal(m, M)
    for word in ("active", "self_index"):
        places = {} if word == "active" else {"targets": X}
        raises(InputError, lambda: chamomile.potential(X, M, out=numbers.view(float), **places, **{word: numbers}), f"with {word}")
    assert np.array_equal(numbers, np.arange(N))
    solver = chamomile.Solver(softening=0.1).build(x, m)  # it has copies, so x may be reused
    assert np.array_equal(solver.evaluate(out={"acceleration": x}).acceleration, chamomile.acceleration(X, M, softening=0.1))
    raises(UsageError, lambda: solver.evaluate(out={"acceleration": x}, namespace=np), "namespace")


def test_sizes():
    for n in (-1, 0, 2**33):
        raises(UsageError, lambda: chamomile.plummer(n), "number of particles")
    raises(UsageError, lambda: chamomile.Snapshot(-3), "-3")
    empty = np.zeros((0, 3))
    assert built().evaluate(empty).acceleration.shape == (0, 3)
    assert built().evaluate(active=[]).acceleration.shape == (0, 3)
    one = chamomile.acceleration(X[:1], M[:1])
    assert np.array_equal(one, np.zeros((1, 3)))


def test_no_pickles():
    for thing in (built(), chamomile.Simulation(chamomile.plummer(10), end_time=1, step=0.1)):
        raises(TypeError, lambda: pickle.dumps(thing), "cannot be pickled")
        raises(TypeError, lambda: copy.copy(thing), "cannot be pickled")
        raises(TypeError, lambda: copy.deepcopy(thing), "cannot be pickled")


def test_fork_after_use():
    solver = built()
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        lines = []
        for call in (solver.evaluate, lambda: chamomile.acceleration(X, M), lambda: chamomile.plummer(5), lambda: chamomile.accuracy(X, M)):
            try:
                call()
                lines.append("no exception")
            except BaseException as error:
                lines.append(f"{type(error).__name__}: {error}")
        os.write(write, "\n".join(lines).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as file:
        lines = file.read().splitlines()
    os.waitpid(child, 0)
    assert len(lines) == 4 and all(line.startswith("StateError: ") and "forked" in line for line in lines), lines
    assert np.isfinite(solver.evaluate().acceleration).all()  # the parent continues
