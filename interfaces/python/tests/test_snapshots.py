"""Snapshots: arrays in place, models, files written and read."""

import copy
import pathlib
import pickle
import tempfile

import numpy as np

import chamomile


def test_arrays_are_the_snapshots_memory():
    snapshot = chamomile.plummer(100, seed=2)
    x = snapshot.positions
    x[3] = [1, 2, 3]
    assert np.array_equal(snapshot.positions[3], [1, 2, 3]) and np.shares_memory(x, snapshot.positions)
    expected = x.copy()
    del snapshot
    assert np.array_equal(x, expected)  # an array keeps its snapshot alive
    assert x.dtype == np.float64 and x.flags.c_contiguous


def test_extra_columns():
    snapshot = chamomile.plummer(100, seed=2)
    ages = np.arange(100) * 0.1
    snapshot.add_column("age", ages.astype(np.float32))
    snapshot.add_column("age", ages)
    assert list(snapshot.extra) == ["age"] and np.array_equal(snapshot.extra["age"], ages)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "a.hdf5"
        chamomile.write_snapshot(snapshot, file)
        assert np.array_equal(chamomile.read_snapshot(file).extra["age"], ages)
    assert np.array_equal(copy.deepcopy(snapshot).extra["age"], ages)
    assert np.array_equal(pickle.loads(pickle.dumps(snapshot)).extra["age"], ages)
    for name, values, words in [("Masses", ages, "name: 'Masses'"), ("a/b", ages, "name: 'a/b'"), ("x", ages[:3], "100")]:
        try:
            snapshot.add_column(name, values)
        except ValueError as error:
            assert words in str(error), error
        else:
            raise AssertionError(name)


def test_models():
    for make, n in [
        (chamomile.plummer, 500), (chamomile.hernquist, 500), (chamomile.nfw, 500), (chamomile.disk, 500),
        (chamomile.cold_sphere, 500), (chamomile.cube, 500), (chamomile.galaxy, 500), (chamomile.merger, 500),
        (chamomile.einasto, 500), (chamomile.king, 500), (chamomile.exponential, 500),
    ]:
        one, again, other = make(n, seed=5), make(n, seed=5), make(n, seed=6)
        assert len(one) == n and np.array_equal(one.positions, again.positions), make
        assert not np.array_equal(one.positions, other.positions) and one.masses.sum() > 0
    sphere = chamomile.plummer(2000)
    kinetic = 0.5 * (sphere.masses * (sphere.velocities**2).sum(axis=1)).sum()
    potential = 0.5 * (sphere.masses * chamomile.potential(sphere.positions, sphere.masses, solver="direct", precision="double")).sum()
    assert abs(kinetic - 0.25) < 1e-12 and abs(potential + 0.5) < 1e-12  # N-body units
    two = chamomile.two_body(eccentricity=0)
    assert np.allclose(np.linalg.norm(two.positions[1] - two.positions[0]), 1)
    assert set(chamomile.models.galaxy(300).types) == {1, 2, 3}


def test_spheres():
    king = chamomile.king(20000, w0=7, r_half=3, mass=2)
    radii = np.sort(np.linalg.norm(king.positions, axis=1))
    assert abs(radii[10000] / 3 - 1) < 0.03 and abs(king.masses.sum() - 2) < 1e-4
    halo = chamomile.nfw(1000, m200=100, c=12, hubble=0.7)
    assert "kpc" in repr(halo) and "kpc" in repr(chamomile.nfw(100, physical=True))
    both = chamomile.spheres(["nfw,mass=1,part=0.5", "exponential,mass=0.2,r_half=0.7,type=4,part=0.5"], 1000, c_to_a=0.8)
    assert set(both.types) == {1, 4} and abs(both.masses[both.types == 4].sum() - 0.2) < 1e-4
    radial = chamomile.hernquist(20000, anisotropy_radius=0.5, truncation=50)
    outwards = (radial.positions * radial.velocities).sum(axis=1) ** 2 / (radial.positions**2).sum(axis=1)
    assert outwards.sum() > 0.4 * (radial.velocities**2).sum()
    assert set(chamomile.galaxy(300, halo_profile="nfw", bulge_profile="exponential").types) == {1, 2, 3}
    for wrong, words in [
        (lambda: chamomile.king(100, w0=17), "w0: 17"), (lambda: chamomile.king(100, depth=3), "depth: unknown keyword"),
        (lambda: chamomile.spheres(["kng"], 100), "did you mean 'king'"), (lambda: chamomile.nfw(100, b_to_a=0), "b/a"),
        (lambda: chamomile.spheres(["king"], 100, size=3), "size: unknown keyword"),
    ]:
        try:
            wrong()
            raise AssertionError(words)
        except chamomile.errors.Error as error:
            assert words in str(error), error


