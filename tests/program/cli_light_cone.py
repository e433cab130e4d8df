#!/usr/bin/env python3
"""Tests `run --light-cone`: distances, counts, restarts after kills and from older checkpoints, ranks, one line per mistake."""
import functools
import importlib.util
import math
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from program import PROGRAM, ROOT, chamomile as run_in, check, end, need, refused as refused_in, run

need("h5py")

import h5py

BOX, N, OMEGA = 100000, 16, 0.3  # kpc/h
LIMITS = "0,0.008,0.02,0.032"
SHELLS = [float(z) for z in LIMITS.split(",")]


def distance(redshift):
    """Comoving distance in kpc/h by Simpson's rule."""
    n = 200
    terms = (((1 if k in (0, n) else 4 if k % 2 else 2) / math.sqrt(OMEGA * (1 + redshift * k / n)**3 + 1 - OMEGA)) for k in range(n + 1))
    return 2997924.58 * redshift / n / 3 * sum(terms)


def shell(name, k):
    """Returns the rows of a shell: id, x, y, z, vx, vy, vz, redshift."""
    with h5py.File(folder / name / f"light_cone_{k:03}.hdf5") as file:
        group = file["PartType1"]
        return [(id, *x, *v, z) for id, x, v, z in zip(*(group[key][:].tolist() for key in ("ParticleIDs", "Coordinates", "Velocities", "Redshifts")))]


def same(what, name, order=list):
    for k in range(3):
        check(order(shell("whole", k)) == order(shell(name, k)), f"{what}: shell {k} differs")
    check(not list((folder / name).glob("*.part")), f"{what}: rows are left over")


