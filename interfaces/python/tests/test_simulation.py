"""The time loop from Python: energies, observers, ends."""

import json
import pathlib
import tempfile
import threading
import urllib.request

import numpy as np

import chamomile


def test_a_plummer_sphere_keeps_its_energy():
    snapshot = chamomile.plummer(512, seed=4)
    simulation = chamomile.Simulation(snapshot, end_time=0.5, step=1 / 256, softening=0.05, tolerance=1e-4)
    seen = []
    simulation.at_intervals(0.25, lambda now: seen.append((now.time, now.diagnostics().energy, now.snapshot.time)), potentials=True)
    steps = []
    simulation.every_steps(32, lambda now: steps.append(now.step))
    start = snapshot.positions.copy()
    simulation.run()
    assert [t for t, _, _ in seen] == [0, 0.25, 0.5] == [t for _, _, t in seen]
    assert steps == [0, 32, 64, 96, 128] and simulation.step == 128 and simulation.step_length == 1 / 256
    energies = np.array([e for _, e, _ in seen])
    assert abs(energies / energies[0] - 1).max() < 1e-3 and np.ptp(energies) > 0
    assert snapshot.time == 0.5 and not np.array_equal(snapshot.positions, start)
    d = simulation.diagnostics()
    by_hand = 0.5 * (snapshot.masses * (snapshot.velocities**2).sum(axis=1)).sum()
    assert abs(d.kinetic / by_hand - 1) < 1e-12 and abs(d.mass - 1) < 1e-12
    assert d.lagrangian_radii[0.1] < d.lagrangian_radii[0.5] < d.lagrangian_radii[0.9]
    assert np.allclose(d.momentum, (snapshot.masses[:, None] * snapshot.velocities).sum(axis=0), atol=1e-14)


def test_the_same_bits_as_by_hand():
    """Kick-drift-kick with the package's accelerations gives the same motion to rounding."""
    snapshot, dt = chamomile.plummer(300, seed=5), 1 / 64
    x, v, m = snapshot.positions.copy(), snapshot.velocities.copy(), snapshot.masses.copy()
    a = chamomile.acceleration(x, m, softening=0.1)
    for _ in range(8):
        v += 0.5 * dt * a
        x += dt * v
        a = chamomile.acceleration(x, m, softening=0.1)
        v += 0.5 * dt * a
    chamomile.Simulation(snapshot, end_time=8 * dt, step=dt, softening=0.1).run()
    assert np.abs(snapshot.positions - x).max() < 1e-14 and np.abs(snapshot.velocities - v).max() < 1e-13


def test_external_potentials():
    """A function equals the text of the same potential; energies include both."""
    sizes = []

    def pull(x, t):
        sizes.append(len(x))
        u2 = (x**2).sum(axis=1) + 0.25
        return -2 * x / u2[:, None] ** 1.5, -2 / np.sqrt(u2)

    ends = []
    for potentials, words in ((["plummer,M=2,a=0.5"], {"step": 1 / 256}), ([pull], {"step": 1 / 256}),
                              ([pull], {"block_steps": True, "step_criterion": "softening", "eta": 0.02})):
        snapshot = chamomile.plummer(256, seed=4)
        simulation = chamomile.Simulation(snapshot, end_time=0.5, softening=0.05, potentials=potentials, device="cpu", **words)
        energies = []
        simulation.at_intervals(0.25, lambda now: energies.append(now.diagnostics()), potentials=True)
        simulation.run()
        assert max(abs(d.energy / energies[0].energy - 1) for d in energies) < 1e-3 and energies[0].external < -1
        ends.append(snapshot.positions.copy())
    assert np.abs(ends[0] - ends[1]).max() < 1e-12 and np.abs(ends[0] - ends[2]).max() < 1e-2
    assert max(sizes) == 256 and min(sizes) < 256


def test_wrong_external_potentials():
    def simulate(potentials, **words):
        simulation = chamomile.Simulation(chamomile.plummer(64), end_time=0.1, **{"step": 0.1, "softening": 0.05, **words}, potentials=potentials)
        simulation.run()

    for potentials, words, error, line in (
        (["plumer,M=1"], {}, chamomile.errors.UsageError, "potentials: plumer: unknown; did you mean 'plummer'?"),
        ("plummer,M=1,a=1", {}, TypeError, "potentials: must be a list"),
        ([3], {}, TypeError, "potentials: must be texts and functions"),
        ([lambda x, t: x[:, 0]], {}, chamomile.errors.InputError, "must return accelerations of shape"),
        ([lambda x, t: x], {"integrator": "hermite"}, chamomile.errors.UsageError, "potentials: a function: has no jerk"),
        ([lambda x, t: x], {"block_steps": True, "step": None, "softening": 0}, chamomile.errors.UsageError, "potentials: a function: has no tide"),
    ):
        try:
            simulate(potentials, **words)
        except error as raised:
            assert line in str(raised), raised
        else:
            raise AssertionError(line)


