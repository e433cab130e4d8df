"""Common to tests of cosmological runs in other programs: initial conditions, a run, and its velocities."""
import pathlib

from program import chamomile, check

H, OMEGA, BOX, N = 0.7, 0.3, 100, 16  # Mpc/h


def near(what, found, wanted, tolerance=1e-6):
    import numpy as np
    check(np.allclose(np.asarray(found, dtype=float), wanted, rtol=tolerance, atol=0), f"{what}: {found!r} instead of {wanted!r}")


SYSTEMS = "gadget", "cosmological", "galactic", "stellar", "Mpc,1e12Msun,km/s"


def in_all_units(folder):
    """Returns (file, unit system, whether comoving) for one box and one galaxy in every unit system, from `convert`,
    `force` and `run`.
    """
    folder = pathlib.Path(folder)
    chamomile(folder, "model", "cosmology", "--n", 8, "--box", BOX, "--omega-m", OMEGA, "--hubble", H, "-o", "box.hdf5", "-q")
    chamomile(folder, "model", "galaxy", "-n", 100, "--physical", "-o", "galaxy.hdf5", "-q")
    for number, system in enumerate(SYSTEMS):
        for name, comoving in ("box", True), ("galaxy", False):
            if comoving or system not in ("gadget", "cosmological"):  # h is unknown without a background
                chamomile(folder, "convert", f"{name}.hdf5", f"{name}_{number}.hdf5", "--units", system, "-q")
                yield folder / f"{name}_{number}.hdf5", system, comoving
    chamomile(folder, "force", "box_2.hdf5", "--eps", "1kpc", "-o", "forces.hdf5", "-q")
    chamomile(folder, "run", "box_2.hdf5", "--z-end", 40, "-o", "galactic", "-q")
    yield folder / "forces.hdf5", "galactic", True
    yield folder / "galactic/snapshot_010.hdf5", "galactic", True


def made(folder):
    """Returns (file, scale factor, peculiar velocities by id) for initial conditions and end of a run."""
    import numpy as np
    folder = pathlib.Path(folder)
    box = ["model", "cosmology", "--n", N, "--box", BOX, "--omega-m", OMEGA, "--hubble", H, "--eps-max", 50, "-o", folder / "ics.hdf5"]
    for arguments in (box, ["run", folder / "ics.hdf5", "--z-end", 9, "-o", folder / "out"]):
        chamomile(folder, *arguments, "--quiet")
    files = []
    for path, a in ((folder / "ics.hdf5", 0.02), (folder / "out/snapshot_010.hdf5", 0.1)):
        text = folder / f"{path.stem}.txt"
        chamomile(folder, "convert", path, text, "--quiet")
        lines = text.read_text().splitlines()
        columns = next(line for line in lines if line.startswith("# columns:")).split()[2:]
        rows = np.array([line.split() for line in lines if not line.startswith("#")], dtype=float)
        files.append((path, a, rows[:, [columns.index(name) for name in ("vx", "vy", "vz")]]))
    return files
