"""What the tests of other programs' view of a cosmological run share: initial conditions, a run of them, its velocities."""
import importlib.util
import os
import pathlib
import subprocess
import sys

SYSTEM_PYTHON = "/usr/bin/python3"  # Debian's h5py lives there
H, OMEGA, BOX, N = 0.7, 0.3, 100, 16  # Mpc/h
failures = []


def need(module):
    """Ends as skipped without it."""
    if importlib.util.find_spec(module):
        return
    if os.path.realpath(sys.executable) != os.path.realpath(SYSTEM_PYTHON) and os.path.exists(SYSTEM_PYTHON):
        os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON] + sys.argv)
    print(f"skipped: no {module}")
    sys.exit(77)


def near(what, found, wanted, tolerance=1e-6):
    import numpy as np
    if not np.allclose(np.asarray(found, dtype=float), wanted, rtol=tolerance, atol=0):
        failures.append(f"{what}: {found!r} instead of {wanted!r}")


def made(folder):
    """(file, scale factor, peculiar velocities in order of ids) of the initial conditions and of the end of a run."""
    import numpy as np
    folder = pathlib.Path(folder)
    box = ["model", "cosmology", "--n", N, "--box", BOX, "--omega-m", OMEGA, "--hubble", H, "--eps-max", 50, "-o", folder / "ics.hdf5"]
    for arguments in (box, ["run", folder / "ics.hdf5", "--z-end", 9, "-o", folder / "out"]):
        subprocess.run([sys.argv[2], *map(str, arguments), "--quiet"], check=True)
    files = []
    for path, a in ((folder / "ics.hdf5", 0.02), (folder / "out/snapshot_010.hdf5", 0.1)):
        text = folder / f"{path.stem}.txt"
        subprocess.run([sys.argv[2], "convert", path, text, "--quiet"], check=True)
        lines = text.read_text().splitlines()
        columns = next(line for line in lines if line.startswith("# columns:")).split()[2:]
        rows = np.array([line.split() for line in lines if not line.startswith("#")], dtype=float)
        files.append((path, a, rows[:, [columns.index(name) for name in ("vx", "vy", "vz")]]))
    return files


def end(what):
    print("\n".join(failures) or what)
    sys.exit(bool(failures))
