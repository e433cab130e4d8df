"""Every option of forces and time loops on the command line, in C and in Python: bitwise equal results, or refused by all."""

import ctypes
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import numpy as np

import chamomile
from chamomile import _chamomile

FORCES, RUNS, _ = _chamomile.option_table()
CLI_KEY = {row[0]: row[5] for row in FORCES + RUNS}  # "theta", or "tree.decorrelate" of a setting
RNG = np.random.default_rng(3)
N = 300
X, V, M = 4 * RNG.random((N, 3)), 0.1 * RNG.normal(size=(N, 3)), np.full(N, 1 / N)

# An option may require further options, and a value with an effect.
BESIDE = {"kernel": {"softening": 0.05}, "accuracy_percentile": {"accuracy": 0.01}, "accuracy_every": {"accuracy": 0.01},
          **{name: {"box": 4.0} for name in ("long_range", "mesh", "split", "cut")}}
VALUES = {"box": 4.0, "decorrelate": 7, "device": "cpu", "instruction_set": "baseline", "mesh": 32, "cut": 4.5, "iterations": 2}
# Lengths by type need particles with types. The rule needs per-particle softening.
OF_PARTICLES = {"softening_by_type": "1=0.1,2=0.2", "softening_rule": "root-of-squares"}
CHOSEN_BY_TIME = {"accuracy", "accuracy_percentile", "accuracy_every"}


def another(name, kind, words, default, *_):
    """Returns a value other than the default."""
    if name in VALUES:
        return VALUES[name]
    if kind == "bool":
        return True
    if words:
        return next(word for word in reversed(words) if word != default)
    if kind.startswith("float"):
        return 0.75 * default if default else 0.05
    return default // 2 if default else 64


def program():
    path = os.environ.get("CHAMOMILE_PROGRAM")
    if not path:
        raise unittest.SkipTest("CHAMOMILE_PROGRAM does not say where the program is")
    return path


def columns(folder):
    path = pathlib.Path(folder, "in.txt")
    rows = np.column_stack([M, X, V])
    path.write_text("# columns: mass x y z vx vy vz\n" + "".join(" ".join(map(repr, map(float, row))) + "\n" for row in rows))
    return path


def as_flags(words):
    flags = []
    for name, value in words.items():
        key = CLI_KEY[name]
        if "." in key:
            flags += ["--set", key if value is True else f"{key}={value}"]
        else:
            flags += ["--" + key] + ([] if value is True else [str(value)])
    return flags


def by_program(words, command, *more):
    """Returns the snapshot written by the command, and its message on refusal."""
    with tempfile.TemporaryDirectory() as folder:
        into = pathlib.Path(folder, "out" if command == "run" else "out.hdf5")
        done = subprocess.run([program(), command, columns(folder), "-o", into, "-q", *more, *as_flags(words)], capture_output=True, text=True)
        if done.returncode:
            return None, done.stderr
        return chamomile.read_snapshot(sorted(into.glob("snapshot_*"))[-1] if command == "run" else into), ""


def by_c(words):
    """Returns accelerations and the message of a refusal."""
    path = os.environ.get("CHAMOMILE_LIBRARY")
    if not path:
        raise unittest.SkipTest("CHAMOMILE_LIBRARY does not say where libchamomile_c.so is")
    c, context = ctypes.CDLL(path), ctypes.c_void_p()
    c.chm_last_error.restype = ctypes.c_char_p
    c.chm_last_error.argtypes = c.chm_destroy.argtypes = [ctypes.c_void_p]
    assert c.chm_create(ctypes.byref(context)) == 0
    try:
        for name, value in words.items():
            if c.chm_set_option(context, name.encode(), str(value).encode()):
                return None, c.chm_last_error(context).decode()
        a, pointer = np.empty_like(X), lambda array: ctypes.c_void_p(array.ctypes.data)
        if c.chm_solve(context, ctypes.c_int64(N), pointer(M), pointer(X), pointer(a), None):
            return None, c.chm_last_error(context).decode()
        return a, ""
    finally:
        c.chm_destroy(context)


def refusal_of(call):
    try:
        return call(), ""
    except chamomile.UsageError as error:
        return None, str(error)


