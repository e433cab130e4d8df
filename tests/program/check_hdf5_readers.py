#!/usr/bin/env python3
"""Opens our HDF5 snapshots with h5py, and with yt and pynbody if installed. Checks the attributes that they, Gadget-4
and SWIFT read (tables in docs/reference/formats.md).
"""
import importlib.util
import pathlib
import tempfile

from program import chamomile, end, failures, need

need("h5py")

import h5py  # noqa: E402
import numpy as np  # noqa: E402

KPC, SOLAR_MASSES, KM = 3.085678e21, 1.989e43, 1e5
TEXT = f"""\
# time: 1.5
# unit_length_in_cm: {KPC}
# unit_mass_in_g: {SOLAR_MASSES}
# unit_velocity_in_cm_per_s: {KM}
# units_per_h: 1
# softening_kind: spline
# softening_length: 0.25
# types: 1*2 2*1
# columns: mass x y z vx vy vz id ax ay az potential
0.5 1 2 3 4 5 6 8589934592 1e-3 2e-3 3e-3 -1
0.5 -1 -2 -3 -4 -5 -6 7 4e-3 5e-3 6e-3 -2
0.1 0.1 0.2 0.3 0.4 0.5 0.6 9 7e-3 8e-3 9e-3 -3
"""
SCALING = {  # a, h, length, mass, velocity, factor to cgs
    "Coordinates": (1, -1, 1, 0, 0, KPC),
    "Velocities": (0.5, 0, 0, 0, 1, KM),
    "Masses": (0, -1, 0, 1, 0, SOLAR_MASSES),
    "Potential": (-1, 0, 0, 0, 2, KM**2),
    "Acceleration": (-2, 1, -1, 0, 2, KM**2 / KPC),
}


def expect(what, found, wanted):
    found = np.asarray(found)
    if found.shape != np.shape(wanted) or not np.all(found == wanted):
        failures.append(f"{what}: {found!r} instead of {wanted!r}")


def expect_type(what, dtype, wanted):
    if dtype != np.dtype(wanted):
        failures.append(f"{what}: type {dtype} instead of {wanted}")


def check_header(file):
    header = file["Header"].attrs
    for name, value, dtype in [
        ("NumPart_ThisFile", [0, 2, 1, 0, 0, 0], "u8"), ("NumPart_Total", [0, 2, 1, 0, 0, 0], "u8"),
        ("NumPart_Total_HighWord", [0] * 6, "u4"), ("MassTable", [0] * 6, "f8"),
        ("Flag_Entropy_ICs", [0] * 6, "i4"), ("Time", 1.5, "f8"), ("Redshift", 0, "f8"),
        ("BoxSize", 0, "f8"), ("NumFilesPerSnapshot", 1, "i4"),
    ]:
        expect(f"Header/{name}", header[name], value)
        expect_type(f"Header/{name}", np.asarray(header[name]).dtype, dtype)
    for name in ("Omega0", "OmegaLambda", "HubbleParam"):  # mark a comoving run
        if name in header or name in file["Parameters"].attrs:
            failures.append(f"{name} is written for isolated particles")
    if "Code" in header:
        failures.append("Header/Code would send yt to its reader of SWIFT")


def check_units(file):
    for group in ("Units", "Parameters"):
        attributes = file[group].attrs
        expect("UnitLength_in_cm", attributes["UnitLength_in_cm"], KPC)
        expect("UnitMass_in_g", attributes["UnitMass_in_g"], SOLAR_MASSES)
        expect("UnitVelocity_in_cm_per_s", attributes["UnitVelocity_in_cm_per_s"], KM)
    units = file["Units"].attrs
    expect("U_L", units["Unit length in cgs (U_L)"], KPC)
    expect("U_M", units["Unit mass in cgs (U_M)"], SOLAR_MASSES)
    expect("U_t", units["Unit time in cgs (U_t)"], KPC / KM)
    expect("UnitTime_in_s", units["UnitTime_in_s"], KPC / KM)
    expect("softening", file["Parameters"].attrs["SofteningComovingClass0"], 0.25)
    expect("class", file["Parameters"].attrs["SofteningClassOfPartType2"], 0)