def test_sizes_and_stars():
    for make in (chamomile.plummer, chamomile.hernquist, chamomile.nfw, chamomile.einasto, chamomile.king, chamomile.exponential, chamomile.cold_sphere, chamomile.cube, chamomile.disk):
        model = make(20000, mass=3, r_half=2)
        inside = (np.linalg.norm(model.positions, axis=1) < 2).sum()
        assert abs(model.masses.sum() / 3 - 1) < 1e-12 and abs(inside - 10000) < 3.3 * 71, (make, inside)
    for make in chamomile.plummer, chamomile.king:
        cluster = make(seed=2, mass="4000Msun", r_half="1pc", imf="kroupa", segregated=True, binaries=0.5, periods="flat", mass_ratios="equal")
        pairs = round(len(cluster) / 3)
        assert "kpc" in repr(cluster) and abs(1e10 * cluster.masses.sum() / 4000 - 1) < 1e-12 and 6000 < len(cluster) < 8000, cluster
        assert np.array_equal(cluster.masses[: 2 * pairs : 2], cluster.masses[1 : 2 * pairs : 2])
        radii = np.linalg.norm(cluster.positions, axis=1)
        order = np.argsort(cluster.masses)
        assert np.median(radii[order[:2000]]) > 1.5 * np.median(radii[order[-200:]])
    both = chamomile.spheres(["nfw,mass=1e5Msun,r_half=9pc", "exponential,mass=2000Msun,r_half=2pc,type=4,imf=kroupa,binaries=0.5"], 700)
    assert (both.types == 1).sum() == 700 and abs(1e10 * both.masses[both.types == 4].sum() / 2000 - 1) < 1e-12
    pair = chamomile.two_body(mass="3Msun", semi_major_axis="1pc", eccentricity=0)
    assert abs(1e10 * pair.masses.sum() / 3 - 1) < 1e-12 and abs(np.linalg.norm(pair.positions[1] - pair.positions[0]) - 1e-3) < 1e-15
    for wrong, words in [
        (lambda: chamomile.king(100, periods="flat"), "king: periods: needs binaries"), (lambda: chamomile.plummer(100, binaries=0.5), "binaries: needs mass with a unit"),
        (lambda: chamomile.plummer(100, mass="9Msun", imf="kroupa"), "plummer: n: contradicts imf and mass"), (lambda: chamomile.cube(100, mass="9pc"), "cube: mass: 9pc: is a length"),
        (lambda: chamomile.two_body(r_half=1), "two_body: r_half: unknown keyword"),
    ]:
        try:
            wrong()
            raise AssertionError(words)
        except chamomile.errors.Error as error:
            assert words in str(error), error


def test_files_there_and_back():
    snapshot = chamomile.galaxy(300, seed=3)
    snapshot.time = 1.5
    snapshot.provenance = {"maker": "test"}
    with tempfile.TemporaryDirectory() as folder:
        for extension in ("hdf5", "txt", "gadget2", "tipsy"):
            path = pathlib.Path(folder, "s." + extension)
            left_out = chamomile.write_snapshot(snapshot, path)
            back = chamomile.read_snapshot(str(path))
            order = np.argsort(back.ids) if "ids" not in " ".join(left_out) else slice(None)
            if extension in ("hdf5", "txt"):
                assert left_out == []
                for name in ("positions", "velocities", "masses", "types"):
                    assert np.array_equal(getattr(back, name)[order], getattr(snapshot, name)), (extension, name)
                assert np.array_equal(back.ids[order], snapshot.ids)
            else:
                assert left_out and np.allclose(np.sort(back.masses), np.sort(snapshot.masses), rtol=1e-6)
            assert len(back) == 300 and abs(back.time - 1.5) < 1e-6 and back.format
        assert chamomile.read_snapshot(pathlib.Path(folder, "s.hdf5")).provenance["maker"] == "test"


def test_from_arrays():
    rng = np.random.default_rng(1)
    x, v = rng.normal(size=(20, 3)), rng.normal(size=(20, 3)).astype("f4")
    snapshot = chamomile.make_snapshot(x, 0.05, v, ids=np.arange(20, 40), types=4, time=2, G=43.0, softening=0.1)
    assert np.array_equal(snapshot.positions, x) and np.array_equal(snapshot.velocities, v)
    assert (snapshot.masses == 0.05).all() and (snapshot.types == 4).all() and snapshot.ids[3] == 23
    assert (snapshot.time, snapshot.G, snapshot.softening) == (2, 43.0, 0.1)
    for words in ({"velocities": v[1:]}, {"ids": np.arange(3)}):
        try:
            chamomile.make_snapshot(x, 1.0, **words)
        except chamomile.InputError as error:
            assert "shape" in str(error)
        else:
            raise AssertionError(words)


def test_bad_files():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "s.txt")
        path.write_text("# x y z m\n1 2\n")
        for call, kind in [
            (lambda: chamomile.read_snapshot(path), chamomile.InputError),
            (lambda: chamomile.read_snapshot(folder + "/none.hdf5"), chamomile.InputError),
            (lambda: chamomile.write_snapshot(chamomile.plummer(3), folder + "/none/s.hdf5"), chamomile.OutputError),
            (lambda: chamomile.write_snapshot(chamomile.plummer(3), folder + "/s.doc"), chamomile.UsageError),
        ]:
            try:
                call()
            except kind as error:
                assert "\n" not in str(error)
            else:
                raise AssertionError(kind)


ARRAYS = ("positions", "velocities", "masses", "accelerations", "potentials", "ids", "types", "softenings")
FACTS = ("time", "box_size", "has_accelerations", "has_potentials", "G", "softening", "kernel", "units", "scale_factor", "format", "notes", "provenance")


def test_pickles_and_copies():
    own = chamomile.make_snapshot([[1.0, 2, 3], [4, 5, 6]], [1.0, 2], types=[1, 4], ids=[7, 9], time=3.5, G=2.0)
    own.softenings = np.array([0.1, 0.2])
    own.use_units("galactic")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "sphere.hdf5")
        chamomile.write_snapshot(chamomile.plummer(50), path)
        for snapshot in (own, chamomile.plummer(100), chamomile.galaxy(100), chamomile.Snapshot(0), chamomile.read_snapshot(path)):
            for again in (pickle.loads(pickle.dumps(snapshot)), copy.deepcopy(snapshot), copy.copy(snapshot)):
                for name in (*ARRAYS, *FACTS):
                    assert np.array_equal(getattr(snapshot, name), getattr(again, name)), name
                assert not np.shares_memory(snapshot.positions, again.positions)
                assert repr(again) == repr(snapshot)
