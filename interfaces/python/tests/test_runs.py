"""The folder of a run: bitwise equal to the program's, stops, and continuation."""

import os
import pathlib
import signal
import subprocess
import tempfile
import unittest
import warnings

import numpy as np

import chamomile

FILES = ["energy.csv", *(f"snapshot_{k:03d}.hdf5" for k in range(3))]


def sphere():
    return chamomile.plummer(300, seed=3)


def simulation(**more):
    return chamomile.Simulation(sphere(), **{"end_time": 0.25, "step": 1 / 64, "softening": 0.05, **more})


def run(folder, keep=lambda now: None, **more):
    """Returns a simulation with an observer after its run, which may have ended early."""
    one = simulation()
    one.every_steps(1, keep)
    one.run(folder, snapshot_every=0.125, **more)
    return one


def program(folder, *arguments):
    path = os.environ.get("CHAMOMILE_PROGRAM")
    if not path:
        raise unittest.SkipTest("CHAMOMILE_PROGRAM names no program")
    return subprocess.run([path, *map(str, arguments)], cwd=folder, check=True, capture_output=True, text=True).stdout


def arrays(path):
    one = chamomile.read_snapshot(path)
    return [np.asarray(a).tobytes() for a in (one.ids, one.positions, one.velocities, one.masses)]


def require_same(a, b):
    a, b = pathlib.Path(a), pathlib.Path(b)
    assert (a / "energy.csv").read_bytes() == (b / "energy.csv").read_bytes()
    rows = [[line.split(",")[:6] for line in (x / "steps.csv").read_text().splitlines()] for x in (a, b)]
    assert rows[0] == rows[1] and len(rows[0]) == 18
    for name in FILES[1:]:
        assert arrays(a / name) == arrays(b / name), name


def raised(kind, call):
    try:
        call()
    except kind as error:
        assert "\n" not in str(error)
        return str(error)
    raise AssertionError(f"no {kind}")


def test_the_bytes_of_the_program_which_goes_on():
    with tempfile.TemporaryDirectory() as folder:
        chamomile.write_snapshot(sphere(), pathlib.Path(folder, "s.hdf5"))
        program(folder, "run", "s.hdf5", "--t-end", 0.25, "--dt", 1 / 64, "--eps", 0.05, "--snapshot-every", 0.125, "-o", "theirs")
        ours = pathlib.Path(folder, "ours")
        simulation().run(ours, snapshot_every=0.125)
        require_same(pathlib.Path(folder, "theirs"), ours)
        assert "particles    300 from a snapshot in Python" in (ours / "run.log").read_text()
        stopped = pathlib.Path(folder, "stopped")
        simulation().run(stopped, snapshot_every=0.125, max_walltime=1e-3)
        assert "stopped by the limit" in (stopped / "run.log").read_text() and not (stopped / FILES[-1]).exists()
        told = program(folder, "run", "--restart", "stopped", "--max-walltime", 1e6)
        assert "restarted    from stopped/checkpoint_000000001.chk: t = 0.015625, step 1" in told
        require_same(stopped, ours)


def test_an_exception_leaves_a_checkpoint_to_go_on_from():
    class Enough(Exception):
        pass

    def tire(now):
        if now.step == 10:
            raise Enough("so far")

    with tempfile.TemporaryDirectory() as folder:
        whole, broken = os.path.join(folder, "whole"), os.path.join(folder, "broken")
        run(whole)
        raised(Enough, lambda: run(broken, tire))
        log = pathlib.Path(broken, "run.log").read_text()
        assert "error: " in log and "the state before the error" in log
        seen = []
        end = run(broken, lambda now: seen.append(now.step), restart=True)
        assert seen == list(range(10, 17)) and end.time == 0.25 and end.snapshot.time == 0.25
        require_same(whole, broken)
        assert arrays(pathlib.Path(whole, FILES[-1]))[1] == np.asarray(end.snapshot.positions).tobytes()
        assert end.snapshot.provenance["initial_conditions"] == "a snapshot in Python"