def test_arrays_stay_where_they_are():
    for words in ({"step": 1 / 64}, {"block_steps": True}, {"eta": 0.1}, {"integrator": "hermite"}):
        snapshot = chamomile.plummer(100, seed=5)
        views = [snapshot.positions, snapshot.velocities, snapshot.accelerations, snapshot.potentials]
        same = lambda: all(np.shares_memory(a, b) for a, b in zip(views, (snapshot.positions, snapshot.velocities, snapshot.accelerations, snapshot.potentials)))
        simulation = chamomile.Simulation(snapshot, end_time=5 / 64, softening=0.05, **words)
        seen = []
        simulation.every_steps(1, lambda now: seen.append(same()))
        simulation.run()
        assert same() and all(seen) and len(seen) > 1, words
        del simulation
        assert np.isfinite(views[0]).all()


def test_orbits_in_potentials():
    """In a point's potential orbits are Kepler's; the path returns after a period."""
    stars = chamomile.make_snapshot([[1.0, 0, 0], [0, 2.0, 0]], [1.0, 1.0], velocities=[[0, 1.2, 0], [0.5, 0, 0.2]])
    table = chamomile.orbits(stars, ["point,M=1"])
    energy = table["energy"]
    a = -0.5 / energy
    e = np.sqrt(1 + 2 * energy * table["angular_momentum"] ** 2)
    assert np.allclose(table["pericenter"], a * (1 - e), rtol=1e-7) and np.allclose(table["apocenter"], a * (1 + e), rtol=1e-7)
    assert np.allclose(table["radial_period"], 2 * np.pi * a**1.5, rtol=1e-7) and np.allclose(table["revolution"], table["radial_period"], rtol=1e-7)
    assert np.allclose(table["circular_speed"], [1, 2**-0.5]) and np.allclose(table["escape_speed"], [2**0.5, 1])
    path = chamomile.orbits(stars, ["point,M=1"], duration=float(table["radial_period"][0]), rows=4)
    assert path["x"].shape == (10,) and abs(path["x"][4] - 1) < 1e-6 and list(path["id"][[0, 4, 5]]) == [1, 1, 2] and "pericenter" not in path
    for words in ({"potentials": []}, {"potentials": ["point,M=1"], "rows": 3}, {"potentials": [lambda x, t: -x]}, {"potentials": ["rotation,omega=1"]}):
        try:
            chamomile.orbits(stars, **words)
        except chamomile.UsageError:
            continue
        raise AssertionError(words)


def test_hermite_closes_an_orbit():
    snapshot = chamomile.two_body(eccentricity=0.5)
    start = snapshot.positions.copy()
    simulation = chamomile.Simulation(snapshot, end_time=2 * np.pi, eta=0.005, integrator="hermite")
    simulation.run()
    assert simulation.options["precision"] == "double" and np.abs(snapshot.positions - start).max() < 1e-3
    shared = chamomile.Simulation(chamomile.two_body(), end_time=1, step=1 / 512, integrator="hermite")
    shared.run()
    assert shared.step == 512


def test_the_softening_of_the_file_with_its_kernel():
    """A spline's length is not mistaken for Plummer's."""
    text = "# softening_length: 0.3\n# softening_kind: {}\n# columns: x y z vx vy vz mass\n" + "".join(
        f"{x} 0 {x * x} 0 0 0 1\n" for x in (0, 0.25, 0.4, 0.9))
    with tempfile.TemporaryDirectory() as folder:
        moved = {}
        for kind in ("plummer", "spline"):
            path = pathlib.Path(folder, kind + ".txt")
            path.write_text(text.format(kind))
            for given in ({}, {"softening": None, "kernel": None}, {"softening": 0.3, "kernel": kind}):
                snapshot = chamomile.read_snapshot(path)
                assert (snapshot.softening, snapshot.kernel) == (0.3, kind)
                simulation = chamomile.Simulation(snapshot, end_time=0.5, step=1 / 16, **given)
                assert simulation.options["kernel"] == kind and simulation.options["softening"] == 0.3
                simulation.run()
                moved.setdefault(kind, snapshot.positions.copy())
                assert np.array_equal(moved[kind], snapshot.positions), (kind, given)
        assert not np.array_equal(moved["plummer"], moved["spline"])
    assert chamomile.plummer(3).kernel is None


