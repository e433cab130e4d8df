"""Fields compared with plain numpy sums: tree and direct, at sources and at other points."""

import numpy as np

import chamomile
from sums import error, field

N = 597
QUANTITIES = ("acceleration", "potential", "tidal_tensor", "jerk")


def cloud(seed=1, n=N):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 3)), rng.uniform(0.5, 2, n) / n, rng.normal(size=(n, 3))


def test_all_quantities_in_double():
    x, m, v = cloud()
    rng = np.random.default_rng(2)
    points, w = rng.normal(size=(101, 3)), rng.normal(size=(101, 3))
    solver = chamomile.Solver(solver="direct", precision="double", softening=0.05, G=3).build(x, m, v)
    here = solver.evaluate(quantities=QUANTITIES)
    for name, expected in zip(QUANTITIES, field(x, x, m, 0.05, 3, np.arange(N), v, v)):
        assert error(getattr(here, name), expected) < 1e-13, name
    there = solver.evaluate(points, quantities=QUANTITIES, target_velocities=w)
    for name, expected in zip(QUANTITIES, field(points, x, m, 0.05, 3, None, v, w)):
        assert error(getattr(there, name), expected) < 1e-13, name


def test_trees_keep_their_error():
    x, m, _ = cloud()
    exact = field(x, x, m, 0.02, 1, np.arange(N))
    for words, limit in [({}, 3e-3), ({"theta": 0.4}, 3e-3), ({"tolerance": 1e-5, "order": 4}, 1e-4)]:
        a, phi = chamomile.acceleration(x, m, softening=0.02, potential=True, **words)
        assert 0 < error(a, exact[0]) < limit and error(phi, exact[1]) < limit / 5, words
        assert np.array_equal(a, chamomile.acceleration(x, m, softening=0.02, **words))
        assert np.array_equal(phi, chamomile.potential(x, m, softening=0.02, **words))


def test_functions_are_the_solver():
    x, m, v = cloud()
    words = {"solver": "direct", "softening": 0.1}
    solver = chamomile.Solver(**words).build(x, m, v)
    assert np.array_equal(chamomile.tidal_tensor(x, m, **words), solver.evaluate(quantities="tidal_tensor").tidal_tensor)
    assert np.array_equal(chamomile.jerk(x, v, m, **words), solver.evaluate(quantities="jerk").jerk)
    points = x[:7] + 0.5
    at = chamomile.jerk(x, v, m, targets=points, target_velocities=v[:7], **words)
    assert np.array_equal(at, solver.evaluate(points, quantities="jerk", target_velocities=v[:7]).jerk)
    six = chamomile.tidal_tensor(x, m, targets=points, **words)
    full = chamomile.symmetric_matrix(six)
    assert full.shape == (7, 3, 3) and np.array_equal(full, full.transpose(0, 2, 1))
    assert np.array_equal(full[:, 1, 2], six[:, 4]) and np.array_equal(full[:, 2, 2], six[:, 5])


def test_active_sources_and_selves():
    x, m, _ = cloud()
    active = np.array([5, 3, 400, 596])
    solver = chamomile.Solver(softening=0.05).build(x, m)
    all_of_them = solver.evaluate(quantities=("acceleration", "potential"))
    some = solver.evaluate(active=active, quantities=("acceleration", "potential"))
    exact = field(x[active], x, m, 0.05, 1, active)
    assert error(some.acceleration, all_of_them.acceleration[active]) < 1e-3
    assert error(some.acceleration, exact[0]) < 2e-3 and error(some.potential, exact[1]) < 1e-3
    selves = solver.evaluate(x[active], self_index=active, quantities=("acceleration", "potential"))
    assert error(selves.potential, exact[1]) < 1e-3
    felt = solver.evaluate(x[active], self_index=np.full(4, -1), quantities="potential").potential
    assert np.allclose(felt, selves.potential - m[active] / 0.05, rtol=1e-3)
    assert np.array_equal(chamomile.acceleration(x, m, active=active, softening=0.05), some.acceleration)