def test_a_signal_stops_one_run():
    with tempfile.TemporaryDirectory() as folder:
        before = signal.getsignal(signal.SIGINT)
        one = run(os.path.join(folder, "a"), lambda now: os.kill(os.getpid(), signal.SIGTERM) if now.step == 5 else None)
        assert 5 <= one.step <= 6 and one.time < 0.25
        assert run(os.path.join(folder, "b")).time == 0.25 and signal.getsignal(signal.SIGINT) is before
        raised(KeyboardInterrupt, lambda: run(os.path.join(folder, "c"), lambda now: os.kill(os.getpid(), signal.SIGINT) if now.step == 5 else None))
        assert list(pathlib.Path(folder, "c").glob("*.chk"))


def test_what_cannot_be_trusted():
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        simulation(step=0.125, end_time=2, softening=0.001, solver="direct").run(os.path.join(folder, "a"))
        assert any("cannot be trusted" in str(w.message) and w.category is RuntimeWarning for w in seen)
        seen.clear()
        box = chamomile.cube(512, seed=2)
        box.box_size = 1.0
        chamomile.Simulation(box, end_time=0.01, step=0.01, softening=0.02, mesh=32).run(os.path.join(folder, "c"))
        words = [str(w.message) for w in seen if "pairs beyond" in str(w.message)]
        assert len(words) == 1 and words[0].endswith("for less than 0.001 give softening 0.0058, kernel spline, or solver direct"), words
        line = raised(chamomile.InaccurateError, lambda: simulation(step=1 / 8).run(os.path.join(folder, "b"), max_energy_error=1e-9, energy_every=0.125))
        assert "above max_energy_error 1e-09" in line


def test_spectra_and_halos_of_a_box():
    with tempfile.TemporaryDirectory() as folder:
        box = chamomile.cube(512, seed=2)
        box.box_size = 1.0
        out = pathlib.Path(folder, "out")
        chamomile.Simulation(box, end_time=0.02, step=0.01, softening=0.005, mesh=32).run(out, snapshot_every=0.02, power=True, power_mesh=16, halos=True, min_members=2)
        assert {"power_001.txt", "halos_001.hdf5"} < set(os.listdir(out)) and "box          periodic, 1\n" in (out / "run.log").read_text()
        assert "power: needs initial conditions in a periodic box" == raised(chamomile.UsageError, lambda: simulation().run(os.path.join(folder, "x"), power=True))
        assert "min_members: needs halos" == raised(chamomile.UsageError, lambda: simulation().run(os.path.join(folder, "x"), min_members=9))


def test_refusals():
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out")
        simulation().run(out)
        assert raised(chamomile.OutputError, lambda: simulation().run(out)).endswith("give overwrite=True to replace the results or restart=True to continue")
        assert "step: 0.03125: must be as at the start of the run, 0.015625" in raised(
            chamomile.RestartError, lambda: simulation(step=1 / 32).run(out, restart=True))
        assert "softening: " in raised(chamomile.RestartError, lambda: simulation(softening=0.1).run(out, restart=True))
        assert "snapshot_every: " in raised(chamomile.RestartError, lambda: simulation().run(out, restart=True, snapshot_every=0.1))
        other = chamomile.Simulation(chamomile.plummer(20), end_time=0.25, step=1 / 64, softening=0.05)
        assert "20 particles in the snapshot: must be 300" in raised(chamomile.RestartError, lambda: other.run(out, restart=True))
        simulation(end_time=0.5).run(out, restart=True)  # a later end
        assert "does not exist" in raised(chamomile.RestartError, lambda: simulation().run(os.path.join(folder, "none"), restart=True))
        for words in ({"snapshot_every": 0}, {"snapshot_every": "often"}, {"steps_every": 0.5}, {"check_forces_every": 3}, {"frame_width": 1},
                      {"snapshots_every": 1}, {"overwrite": True, "restart": True}, {"max_walltime": -1}):
            assert raised((chamomile.UsageError, TypeError), lambda: simulation().run(os.path.join(folder, "x"), **words)), words
        assert "snapshot_every: needs a folder" in raised(chamomile.UsageError, lambda: simulation().run(snapshot_every=1))
        assert not os.path.exists(os.path.join(folder, "x"))
        simulation().run(out, overwrite=True, checkpoint_walltime=0, frames=True, check_forces=10)
        assert {"frame_000.png", "forces.csv"} < set(os.listdir(out))