def test_ends():
    simulation = chamomile.Simulation(chamomile.plummer(50), end_time=1, step=1 / 32, softening=0.1)
    simulation.every_steps(1, lambda now: now.stop() if now.step == 3 else None)
    simulation.run()
    assert 3 <= simulation.step <= 4
    for call in (simulation.run, lambda: simulation.every_steps(1, print)):
        try:
            call()
        except chamomile.StateError as error:
            assert "run already" in str(error)
        else:
            raise AssertionError("it ran twice")

    class Enough(Exception):
        pass

    def tire(now):
        if now.step == 2:
            raise Enough

    simulation = chamomile.Simulation(chamomile.plummer(50), end_time=1, step=1 / 32, softening=0.1)
    simulation.every_steps(1, tire)
    try:
        simulation.run()
    except Enough:
        assert simulation.step == 2 and simulation.snapshot.time == 2 / 32
    else:
        raise AssertionError("an observer's exception was lost")


def test_another_thread_may_stop_it():
    simulation = chamomile.Simulation(chamomile.plummer(2000), end_time=1000, step=1 / 64, softening=0.1)
    begun = threading.Event()
    simulation.every_steps(1, lambda now: begun.set())
    runner = threading.Thread(target=simulation.run)
    runner.start()
    begun.wait()
    refused = False
    try:
        simulation.diagnostics()
    except chamomile.StateError:
        refused = True
    simulation.stop()
    runner.join(60)
    assert not runner.is_alive() and refused and simulation.time < 1000


def test_misuse():
    sphere = chamomile.plummer(10)
    for words in (
        {"end_time": -1, "step": 0.1}, {"end_time": 1}, {"end_time": 1, "step": 0.1, "eta": 0.1}, {"end_time": 1, "step": -1},
        {"end_time": 1, "step": 0.1, "integrator": "euler"}, {"end_time": 1, "eta": 0.1}, {"end_time": 1, "step": 0.1, "sofening": 1},
        {"end_time": np.nan, "step": 0.1}, {"end_time": 1, "step": np.nan}, {"end_time": 1, "eta": 0, "softening": 0.1},
        {"end_time": 1, "step": 0.1, "shortest": 0.01}, {"end_time": 1, "step": 0.1, "longest": 0.01},
        {"end_time": 1, "eta": 0.1, "softening": 0.1, "shortest": 2, "longest": 1},
        {"end_time": 1, "step": 0.1, "G": -1}, {"end_time": 1, "step": 0.1, "accuracy": 1e-30},
        {"end_time": 1, "step": 0.1, "accuracy": 0.01, "tolerance": 0.01}, {"end_time": 1, "step": 0.1, "solver": "direct", "order": 2},
        *[{"end_time": 1, "eta": 0.01, "integrator": "hermite", **more} for more in (
            {"solver": "tree"}, {"tolerance": 1e-3}, {"theta": 0.5}, {"criterion": "moments"}, {"order": 2}, {"local_order": 6},
            {"group_size": 64}, {"leaf_size": 8}, {"decorrelate": 1}, {"accuracy": 1e-3}, {"softening": 0.1, "kernel": "spline"})],
    ):
        try:
            chamomile.Simulation(sphere, **words)
        except chamomile.UsageError as error:
            assert "\n" not in str(error)
        else:
            raise AssertionError(words)
    chamomile.Simulation(sphere, end_time=1, step=0.1)
    for name, value in (("box_size", -1), ("box_size", np.nan), ("G", 0), ("G", -1), ("G", np.inf), ("softening", -1)):
        try:
            setattr(sphere, name, value)
        except chamomile.UsageError as error:
            assert name in str(error)
        else:
            raise AssertionError((name, value))
    snapshot = chamomile.plummer(10)
    snapshot.velocities[4] = np.nan
    try:
        chamomile.Simulation(snapshot, end_time=1, step=0.1, softening=0.1).run()
    except (chamomile.NumericError, chamomile.InputError) as error:
        assert "particle" in str(error)
    else:
        raise AssertionError("NaN went unseen")