def check_particles(file):
    expect("groups", sorted(name for name in file if name.startswith("PartType")), ["PartType1", "PartType2"])
    halo = file["PartType1"]
    expect("Coordinates", halo["Coordinates"], [[1, 2, 3], [-1, -2, -3]])
    expect("Velocities", halo["Velocities"], [[4, 5, 6], [-4, -5, -6]])
    expect("Masses", halo["Masses"], [0.5, 0.5])
    expect("ParticleIDs", halo["ParticleIDs"], [8589934592, 7])
    expect("Potential", halo["Potential"], [-1, -2])
    expect("Acceleration", file["PartType2/Acceleration"], [[7e-3, 8e-3, 9e-3]])
    expect_type("ParticleIDs", halo["ParticleIDs"].dtype, "u8")
    for name, wanted in SCALING.items():
        expect_type(name, halo[name].dtype, "f8")
        attributes = halo[name].attrs
        names = ("a_scaling", "h_scaling", "length_scaling", "mass_scaling", "velocity_scaling")
        expect(f"scaling of {name}", [attributes[key] for key in names], wanted[:5])
        if not np.isclose(attributes["to_cgs"], wanted[5], rtol=1e-14):
            failures.append(f"wrong to_cgs of {name}: {attributes['to_cgs']}")


def check_own(file):
    own = file["Chamomile"].attrs
    expect("softening_kind", own["softening_kind"], "spline")
    expect("unit_system", own["unit_system"], "physical per h")
    if not own["converted"].startswith("by chamomile"):
        failures.append(f"provenance: {own['converted']}")


def check_pieces(folder, path):
    """The master of pieces has the data and attributes of the snapshot in one file, of pieces without some types too."""
    chamomile(folder, "convert", path, "b.hdf5", "--files", 3, "--quiet")
    with h5py.File(path, "r") as one, h5py.File(folder / "b.hdf5", "r") as master:
        for check in (check_header, check_units, check_particles, check_own):
            check(master)
        for group in ("PartType1", "PartType2"):
            for name, data in one[group].items():
                linked = master[group][name]
                if not linked.is_virtual or linked.dtype != data.dtype or dict(linked.attrs) != dict(data.attrs):
                    failures.append(f"{group}/{name} of the master: not virtual, or other types or attributes")
                expect(f"{group}/{name} of the master", linked[:], data[:])
    for number in range(3):
        with h5py.File(folder / f"b.{number}.hdf5", "r") as piece:
            expect(f"number of files in piece {number}", piece["Header"].attrs["NumFilesPerSnapshot"], 3)
            expect(f"totals in piece {number}", piece["Header"].attrs["NumPart_Total"], [0, 2, 1, 0, 0, 0])


def check_yt(path):
    import yt
    yt.set_log_level(50)
    data = yt.load(str(path), bounding_box=[[-4, 4]] * 3).all_data()
    expect("mass in yt", data["PartType1", "particle_mass"].size, 2)
    if not np.isclose(float(data["all", "particle_mass"].sum().to("Msun")), 1.1e10, rtol=2e-3):
        failures.append("yt reads a wrong total mass")


def check_pynbody(path):
    import pynbody
    snapshot = pynbody.load(str(path))
    if len(snapshot) != 3 or not np.isclose(float(snapshot["mass"].sum()), 1.1):
        failures.append("pynbody reads wrong masses")
    if not np.isclose(float(snapshot.properties["time"].in_units("s")), 1.5 * KPC / KM, rtol=2e-3):
        failures.append(f"pynbody reads a wrong time: {snapshot.properties['time']}")


with tempfile.TemporaryDirectory() as folder:
    text, path = pathlib.Path(folder) / "a.txt", pathlib.Path(folder) / "a.hdf5"
    text.write_text(TEXT)
    chamomile(folder, "convert", text, path, "--quiet")
    with h5py.File(path, "r") as file:
        for check in (check_header, check_units, check_particles, check_own):
            check(file)
    check_pieces(path.parent, path)
    for module, check, files in (("yt", check_yt, ["a.hdf5", "b.hdf5", "b.0.hdf5", "b.2.hdf5"]), ("pynbody", check_pynbody, ["a.hdf5", "b.hdf5"])):
        if importlib.util.find_spec(module):
            for name in files:
                check(path.parent / name)
        else:
            print(f"not tested: {module} is not installed")

end("all readers find what they need")