def test_comoving_coordinates():
    """Bitwise equal to the program; observers see peculiar velocities and scale factors; the end is the snapshot's."""
    with tempfile.TemporaryDirectory() as folder:
        program(folder, "model", "cosmology", "--n", 8, "--box", 10, "--z-start", 20, "--seed", 1, "-o", "ics.hdf5")
        read = lambda: chamomile.read_snapshot(pathlib.Path(folder, "ics.hdf5"))
        program(folder, "run", "ics.hdf5", "--z-end", 14, "--eps", 30, "--outputs-z", 17, "-o", "theirs")
        words = {"z_end": 14, "softening": 30, "outputs_z": [17]}
        box, seen = read(), []
        start = box.velocities.copy()
        one = chamomile.Simulation(box, **words)
        assert one.time == box.scale_factor and abs(one.end_time - 1 / 15) < 1e-15 and np.array_equal(box.velocities, start)
        kinetic = one.diagnostics().kinetic
        assert abs(kinetic / (0.5 * (box.masses * (start**2).sum(axis=1)).sum()) - 1) < 1e-12 and np.array_equal(box.velocities, start)
        view = box.velocities  # stays valid
        one.at_times([1 / 18], lambda now: seen.append((now.time, now.snapshot.scale_factor, view.copy(), now.diagnostics().kinetic)))
        ours = pathlib.Path(folder, "ours")
        one.run(ours)
        theirs = pathlib.Path(folder, "theirs")
        assert (theirs / "energy.csv").read_bytes() == (ours / "energy.csv").read_bytes()
        for k in range(3):
            assert arrays(theirs / f"snapshot_{k:03d}.hdf5") == arrays(ours / f"snapshot_{k:03d}.hdf5"), k
        assert [t for t, *_ in seen] == [a for _, a, *_ in seen] and np.allclose([t for t, *_ in seen], [1 / 21, 1 / 18, 1 / 15], rtol=1e-12)
        for (_, _, velocities, kinetic), k in zip(seen, range(3)):
            in_file = chamomile.read_snapshot(ours / f"snapshot_{k:03d}.hdf5").velocities
            assert np.allclose(velocities, in_file, rtol=1e-12)
            assert abs(kinetic / (0.5 * (box.masses * (in_file**2).sum(axis=1)).sum()) - 1) < 1e-9
        assert np.array_equal(box.velocities, seen[-1][2]) and box.scale_factor == one.time == box.time
        # A stopped run can be continued by script and by program.
        for k in range(2):
            out = pathlib.Path(folder, f"stopped_{k}")
            chamomile.Simulation(read(), **words).run(out, max_walltime=1e-3)
            assert not (out / "snapshot_002.hdf5").exists()
            if k:
                program(folder, "run", "--restart", out, "--max-walltime", 1e6)
            else:
                chamomile.Simulation(read(), **words).run(out, restart=True)
            assert arrays(out / "snapshot_002.hdf5") == arrays(theirs / "snapshot_002.hdf5")
        without_z = {"softening": 30}
        for more, part in (({"end_time": 1}, "end_time: 1: must be z_end or a_end"), ({"z_end": 30}, "z_end: 30: must not be before the start at a = 0.047619, z = 20"),
                           ({"z_end": 1, "a_end": 0.5}, "z_end: contradicts a_end"), ({"integrator": "hermite"}, "integrator hermite: must be leapfrog"),
                           ({"box": 5}, "must be the box of the file in a cosmological run"), ({"outputs_z": [30]}, "outputs_z: a = "), ({"outputs_z": 3}, "must be a list of numbers"),
                           ({"step": 0.1, "dlna_max": 0.1}, "dlna_max: contradicts step"), ({"w0": 5}, "w0: 5: must be a number from -2 to 0")):
            assert part in raised((chamomile.UsageError, TypeError), lambda: chamomile.Simulation(read(), **without_z, **more)), more
        assert "outputs_z: needs a folder" in raised(chamomile.UsageError, lambda: chamomile.Simulation(read(), **words).run())
        assert "z_end: needs a snapshot in comoving coordinates" in raised(chamomile.UsageError, lambda: simulation(z_end=0))
        assert "end_time: missing" in raised(chamomile.UsageError, lambda: chamomile.Simulation(sphere(), step=0.1, softening=0.1))