def test_one_tree_for_many_evaluations_and_refit():
    x, m, _ = cloud(n=3001)
    solver = chamomile.Solver(softening=0.05).build(x, m)
    first = solver.evaluate().acceleration
    pairs = solver.statistics
    assert pairs.targets == 3001 and pairs.particle_particle > 0 and pairs.cells > 1 and pairs.seconds > 0
    assert np.array_equal(first, solver.evaluate().acceleration)
    points = x[:50] * 0.7
    assert np.array_equal(solver.evaluate(points).acceleration, solver.evaluate(points).acceleration)
    moved = x + 0.01 * np.sin(3 * x)
    solver.refit(moved, m)
    sample = np.arange(0, 3001, 30)
    exact = field(moved[sample], moved, m, 0.05, 1, sample)[0]
    assert error(solver.evaluate().acceleration[sample], exact) < 3e-3
    assert error(first[sample], exact) > 3e-3  # so that a refit without effect would be detected
    assert solver.size == 3001 and solver.options["criterion"] == "moments" and "CPU" in solver.device


def test_neighbours_are_exact():
    x, m, _ = cloud()
    solver = chamomile.Solver().build(x, m)
    points = x[:20] * 1.1
    distance = np.linalg.norm(points[:, None] - x[None], axis=2)
    found = solver.neighbours(points, 0.6)
    assert found.counts.sum() > 100 and found.indices.shape == (20, found.counts.max())
    radii = np.linspace(0, 1, 20)
    varied = solver.neighbours(points, radii, most=5)
    own = solver.neighbours(x[:20], 0.6, self_index=np.arange(20))
    for i in range(20):
        expected = np.flatnonzero(distance[i] <= 0.6)
        assert np.array_equal(found.indices[i, : found.counts[i]], expected)
        assert (found.indices[i, found.counts[i] :] == -1).all()
        near = np.flatnonzero(distance[i] <= radii[i])
        assert varied.counts[i] == len(near) and np.array_equal(varied.indices[i, : min(5, len(near))], near[:5])
        mine = np.flatnonzero(np.linalg.norm(x[i] - x, axis=1) <= 0.6)
        assert np.array_equal(own.indices[i, : own.counts[i]], mine[mine != i])


def test_accuracy_measures_errors():
    x, m, _ = cloud(n=2003)
    coarse = chamomile.accuracy(x, m, sample=300, theta=0.9, order=0, softening=0.05)
    fine = chamomile.accuracy(x, m, sample=300, tolerance=1e-4, softening=0.05)
    assert coarse.targets == 300 and coarse.acceleration.p99 > 10 * fine.acceleration.p99 > 0
    a = chamomile.acceleration(x, m, theta=0.9, order=0, softening=0.05)
    i = coarse.worst
    exact = field(x[i : i + 1], x, m, 0.05, 1, [i])[0]
    assert abs(error(a[i : i + 1], exact) / coarse.acceleration.max - 1) < 1e-6
    direct = chamomile.accuracy(x, m, sample=300, solver="direct", precision="double")
    assert direct.acceleration.max < 1e-12


def test_other_forces_are_judged():
    x, m, _ = cloud(n=1003)
    a = field(x, x, m, 0.05, 1, np.arange(len(x)))[0]
    noise = a * (1 + 1e-3 * np.random.default_rng(3).normal(size=a.shape))
    plain = chamomile.judge(x, m, noise, softening=0.05)
    assert not plain.findings and plain.factor == 1 and len(plain.targets) == 1003 and plain.stated == plain.found
    assert np.allclose(plain.acceleration_errors, np.linalg.norm(noise - a, axis=1) / np.linalg.norm(a, axis=1), rtol=1e-6) and plain.potential_errors.size == 0
    wrong = chamomile.judge(x, m, 1.01 * noise[:, [2, 1, 0]], sample=500)
    assert wrong.targets.shape == (500,) and abs(wrong.factor - 1.01) < 1e-4 and wrong.kernel == "plummer" and abs(wrong.softening - 0.05) < 1e-4
    assert [line.split(":")[0] for line in wrong.findings] == ["axes are swapped", "softening fits Plummer, eps = 0.05; none is stated",
                                                               "all accelerations are 1.01 times the exact ones"], wrong.findings
    assert wrong.found.acceleration.p99 < 0.01 < wrong.stated.acceleration.median
    for arguments, line in (((x, m), "must be given"), ((x, m, a[1:]), "accelerations"), ((x, m, a, m[1:]), "potentials")):
        try:
            chamomile.judge(*arguments)
        except chamomile.Error as fault:
            assert line in str(fault)
        else:
            raise AssertionError(f"{line}: not refused")


