#!/usr/bin/env python3
"""Checks initial conditions and snapshots of a cosmological run in yt and pynbody: redshift, lengths, masses and
velocities. Skipped if neither is installed.
"""
import importlib.util
import sys
import tempfile

from cosmological_run import BOX, H, OMEGA, in_all_units, made, near
from program import end, need

need("numpy")
import numpy as np  # noqa: E402


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


def side_and_mass_in_yt(path, comoving):
    """Returns side (Mpc, today) and mass (solar masses), read as in docs/howto/open_results.md."""
    import h5py
    import yt
    yt.set_log_level(50)
    units = {k: v for k, v in h5py.File(path)["Units"].attrs.items() if k.startswith("Unit") and " " not in k}
    ds = yt.load(str(path), unit_base=units, **({} if comoving else {"bounding_box": [[-1e9, 1e9]] * 3}))
    return float(ds.domain_width[0].to("Mpccm" if comoving else "Mpc")), float(ds.all_data()["all", "particle_mass"].sum().to("Msun"))


def side_and_mass_in_pynbody(path, comoving):
    import pynbody
    s = pynbody.load(str(path))
    side = float(s.properties["boxsize"].in_units("Mpc a", **s.conversion_context())) if comoving else 0
    return side, float(s["mass"].sum().in_units("Msol", **s.conversion_context()))


def check_units(folder):
    import h5py
    of_galaxy = None
    for path, system, comoving in in_all_units(folder):
        if not comoving:
            with h5py.File(path) as file:
                mass = sum(file[name]["Masses"][:].sum() for name in file if name.startswith("PartType")) * file["Units"].attrs["Unit mass in cgs (U_M)"] / 1.989e33
            of_galaxy = of_galaxy or mass
        for reader, found in ("yt", side_and_mass_in_yt), ("pynbody", side_and_mass_in_pynbody):
            if reader not in [name for name, _ in READERS]:
                continue
            side, total = found(path, comoving)
            if comoving:
                near(f"{path.name}, {system}: side in {reader}", side, BOX / H, 1e-3)
            near(f"{path.name}, {system}: mass in {reader}", total, OMEGA * 2.775e11 * BOX**3 / H if comoving else of_galaxy, 3e-3)


READERS = [(name, check) for name, check in (("yt", check_yt), ("pynbody", check_pynbody)) if importlib.util.find_spec(name)]
if not READERS:
    print("skipped: neither yt nor pynbody")
    sys.exit(77)
with tempfile.TemporaryDirectory() as scratch:
    for file, scale_factor, v in made(scratch):
        for name, check in READERS:
            check(file, scale_factor, v)
    check_units(scratch)
end("found by " + " and ".join(name for name, _ in READERS))