def test_each_option_of_a_force_through_each_door():
    for row in FORCES:
        name = row[0]
        if name in OF_PARTICLES:
            continue
        words = {"device": "cpu", "softening": 0.03, **BESIDE.get(name, {}), name: another(*row)}
        solver, line = refusal_of(lambda: chamomile.Solver(**words).build(X, M))
        ours = None if solver is None else solver.evaluate().acceleration
        snapshot, told = by_program(words, "force")
        theirs, c_line = by_c(words)
        assert (ours is None) == (snapshot is None) == (theirs is None), (name, line, told, c_line)
        if ours is None:
            assert name in line and line == c_line, (name, line, c_line)
            continue
        assert solver.options[name] == words[name], name
        noted = None if name == "device" else snapshot.provenance.get(CLI_KEY[name].rpartition(".")[2].replace("-", "_"))
        assert noted is None or type(words[name])(noted) == words[name], (name, noted)
        if name not in CHOSEN_BY_TIME:
            assert np.array_equal(snapshot.accelerations, ours), name
            assert np.array_equal(theirs, ours), name


def test_lengths_by_type_need_particles_of_several_types():
    words = {"device": "cpu", "softening": 0.03, "softening_by_type": OF_PARTICLES["softening_by_type"]}
    line = refusal_of(lambda: chamomile.Solver(**words).build(X, M))[1]
    assert "must be one, unless particles have several types" in line and line == by_c(words)[1], line
    for name, value in OF_PARTICLES.items():
        snapshot, told = by_program({"softening": 0.03, name: value}, "force")
        assert snapshot is None and told.count("\n") == 1 and CLI_KEY[name] in told, told


def test_a_rule_of_softenings_needs_softenings():
    words = {"device": "cpu", "softening_rule": "root-of-squares"}
    solver = chamomile.Solver(**words)
    for attempt in range(2):
        line = refusal_of(lambda: solver.build(X, M))[1]
        assert line == "softening_rule: needs several softening lengths" == by_c(words)[1], line
        own = solver.build(X, M, softenings=0.1).evaluate().acceleration
    assert np.allclose(own, chamomile.acceleration(X, M, softening=0.1 * 2**0.5, device="cpu"), rtol=1e-6)
    for call in (chamomile.acceleration, chamomile.potential, chamomile.tidal_tensor, chamomile.accuracy):
        assert refusal_of(lambda: call(X, M, **words))[1] == line, call
    lengths = np.where(np.arange(N) % 2, 0.02, 0.2)
    d = X[None] - X[:, None]
    eps2 = lengths[:, None]**2 + lengths[None]**2
    u2 = (d**2).sum(2) + eps2
    expected = (M[None] * (3 * d[:, :, 0]**2 / u2 - 1) / u2**1.5)
    np.fill_diagonal(expected, 0)
    tensor = chamomile.tidal_tensor(X, M, softenings=lengths, solver="direct", precision="double", **words)
    assert np.allclose(tensor[:, 0], expected.sum(1), rtol=1e-9, atol=1e-9 * np.abs(expected).sum(1).max())


def test_softenings_of_sources_and_targets():
    own, points = np.linspace(0.01, 0.3, N), V
    at = np.linspace(0.5, 0.02, N)
    words = {"device": "cpu", "solver": "direct", "precision": "double"}
    for target_softenings, lengths in ((None, np.zeros(N)), (at, at), (0.2, np.full(N, 0.2))):
        d = X[None] - points[:, None]
        u = np.sqrt((d**2).sum(2) + np.maximum.outer(lengths, own)**2)
        for name, call, expected in (("a", chamomile.acceleration, ((M / u**3)[:, :, None] * d).sum(1)), ("phi", chamomile.potential, -(M / u).sum(1)),
                                     ("xx", chamomile.tidal_tensor, (M * (3 * d[:, :, 0]**2 / u**2 - 1) / u**3).sum(1))):
            found = call(X, M, softenings=own, targets=points, target_softenings=target_softenings, **words)
            assert np.allclose(found[:, 0] if name == "xx" else found, expected, rtol=1e-10, atol=1e-10 * np.abs(expected).max()), (name, target_softenings)
    errors = chamomile.accuracy(X, M, softenings=own, tolerance=1e-4, device="cpu")
    assert 0 < errors.acceleration.median < 1e-3
    line = refusal_of(lambda: chamomile.acceleration(X, M, targets=points, target_softenings=at))[1]
    assert line == "target_softenings: need softenings of the sources in build()", line
    assert "target_softenings" in refusal_of(lambda: chamomile.acceleration(X, M, softenings=own, target_softenings=at))[1]