def test_no_sources_pull_at_nothing():
    none, nothing, x = np.zeros((0, 3)), np.zeros(0), cloud()[0]
    shapes = {"acceleration": (N, 3), "potential": (N,), "tidal_tensor": (N, 6), "jerk": (N, 3)}
    for words in ({"softening": 0.1}, {}, {"solver": "direct"}, {"solver": "direct", "precision": "double"}, {"theta": 0.5}, {"accuracy": 1e-3}):
        solver = chamomile.Solver(**words).build(none, nothing, none)
        for refit in (False, True):
            if refit:
                solver.refit(none, nothing, none)
            there = solver.evaluate(x, quantities=QUANTITIES, target_velocities=x)
            here = solver.evaluate(quantities=QUANTITIES)
            for name, shape in shapes.items():
                assert getattr(there, name).shape == shape and not getattr(there, name).any(), (words, name)
                assert getattr(here, name).shape == (0, *shape[1:]), (words, name)
        room = np.full((N, 3), 7.0)
        solver.evaluate(x, self_index=np.full(N, -1), out={"acceleration": room})
        found = solver.neighbours(x, 1.0)
        assert not room.any() and not found.counts.any() and found.indices.shape == (N, 0)
        assert solver.evaluate(active=[]).acceleration.shape == (0, 3) and solver.size == 0
        assert chamomile.acceleration(none, nothing, **words).shape == (0, 3)
        assert not chamomile.potential(none, 1.0, targets=x, **words).any()
        for call in (lambda: solver.evaluate(active=[0]), lambda: solver.evaluate(x, self_index=np.zeros(N, int))):
            try:
                call()
            except chamomile.InputError as error:
                assert "0" in str(error)
            else:
                raise AssertionError("a source that is not there was taken")


def test_root_cubes_at_random_places():
    """decorrelate: results depend on seed and build, and errors of several builds average out."""
    x, m, _ = cloud(n=5003)
    words = {"softening": 0.02, "tolerance": 0.02}
    bits = {seed: chamomile.acceleration(x, m, decorrelate=seed, **words) for seed in (None, 1, 2, 7)}
    for a in bits:
        assert np.array_equal(bits[a], chamomile.acceleration(x, m, decorrelate=a, **words))
        for b in bits:
            assert a == b or not np.array_equal(bits[a], bits[b]), (a, b)
    solver = chamomile.Solver(decorrelate=1, **words)
    builds = [solver.build(x, m).evaluate().acceleration for _ in range(12)]
    assert np.array_equal(builds[0], bits[1]) and not np.array_equal(builds[1], bits[1])
    assert np.array_equal(solver.evaluate().acceleration, builds[-1])  # of the same build
    at = [chamomile.acceleration(x, m, targets=x[:50] * 1.01, decorrelate=seed, **words) for seed in (1, 2)]
    assert not np.array_equal(*at)
    sample = np.arange(0, 5003, 25)
    exact = field(x[sample], x, m, 0.02, 1, sample)[0]
    off = lambda a: np.median(np.linalg.norm(a[sample] - exact, axis=1) / np.linalg.norm(exact, axis=1))
    assert off(np.mean(builds, axis=0)) < 0.5 * np.median([off(a) for a in builds])


def test_an_accuracy_to_keep():
    x, m, _ = cloud(n=6007)
    sample = np.arange(0, 6007, 3)  # 1 % of 300 would be too few
    exact = field(x[sample], x, m, 0.02, 1, sample)[0]
    for goal in (3e-2, 1e-3):
        solver = chamomile.Solver(softening=0.02, accuracy=goal, order=2).build(x, m)
        a = solver.evaluate().acceleration
        off = np.linalg.norm(a[sample] - exact, axis=1) / np.linalg.norm(exact, axis=1)
        assert np.percentile(off, 99) < 1.1 * goal, (goal, np.percentile(off, 99), solver.options)
        assert solver.options["accuracy"] == goal and solver.options["order"] == 2
        assert np.array_equal(a, solver.build(x, m).evaluate().acceleration)  # chosen only once
    assert chamomile.accuracy(x, m, sample=6007, softening=0.02, accuracy=1e-3).acceleration.p99 < 1.1e-3
    inside = chamomile.accuracy(x % 1, m, sample=6007, softening=0.002, box=1, accuracy=2e-3)  # by Ewald's sums
    assert 1e-5 < inside.acceleration.p99 < 2e-3, inside.acceleration.p99