with tempfile.TemporaryDirectory() as scratch:
    folder = pathlib.Path(scratch)
    chamomile, refused = (functools.partial(function, folder) for function in (run_in, refused_in))
    chamomile("model", "cosmology", "--n", N, "--box", BOX // 1000, "--z-start", 0.3, "--omega-m", OMEGA, "--hubble", 0.7, "-o", "ics.hdf5", "-q")
    cone = ["run", "ics.hdf5", "--z-end", 0, "--block-steps", "--dlna-max", 0.0025, "--eps", 20, "--set", "light-cone.observer=30Mpc,0,90000"]
    told = chamomile(*cone, "--light-cone", LIMITS, "--checkpoint-every", 5, "-o", "whole")
    check("3 of 3 shells light_cone_NNN.hdf5" in told and "the whole sky" in told, f"light cone: {told}")
    for k in range(3):
        rows = shell("whole", k)
        near, far = distance(SHELLS[k]), distance(SHELLS[k + 1])
        expected = N**3 * 4 * math.pi / 3 * (far**3 - near**3) / BOX**3
        check(abs(len(rows) / expected - 1) < 0.5 / math.cbrt(k + 1)**2, f"shell {k}: {len(rows)} particles, not {expected}")
        check(all(abs(math.hypot(*row[1:4]) - distance(row[7])) < 1e-6 * far for row in rows), f"shell {k}: distances differ")
        check(all(SHELLS[k] <= row[7] <= SHELLS[k + 1] for row in rows), f"shell {k}: redshifts outside")
        speed = math.sqrt(sum(row[4]**2 + row[5]**2 + row[6]**2 for row in rows) / len(rows))
        check(100 < speed < 1500, f"shell {k}: speeds of {speed} km/s")
        check(len(set(rows)) == len(rows), f"shell {k}: an image crosses twice")
    info = chamomile("info", "whole/light_cone_001.hdf5")
    check("redshift 0.008 to 0.02" in info, f"info: {info}")

    # An older checkpoint than the complete shells, and kills while a shell grows.
    oldest = min((folder / "whole").glob("*.chk"))
    before = [shell("whole", k) for k in range(3)]
    chamomile("run", "--restart", oldest, "-q")
    check(before == [shell("whole", k) for k in range(3)], "an older checkpoint changes shells")
    newest = lambda: max((path.name for path in (folder / "killed").glob("*.chk")), default="")
    killed = subprocess.Popen([PROGRAM, *map(str, cone), "--light-cone", LIMITS, "--checkpoint-every", "1", "-o", "killed", "-q"], cwd=folder)
    kills = 0
    while killed.poll() is None and kills < 4:
        while killed.poll() is None and not list((folder / "killed").glob("*.part")):
            time.sleep(0.002)
        before = newest()
        while killed.poll() is None and newest() == before:
            time.sleep(0.002)
        if killed.poll() is None:
            killed.send_signal(signal.SIGKILL)
            killed.wait()
            kills += 1
            if kills == 1:
                shutil.copytree(folder / "killed", folder / "lost")
            killed = subprocess.Popen([PROGRAM, "run", "--restart", "killed", "-q"], cwd=folder)
    killed.wait()
    check(killed.returncode == 0 and kills > 0, f"{kills} kills, status {killed.returncode}")
    same("kills", "killed")
    shutil.copytree(folder / "lost", folder / "moved")
    for rows in [*(folder / "lost").glob("*.part"), *(folder / "lost").glob("light_cone*")]:
        rows.unlink(missing_ok=True)
    lost = run(folder, "run", "--restart", "lost")
    check(lost.returncode == 7 and re.search(r"light_cone_002.part: has 0 rows: must be \d+, as at the checkpoint", lost.stderr), f"lost rows: {lost.stderr}")

    # From a checkpoint of one rank, on two, then one.
    chamomile("run", "--restart", "moved", "--ranks", 2, "-q")
    same("a restart on two ranks", "moved", sorted)
    for ranks in 2, 3:
        chamomile(*cone, "--light-cone", LIMITS, "--ranks", ranks, "-o", f"ranks{ranks}", "-q")
        same(f"{ranks} ranks", f"ranks{ranks}", sorted)
    chamomile(*cone, "--light-cone", "0:0.03:0.03", "--set", "light-cone.sky=octant", "-o", "octant", "-q")
    rows = shell("octant", 0)
    check(rows and all(min(row[1:4]) >= 0 for row in rows), "octant: negative components")

    if importlib.util.find_spec("matplotlib"):
        drawn = subprocess.run([sys.executable, ROOT / "examples/light_cone", "example", "8"], cwd=folder, capture_output=True, text=True, env={**os.environ, "CHAMOMILE": PROGRAM})
        check(drawn.returncode == 0 and (folder / "example/light_cone.png").exists(), f"examples/light_cone: {drawn.stdout} {drawn.stderr}")

    # One line per mistake.
    plain = ["run", "ics.hdf5", "--z-end", 0, "-o", "x", "--light-cone"]
    refused(2, "--light-cone: 0.5: must be two or more redshifts", *plain, 0.5)
    refused(2, "--light-cone: 0.5: is given twice", *plain, "0,0.5,0.5")
    refused(2, "--light-cone: 0.5: must be at most 0.3, the redshift of the start", *plain, "0,0.5")
    refused(2, "--light-cone: -1: must be", *plain, "-1,2")
    refused(2, "--light-cone: 0.05: must be at least 0.1, the redshift of the end", *plain[:3], 0.1, *plain[4:], "0.05,0.2")
    refused(2, "--light-cone: needs a cosmological run", "run", "--model", "plummer", "-n", 99, "--t-end", 1, "--dt", 0.1, "--eps", 0.1, "-o", "x", "--light-cone", "0,1")
    chamomile("model", "cosmology", "--n", N, "--box", 1, "--z-start", 0.3, "-o", "small.hdf5", "-q")
    refused(2, "particles: must be at most", "run", "small.hdf5", *plain[2:], "0,0.3")
    refused(2, "light-cone.sky: needs --light-cone", *plain[:-1], "--set", "light-cone.sky=octant")

end("light cones hold each image once")