def test_options_that_do_not_go_together_through_each_door():
    for words in ({"mesh": 32}, {"accuracy_percentile": 90.0}, {"solver": "direct", "order": 3}, {"solver": "direct", "decorrelate": 1},
                  {"box": 4.0, "order": 3}, {"box": 4.0, "long_range": "modes", "mesh": 32},
                  {"box": 4.0, "solver": "direct", "precision": "float"}, {"criterion": "moments", "theta": 0.5}, {"accuracy": 1e-7, "precision": "float"},
                  {"box": 4.0, "softening": 0.9}, {"theta": 2.5}, {"order": 1}, {"criterion": "nearest"}, {"softening": -1.5}):
        line = refusal_of(lambda: chamomile.Solver(**{"softening": 0.03, **words}).build(X, M))[1]
        told, c_line = by_program({"softening": 0.03, **words}, "force")[1], by_c({"softening": 0.03, **words})[1]
        assert line and line == c_line and told.count("\n") == 1, (words, line, c_line, told)
        values = line.partition(": ")[2] or line
        plain = re.sub(r"--(set [a-z-]+\.)?", "", told)  # names without dashes and sections
        assert values.split("; did")[0].replace("_", "-")[:20] in plain.replace("_", "-"), (line, told)


def test_each_option_of_a_time_loop_as_from_the_command_line():
    for words in (
        {"step": 0.01}, {"dt": 0.01, "integrator": "leapfrog"}, {"adaptive": True, "eta": 0.2}, {"eta": 0.2, "longest": 0.01}, {"eta": 0.2, "shortest": 0.005},
        {"block_steps": True}, {"block_steps": True, "step_criterion": "softening", "eta": 0.05, "rungs": 3}, {"block_steps": True, "rebuild_above": 0.5},
        {"block_steps": True, "host_below": 10}, {"block_steps": True, "block_scheme": "hierarchical"}, {"adaptive": True, "step_criterion": "potential"},
        {"integrator": "hermite"}, {"integrator": "hermite", "step": 0.01}, {"integrator": "hermite", "shared_steps": True, "eta": 0.02},
        {"integrator": "hermite", "iterations": 2, "final_evaluation": True}, {"integrator": "hermite", "eta_start": 0.005, "dt_min": 1e-9, "count_short_steps": True},
        {"step": 0.01, "box": 4.0}, {"step": 0.01, "box": 4.0, "long_range": "modes"}, {"block_steps": True, "step_criterion": "softening", "box": 4.0, "mesh": 32},
        {"step": 0.01, "solver": "direct", "precision": "double"}, {"step": 0.01, "decorrelate": 5}, {"step": 0.01, "theta": 0.4},
    ):
        given = {**words, "softening": 0.05, "device": "cpu"}
        ours = chamomile.make_snapshot(X, M, V)
        chamomile.Simulation(ours, end_time=0.05, **given).run()
        flags = {name: value for name, value in given.items()}
        if "eta" in words and not {"block_steps", "adaptive", "integrator"} & set(words):
            flags["adaptive"] = True  # implied by eta in Python
        rename = {"dt": "step", "dt_min": "shortest", "dt_max": "longest"}
        theirs, line = by_program({rename.get(name, name): value for name, value in flags.items()}, "run", "--t-end", "0.05", "--snapshot-every", "0.05")
        assert theirs is not None, (words, line)
        assert np.array_equal(ours.positions, theirs.positions) and np.array_equal(ours.velocities, theirs.velocities), words
        assert ours.box_size == theirs.box_size