def test_quantities_have_units():
    gyr = 1e9 * 365.25 * 86400 / (3.085678e21 / 1e5)  # in kpc/(km/s)
    ends = []
    for words in (dict(end_time="20 Myr", step="5Myr", softening="50 pc"), dict(end_time=0.02 * gyr, step=0.005 * gyr, softening=0.05)):
        snapshot = chamomile.plummer(100, seed=2)
        snapshot.use_units("kpc,1e10Msun")
        snapshot.use_units("galactic")
        simulation = chamomile.Simulation(snapshot, **words)
        seen = []
        simulation.at_intervals("10 Myr" if isinstance(words["step"], str) else 0.01 * gyr, lambda now: seen.append(now.step))
        simulation.run()
        assert seen == [0, 2, 4] and abs(simulation.end_time / (0.02 * gyr) - 1) < 1e-9
        ends.append(snapshot.positions.copy())
    assert np.allclose(*ends, rtol=1e-9)
    snapshot = chamomile.plummer(100, seed=2)
    snapshot.use_units("kpc,1e10Msun")
    with tempfile.TemporaryDirectory() as folder:
        chamomile.Simulation(snapshot, end_time=1, step=0.25, softening="50pc").run(folder, output_times=[0.1, "3 Myr", 0.75])
        files = sorted(pathlib.Path(folder).glob("snapshot_*"))
        wanted = [0, 0.1, 3e-3 * gyr * snapshot.G**0.5 * 207.38186, 0.75, 1]
        assert np.allclose([chamomile.read_snapshot(file).time for file in files], wanted, rtol=1e-5), wanted
    snapshot.use_units("galactic")
    assert snapshot.unit("time") == "kpc/(km/s)" and snapshot.unit("energy") == "1e10 Msun (km/s)^2" and abs(snapshot.G / 43007.1 - 1) < 1e-5
    assert chamomile.plummer(2).unit("mass") == ""
    # For arrays use_units() first sets the units; later calls convert.
    arrays = chamomile.make_snapshot(np.eye(3), 2.0)
    arrays.use_units("galactic")
    assert np.array_equal(arrays.positions, np.eye(3)) and arrays.unit("length") == "kpc" and abs(arrays.G / 43007.1 - 1) < 1e-5
    arrays.use_units("stellar")
    assert np.allclose(arrays.positions, 1000 * np.eye(3)) and np.allclose(arrays.masses, 2e10)
    for line, make in (
        ("step: 1 kpc: is a length: must be a time", lambda: chamomile.Simulation(snapshot, end_time=1, step="1 kpc", softening=1)),
        ("end_time: 1 Gyrr: Gyrr: unknown unit", lambda: chamomile.Simulation(snapshot, end_time="1 Gyrr", step=1, softening=1)),
        ("softening: 1 pc: has a unit, but the particles are in N-body units", lambda: chamomile.Simulation(chamomile.plummer(2), end_time=1, step=1, softening="1 pc")),
        ("softening: 1 pc: has a unit: must be a plain number", lambda: chamomile.Solver(softening="1 pc")),
        ("use_units: galactic: particles in N-body units", lambda: chamomile.plummer(2).use_units("galactic")),
        ("of: colour: must be one of length, mass", lambda: snapshot.unit("colour")),
    ):
        try:
            make()
        except chamomile.UsageError as error:
            assert line in str(error), error
        else:
            raise AssertionError(f"not refused: {line}")


def test_a_view_shows_the_particles_and_obeys():
    simulation = chamomile.Simulation(chamomile.plummer(500), end_time=100, step=1 / 256, softening=0.05)
    view = simulation.view()
    address, token = view.url.split("/#")
    assert address.startswith("http://127.0.0.1:") and view.url in view._repr_html_()

    def ask(target, method="GET"):
        request = urllib.request.Request(address + target, method=method, headers={"X-Chamomile-Token": token})
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.read()

    def head(after):
        content = ask(f"/frame?after={after}&points=1000&types=63")
        length = int.from_bytes(content[:4], "little")
        assert (len(content) - 4 - length) // 8 == 500
        return json.loads(content[4:4 + length])

    first = head(0)
    assert first["step"] == 0 and first["time"] == "t = 0 N-body units"
    runner = threading.Thread(target=simulation.run)
    runner.start()
    second = head(first["sequence"])
    ask("/do/pause", "POST")
    while not (second := head(second["sequence"]))["paused"]:
        pass
    assert simulation.step == second["step"]
    ask("/do/stop", "POST")
    runner.join(20)
    assert not runner.is_alive() and simulation.time < 100
    for wrong in (lambda: simulation.view(), lambda: chamomile.Simulation(chamomile.plummer(10), end_time=1, step=1, softening=1).view(70000)):
        try:
            wrong()
        except (chamomile.UsageError, RuntimeError) as error:
            assert "\n" not in str(error)
        else:
            raise AssertionError("a second view, or no port")
