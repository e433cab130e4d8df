#!/usr/bin/env python3
"""Snapshots of a cosmological run: Gadget-4's attributes by h5py; redshift, lengths, masses and velocities in yt and pynbody where they are
installed."""
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile

SYSTEM_PYTHON = "/usr/bin/python3"  # Debian's h5py lives there

if not importlib.util.find_spec("h5py"):
    if os.path.realpath(sys.executable) != os.path.realpath(SYSTEM_PYTHON) and os.path.exists(SYSTEM_PYTHON):
        os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON] + sys.argv)
    print("skipped: no h5py")
    sys.exit(77)

import h5py  # noqa: E402
import numpy as np  # noqa: E402

H, OMEGA, BOX, N = 0.7, 0.3, 100, 16  # Mpc/h
failures = []


def near(what, found, wanted, tolerance=1e-6):
    if not np.allclose(np.asarray(found, dtype=float), wanted, rtol=tolerance, atol=0):
        failures.append(f"{what}: {found!r} instead of {wanted!r}")


def check_attributes(path, a, velocities):
    with h5py.File(path, "r") as file:
        for group in "Header", "Parameters":
            attributes = file[group].attrs
            for name, value in (("Omega0", OMEGA), ("OmegaLambda", 1 - OMEGA), ("HubbleParam", H), ("BoxSize", 1000 * BOX)):
                near(f"{group}/{name}", attributes[name], value, 1e-12)
        header, parameters = file["Header"].attrs, file["Parameters"].attrs
        near("Time", header["Time"], a, 1e-12)
        near("Redshift", header["Redshift"], 1 / a - 1, 1e-12)
        near("ComovingIntegrationOn", parameters["ComovingIntegrationOn"], 1)
        near("UnitLength_in_cm", parameters["UnitLength_in_cm"], 3.085678e21)
        near("UnitMass_in_g", parameters["UnitMass_in_g"], 1.989e43)
        near("UnitVelocity_in_cm_per_s", parameters["UnitVelocity_in_cm_per_s"], 1e5)
        near("SofteningComovingClass0", parameters["SofteningComovingClass0"], 1000 * BOX / N / 30)
        near("SofteningMaxPhysClass0", parameters["SofteningMaxPhysClass0"], 50)
        near("u = v / sqrt(a)", file["PartType1/Velocities"][:] * np.sqrt(a), velocities, 1e-9)
        near("a_scaling of Velocities", file["PartType1/Velocities"].attrs["a_scaling"], 0.5)


def check_yt(path, a, velocities):
    import yt
    yt.set_log_level(50)
    ds = yt.load(str(path))
    near("redshift in yt", ds.current_redshift, 1 / a - 1)
    near("h in yt", ds.hubble_constant, H)
    near("Omega_m in yt", ds.omega_matter, OMEGA)
    near("box in yt", ds.domain_width.to("Mpccm/h"), [BOX] * 3, 1e-3)
    data = ds.all_data()
    order = np.argsort(data["PartType1", "particle_index"])
    near("velocities in yt", data["PartType1", "particle_velocity"].to("km/s")[order], velocities, 1e-5)
    mass = float(data["PartType1", "particle_mass"].sum().to("Msun")) * H  # per h
    near("mass in yt", mass, OMEGA * 2.775e11 * BOX**3, 3e-3)


def check_pynbody(path, a, velocities):
    import pynbody
    s = pynbody.load(str(path))
    near("a in pynbody", s.properties["a"], a)
    near("h in pynbody", s.properties["h"], H)
    near("Omega_m in pynbody", s.properties["omegaM0"], OMEGA)
    near("box in pynbody", s.properties["boxsize"].in_units("Mpc a h**-1", **s.conversion_context()), BOX, 1e-3)
    order = np.argsort(s["iord"])
    near("velocities in pynbody", s["vel"].in_units("km s**-1")[order], velocities, 1e-5)
    near("mass in pynbody", float(s["mass"].in_units("Msol h**-1").sum()), OMEGA * 2.775e11 * BOX**3, 3e-3)


program = sys.argv[2]
with tempfile.TemporaryDirectory() as scratch:
    folder = pathlib.Path(scratch)
    box = ["model", "cosmology", "--n", N, "--box", BOX, "--omega-m", OMEGA, "--hubble", H, "--eps-max", 50, "-o", folder / "ics.hdf5"]
    for arguments in (box, ["run", folder / "ics.hdf5", "--z-end", 9, "-o", folder / "out"],
                      ["convert", folder / "out/snapshot_010.hdf5", folder / "last.txt"]):
        subprocess.run([program, *map(str, arguments), "--quiet"], check=True)
    lines = (folder / "last.txt").read_text().splitlines()
    columns = next(line for line in lines if line.startswith("# columns:")).split()[2:]
    rows = np.array([line.split() for line in lines if not line.startswith("#")], dtype=float)
    v = rows[:, [columns.index(name) for name in ("vx", "vy", "vz")]]  # peculiar, in order of ids
    path = folder / "out/snapshot_010.hdf5"
    check_attributes(path, 0.1, v)
    for module, check in (("yt", check_yt), ("pynbody", check_pynbody)):
        if importlib.util.find_spec(module):
            check(path, 0.1, v)
        else:
            print(f"not tried: {module} is not installed")

print("\n".join(failures) or "all readers find the redshift, units and velocities")
sys.exit(bool(failures))