def test_a_simulation_takes_every_option_of_its_table():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program(), "model", "cosmology", "--n", "4", "--box", "10", "--z-start", "20", "-o", "box.hdf5", "-q"], cwd=folder, check=True)
        for row in RUNS:
            name, value = row[0], another(*row)
            if name in ("z_end", "a_end", "outputs_z", "outputs_a", "dlna_max", "eps_max", "omega_m", "omega_l", "omega_r", "w0", "wa", "hubble"):
                value = {"a_end": 0.5, "omega_m": 0.3000001, "outputs_z": [9.0], "outputs_a": [0.1], "w0": -0.9}.get(name, value)
                assert accepted(chamomile.read_snapshot(pathlib.Path(folder, "box.hdf5")), {"softening": 1, name: value}), name
                continue
            beside = next(beside for beside in ({}, {"step": 0.1}, {"eta": 0.1}, {"block_steps": True}, {"integrator": "hermite"}, {"solver": "tree", "step": 0.1})
                          if name not in beside and accepted(chamomile.plummer(10), {"end_time": 1, "softening": 0.1, **beside, name: value}))
            assert beside is not None, name


def accepted(snapshot, words):
    try:
        chamomile.Simulation(snapshot, **words)
    except chamomile.UsageError:
        return False
    except chamomile.DeviceError:
        pass  # resident particles need a GPU
    return True


def test_a_box_of_the_snapshot():
    boxed = chamomile.make_snapshot(X, M, V)
    boxed.box_size = 4
    chamomile.Simulation(boxed, end_time=0.02, step=0.01, softening=0.05).run()
    asked = chamomile.make_snapshot(X, M, V)
    chamomile.Simulation(asked, end_time=0.02, step=0.01, softening=0.05, box=4).run()
    assert np.array_equal(boxed.positions, asked.positions) and asked.box_size == 4
    opened = chamomile.make_snapshot(X, M, V)
    opened.box_size = 4
    chamomile.Simulation(opened, end_time=0.02, step=0.01, softening=0.05, box=0).run()
    assert not np.array_equal(opened.positions, asked.positions) and opened.box_size == 0
    for words, part in (({"box": 5}, "contradicts the box of 4"), ({"integrator": "hermite"}, "hermite: needs isolated particles")):
        boxed.box_size = 4
        line = refusal_of(lambda: chamomile.Simulation(boxed, end_time=1, step=0.01, softening=0.05, **words))[1]
        assert part in line, line


def test_a_folder_of_a_run_in_a_box_with_individual_steps():
    words = {"block_steps": True, "step_criterion": "softening", "softening": 0.05, "box": 4}
    with tempfile.TemporaryDirectory() as folder:
        whole = chamomile.make_snapshot(X, M, V)
        chamomile.Simulation(whole, end_time=0.1, **words).run(folder=folder)
        log = pathlib.Path(folder, "run.log").read_text()
        assert "periodic, 4" in log and "in blocks of individual steps, by the softening" in log and "evaluations, " in log, log
        snapshot = chamomile.read_snapshot(sorted(pathlib.Path(folder).glob("snapshot_*"))[-1])
        assert snapshot.box_size == 4 and np.array_equal(snapshot.positions, whole.positions)


def test_errors_in_a_box_are_those_against_ewalds_sums():
    errors = chamomile.accuracy(X, M, box=4, softening=0.05, cut=6)
    assert 0 < errors.acceleration.p99 < 0.05 and np.isnan(errors.scaled.p99)
    assert chamomile.accuracy(X, M, box=4, softening=0.05, solver="direct").acceleration.max < 1e-12


def test_fields_of_boxes():
    solver = chamomile.Solver(box=4, softening=0.05).build(X, M)
    some = solver.evaluate(active=[5, 2], quantities=("acceleration", "potential"))
    both = solver.evaluate(quantities=("acceleration", "potential"))
    assert np.allclose(some.acceleration, both.acceleration[[5, 2]], rtol=0.1) and some.potential.shape == (2,)
    there = solver.evaluate(X).acceleration  # sources at the target's position exert no force
    assert np.abs(there - both.acceleration).max() < 0.05 * np.abs(both.acceleration).max()
    assert np.allclose(solver.evaluate(X + [4, 0, -8]).acceleration, there, rtol=1e-4, atol=1e-4 * np.abs(there).max())
    direct = chamomile.Solver(box=4, softening=0.05, solver="direct").build(X, M)
    for call in (lambda: direct.evaluate(X), lambda: solver.neighbours(X, 0.1), lambda: solver.evaluate(quantities="tidal_tensor")):
        assert "box: must be 0" in refusal_of(call)[1]
