"""chamomile.pytreegrav compared with pytreegrav: direct sums to rounding, trees by their errors."""

import unittest

import numpy as np

from chamomile import plummer
from chamomile import pytreegrav as ours
from chamomile.errors import InputError

try:
    import pytreegrav as theirs
except ImportError:
    theirs = None


def _need():
    if theirs is None:
        raise unittest.SkipTest("no pytreegrav")


def _sphere(n=597, seed=3):
    snapshot = plummer(n, seed=seed)
    rng = np.random.default_rng(seed)
    return snapshot.positions.copy(), rng.uniform(0.5, 1.5, n) / n


def _error(a, b):
    """Returns the largest difference, relative to the largest number of each row."""
    flat = (len(a), -1)
    return (np.abs(a - b).reshape(flat).max(axis=1) / np.abs(b).reshape(flat).max(axis=1)).max()


FAMILIES = [("Accel", "AccelTarget"), ("Potential", "PotentialTarget"), ("TidalTensor", "TidalTensorTarget")]


def test_direct_sums_of_particles_by_each_other():
    _need()
    x, m = _sphere()
    kinds = np.where(np.arange(len(x)) % 3 == 0, 0.3, 0.05)
    own = np.linspace(0, 0.5, len(x))
    for which, softening in enumerate((None, np.full(len(x), 0.2), kinds, np.where(kinds == 0.3, 0.3, 0), own)):
        for name, _ in FAMILIES:
            words = {"softening": softening, "G": 2.5, "method": "bruteforce"}
            expected = getattr(theirs, name)(x, m, **words)
            assert _error(getattr(ours, name)(x, m, **words), expected) < 1e-10, (name, which)


def test_direct_sums_at_targets():
    _need()
    x, m = _sphere()
    rng = np.random.default_rng(5)
    points = np.concatenate([rng.normal(size=(100, 3)), x[:50]])  # half of them exactly at a source
    several = np.linspace(0.05, 0.3, 97)
    for h_target, h_source in [(None, None), (0.2, 0.1), (0.1, 0.2), (0.2, 0.2), (None, several), (several, 0.1), (several, several)]:
        for _, name in FAMILIES:
            h = [None if v is None else np.resize(v, n) for v, n in ((h_target, len(points)), (h_source, len(x)))]
            words = {"softening_target": h[0], "softening_source": h[1], "method": "bruteforce"}
            expected = getattr(theirs, name)(points, x, m, **words)
            assert _error(getattr(ours, name)(points, x, m, **words), expected) < 1e-10, (name, h_target, h_source)


def test_trees_are_nearer_to_the_truth():
    _need()
    x, m = _sphere(6000)
    h = np.full(len(x), 0.05)
    for quadrupole in (False, True):
        for name in ("Accel", "Potential"):
            truth = getattr(theirs, name)(x, m, h, method="bruteforce")
            words = {"softening": h, "theta": 0.7, "method": "tree", "quadrupole": quadrupole}

            def rms(values):
                flat = (len(x), -1)
                off = np.linalg.norm((values - truth).reshape(flat), axis=1)
                return np.sqrt(np.mean((off / np.linalg.norm(truth.reshape(flat), axis=1)) ** 2))

            mine, other = rms(getattr(ours, name)(x, m, **words)), rms(getattr(theirs, name)(x, m, **words))
            assert 0 < mine < other, (name, quadrupole, mine, other)


def test_every_particle_has_a_softening():
    """Compared with numpy sums: the spline of Springel, Yoshida & White (2001), with the larger h of a pair."""
    x, m = _sphere(400)
    h = np.linspace(0.01, 0.6, len(x))
    pair, r = np.maximum.outer(h, h), np.linalg.norm(x[:, None] - x, axis=2)
    q = r / pair
    with np.errstate(divide="ignore", invalid="ignore"):
        inner = (32 / 3 - 38.4 * q**2 + 32 * q**3) / pair**3
        outer = (64 / 3 - 48 * q + 38.4 * q**2 - 32 / 3 * q**3 - 1 / (15 * q**3)) / pair**3
        factor = np.where(q < 0.5, inner, np.where(q < 1, outer, 1 / r**3))
    np.fill_diagonal(factor, 0)
    expected = -np.einsum("ij,j,ijk->ik", factor, m, x[:, None] - x)
    assert _error(ours.Accel(x, m, softening=h, method="bruteforce"), expected) < 1e-10
    off = np.linalg.norm(ours.Accel(x, m, softening=h, method="tree", theta=0.5) - expected, axis=1) / np.linalg.norm(expected, axis=1)
    assert np.median(off) < 0.01
    assert _error(ours.AccelTarget(x, x, m, softening_target=h, softening_source=h, method="bruteforce"), expected) < 1e-10


def test_a_tree_is_kept():
    x, m = _sphere()
    points = np.random.default_rng(1).normal(size=(40, 3))
    tree = ours.ConstructTree(x, m, np.full(len(x), 0.1), quadrupole=True)
    first = ours.AccelTarget(points, None, None, tree=tree, quadrupole=True)
    solvers = dict(tree._solvers)
    again = ours.AccelTarget(points, None, None, tree=tree, quadrupole=True)
    assert np.array_equal(first, again) and tree._solvers == solvers and len(solvers) == 1
    phi, returned = ours.Potential(x, m, tree=tree, return_tree=True)
    assert returned is tree and phi.shape == (len(x),)
    exact = ours.AccelTarget(points, x, m, softening_source=np.full(len(x), 0.1), method="bruteforce")
    assert _error(first, exact) < 0.02


def test_misuse():
    x, m = _sphere(50)
    wrong = [
        (ValueError, lambda: ours.Accel(x, m, method="fmm")),
        (TypeError, lambda: ours.Accel(x, m, method=1)),
        (TypeError, lambda: ours.Accel(x, m, tree="oak")),
        (ValueError, lambda: ours.AccelTarget(x, None, None)),
        (ValueError, lambda: ours.Accel(x, m, tree=ours.ConstructTree(x, m), quadrupole=True)),
        (ValueError, lambda: ours.Accel(x, m, theta=2, method="tree")),
        (InputError, lambda: ours.Accel(x, m[:-1])),
        (InputError, lambda: ours.Accel(x, m, softening=np.linspace(-1, 1, 50))),
        (InputError, lambda: ours.ConstructTree(np.full((4, 3), np.nan), np.ones(4))),
    ]
    for kind, call in wrong:
        try:
            call()
        except kind as error:
            assert str(error) and "\n" not in str(error)
        else:
            raise AssertionError(f"{kind.__name__} was expected")


def test_lists_and_one_particle():
    assert np.array_equal(ours.Accel([[0.0, 0, 0]], [1.0]), np.zeros((1, 3)))
    pair = ours.Accel([[0.0, 0, 0], [2.0, 0, 0]], [1.0, 4.0])
    assert np.allclose(pair, [[1, 0, 0], [-0.25, 0, 0]], rtol=1e-14)
