#!/usr/bin/env python3
"""Tests `info --check`: planted faults of files are told, each with what would mend it; files without faults get no doubt."""
import shutil

from program import chamomile, check, need, run_parts

need("h5py", "numpy")
import h5py  # noqa: E402
import numpy as np  # noqa: E402


def doubts(folder, *words):
    """Returns the doubts, each with its mend."""
    out = chamomile(folder, "info", "--check", *words)
    return "" if "\nnothing to doubt\n" in out else out.partition("\nto doubt\n")[2]


def changed(folder, source, change):
    shutil.copy(folder / source, folder / "changed.hdf5")
    with h5py.File(folder / "changed.hdf5", "r+") as file:
        change(file)
    return doubts(folder, "changed.hdf5")


def expect(name, found, what, mend, number=1):
    check(what in found and mend in found.partition(what)[2] and found.count("\n  mend: ") == number, f"{name}: {found!r}")


def scale(name, factor):
    def change(file):
        for group in (file[key] for key in file if key.startswith("PartType")):
            group[name][...] = factor * group[name][...]
    return change


def without_units(file):
    omegas = {name: file["Parameters"].attrs[name] for name in ("Omega0", "OmegaLambda", "HubbleParam")}
    del file["Units"], file["Chamomile"], file["Parameters"]
    file["Header"].attrs.update(omegas)


def boxes(folder):
    chamomile(folder, *"model cosmology --n 12 --box 50 --z-start 9 -o box.hdf5 -q".split())
    check(doubts(folder, "box.hdf5") == "", "a box is doubted")
    a, h = 0.1, 0.6774
    with h5py.File(folder / "box.hdf5") as file:
        a, h, side = float(file["Header"].attrs["Time"]), float(file["Parameters"].attrs["HubbleParam"]), float(np.ravel(file["Header"].attrs["BoxSize"])[0])
    expect("units", changed(folder, "box.hdf5", without_units), "the file states no units: read in kpc/h", "--units SYSTEM", 1)
    for name, factor, said in (("v", a ** 0.5, "peculiar velocities v in place of v/sqrt(a)"), ("dx/dt", a ** -0.5, "comoving velocities dx/dt"),
                               ("momenta", a ** 1.5, "canonical momenta"), ("m/s", 1000, "m/s in place of km/s"), ("none", 0, "all velocities are equal")):
        expect(name, changed(folder, "box.hdf5", scale("Velocities", factor)), said, "GADGET's files hold a dx/dt / sqrt(a)")
    for name, factor, said in (("masses without h", h * h, "lengths and masses are without h, but read per h?"), ("gas", 0.845, "gas is missing?"), ("masses", 1.3, "1.3 times\n")):
        expect(name, changed(folder, "box.hdf5", scale("Masses", factor)), said, "--units names the units")
    found = changed(folder, "box.hdf5", lambda file: file["Header"].attrs.modify("BoxSize", side / 1000))
    check("outside the periodic box" in found and "BoxSize is in another unit" in found and "the unit of length is 1000 times longer than assumed?" in found, f"box in Mpc: {found}")
    found = changed(folder, "box.hdf5", lambda file: file["Header"].attrs.modify("BoxSize", side / h))
    check("particles fill" in found and "is this h?" in found, f"box without h: {found}")
    found = changed(folder, "box.hdf5", scale("Coordinates", 1e-3))
    check("particles fill 0.001" in found and "is BoxSize in kpc and are positions in Mpc?" in found, f"positions in Mpc: {found}")


def isolated(folder):
    chamomile(folder, *"model galaxy -n 3000 --physical -o galaxy.hdf5 -q".split())
    check(doubts(folder, "galaxy.hdf5") == "", f"a galaxy is doubted: {doubts(folder, 'galaxy.hdf5')}")
    expect("velocities", changed(folder, "galaxy.hdf5", scale("Velocities", 1000)), "energies: 2 K / |W| is", "--units names the units")
    expect("masses", changed(folder, "galaxy.hdf5", scale("Masses", 1e10)), "energies: 2 K / |W| is", "'run --G' another G")

    def twice(file):
        for group in (file[key] for key in file if key.startswith("PartType")):
            ids = group["ParticleIDs"][...]
            group["ParticleIDs"][...] = ids - (ids % 2)

    expect("ids", changed(folder, "galaxy.hdf5", twice), "of 3000 ids are double", "write different ids")

    def table(file):
        file["Header"].attrs.modify("MassTable", 1.02 * file["PartType1/Masses"][0] * np.eye(6)[1])

    expect("table", changed(folder, "galaxy.hdf5", table), "which differ by at most 0.0196", "remove Masses or MassTable")

    def soft(file):
        group = file["Chamomile"].attrs
        group["softening_kind"], group["softening_length"] = "plummer", 1e6

    expect("softening", changed(folder, "galaxy.hdf5", soft), "times the extent of the particles", "--eps LENGTH")

    def same(file):
        for group in (file[key] for key in file if key.startswith("PartType")):
            group["Coordinates"][:2] = group["Coordinates"][:1]

    expect("places", changed(folder, "galaxy.hdf5", same), "at the place of another one", "double precision")

    def massless(file):
        file["PartType2/Masses"][...] = 0

    expect("massless", changed(folder, "galaxy.hdf5", massless), "type 2 (disk) has particles without mass", "--tracers")
    (folder / "cold.txt").write_text("".join(f"1 {k} {k * k % 7} {k * 3 % 5}\n" for k in range(20)))
    expect("cold", doubts(folder, "cold.txt"), "all velocities are equal", "a cold start")


run_parts("doubts are told", boxes, isolated)
