#!/usr/bin/env python3
"""Checks with h5py that initial conditions and snapshots of a cosmological run have Gadget-4's attributes."""
import pathlib
import re
import shutil
import tempfile

from cosmological_run import BOX, H, N, OMEGA, in_all_units, made, near
from program import chamomile, check, end, need

need("h5py")
import h5py  # noqa: E402
import numpy as np  # noqa: E402


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


MPC, MSUN = 3.085678e24, 1.989e33
MASS = OMEGA * 3 * (100e5 / MPC)**2 / (8 * np.pi * 6.672e-8) * (BOX * MPC)**3  # g/h, with GADGET's constants
NAMES = "UnitLength_in_cm", "UnitMass_in_g", "UnitVelocity_in_cm_per_s"


def by_gadget(path):
    """Returns side, mass and speeds in cgs by GADGET's rule (lengths and masses per h), checked against the data set
    attributes.
    """
    with h5py.File(path, "r") as file:
        header, group = file["Header"].attrs, [file[name] for name in file if name.startswith("PartType")]
        h, a = header.get("HubbleParam", 1), header["Time"] if file["Parameters"].attrs["ComovingIntegrationOn"] else 1
        length, mass, velocity = (file["Units"].attrs[name] for name in NAMES)
        for name in NAMES:
            near(f"{path}: Parameters/{name}", file["Parameters"].attrs[name], file["Units"].attrs[name], 1e-14)
        near(f"{path}: UnitTime_in_s", file["Units"].attrs["UnitTime_in_s"], length / velocity, 1e-14)
        result = {"side": header["BoxSize"] * length / h, "mass": sum(g["Masses"][:].sum() for g in group) * mass / h,
                  "speed": np.sqrt(sum((g["Velocities"][:]**2).sum() for g in group) * a) * velocity}
        def in_cgs(data):
            return data[:] * data.attrs["to_cgs"] * h**data.attrs["h_scaling"]
        near(f"{path}: masses by their attributes", sum(in_cgs(g["Masses"]).sum() for g in group), result["mass"], 1e-12)
        near(f"{path}: positions by theirs", in_cgs(group[0]["Coordinates"]), group[0]["Coordinates"][:] * length / h, 1e-12)
        if "Acceleration" in group[0]:  # from pairs of masses at distances in cgs, independent of units
            result["pull"] = np.sqrt((in_cgs(group[0]["Acceleration"])**2).sum())
        return result


def by_swift(path):
    """Returns side and mass in cgs for numbers without h."""
    with h5py.File(path, "r") as file:
        units = file["Units"].attrs
        return {"side": file["Header"].attrs["BoxSize"] * units["Unit length in cgs (U_L)"],
                "mass": sum(file[name]["Masses"][:].sum() for name in file if name.startswith("PartType")) * units["Unit mass in cgs (U_M)"]}


def check_units(folder):
    """Checks that physical values agree in every unit system, comoving and plain, through HDF5, GADGET-2, Tipsy and
    text.
    """
    folder, wanted = pathlib.Path(folder), {}
    for path, system, comoving in in_all_units(folder):
        found = by_gadget(path)
        of_box = {"side": BOX * MPC / H, "mass": MASS / H} if comoving else {}
        for name, value in {**of_box, **wanted.get(comoving, {})}.items():
            if name in found and not (name == "speed" and path.parent.name == "galactic"):
                near(f"{path.name}, {system}: {name} by GADGET's rule", found[name], value, 1e-6)
        wanted.setdefault(comoving, found)
        per_h = system in ("gadget", "cosmological")
        if not per_h:
            for name, value in by_swift(path).items():
                near(f"{path.name}, {system}: {name} by SWIFT's units", value, found[name], 1e-12)
        description = re.search("^units +(.*)$", chamomile(folder, "info", path), re.M)[1]
        check(("/h" in description) == per_h, f"{path.name}: {description}")
        for name in "again.hdf5", "again.gadget2", "again.txt":
            out = chamomile(folder, "convert", path, name, "--overwrite")
            if name.endswith("gadget2") and (stated := re.search("other codes: " + ", ".join(f"{word} (\\S+)" for word in NAMES), out)):
                with h5py.File(path, "r") as file:
                    near(f"{path.name}: units for other codes", [float(text) for text in stated.groups()], [file["Units"].attrs[word] for word in NAMES], 1e-12)
            check(not name.endswith("gadget2") or bool(stated) == (system != "gadget" and (comoving or system != "galactic")), f"{path.name}: {out}")
            chamomile(folder, "convert", name, "back.hdf5", "--overwrite", "-q")
            for key, value in by_gadget(folder / "back.hdf5").items():
                near(f"{path.name} by {name}: {key}", value, found[key], 1e-12)
        if comoving:
            chamomile(folder, "halos", path, "-o", "halos.hdf5", "--overwrite", "-q")
            with h5py.File(folder / "halos.hdf5", "r") as file:
                header = file["Header"].attrs
                near(f"{path.name}: side in its catalogue of halos", header["BoxSize"] * header["UnitLength_in_cm"] / header["HubbleParam"], found["side"], 1e-12)
            chamomile(folder, "convert", path, "again.tipsy", "--overwrite", "-q")
            chamomile(folder, "convert", "again.tipsy", "back.hdf5", "--box-length", f"{BOX}Mpc/h", "--h", H, "--overwrite", "-q")
            for key, value in by_gadget(folder / "back.hdf5").items():
                near(f"{path.name} by Tipsy: {key}", value, found[key], 1e-5)


def check_plain_hubble(folder):
    """Checks an isolated GADGET-4 file in kpc/h: the output states units without h, because it lacks HubbleParam."""
    folder = pathlib.Path(folder)
    shutil.copy(folder / "galaxy_2.hdf5", folder / "isolated.hdf5")
    with h5py.File(folder / "isolated.hdf5", "r+") as file:
        del file["Chamomile"]
        file["Header"].attrs["HubbleParam"] = file["Parameters"].attrs["HubbleParam"] = H
    wanted = by_gadget(folder / "isolated.hdf5")
    for name in "again.hdf5", "again.txt", "again.gadget2":
        for system in [], ["--units", "stellar"]:
            chamomile(folder, "convert", "isolated.hdf5", name, *system, "--overwrite", "-q")
            chamomile(folder, "convert", name, "back.hdf5", "--overwrite", "-q")
            for key, value in by_gadget(folder / "back.hdf5").items():
                near(f"{name}, {system}: {key} of an isolated file with h", value, wanted[key], 1e-12)


def check_swift(folder):
    """Checks a file in SWIFT's format, in Mpc and 1e10 Msun without h, and its conversions."""
    folder, side, a = pathlib.Path(folder), BOX / H, 0.02
    with h5py.File(folder / "swift.hdf5", "w") as file:
        header, cosmology, units, halo = file.create_group("Header").attrs, file.create_group("Cosmology").attrs, file.create_group("Units").attrs, file.create_group("PartType1")
        header.update({"NumPart_ThisFile": [0, 512, 0, 0, 0, 0, 0], "NumPart_Total": [0, 512, 0, 0, 0, 0, 0], "BoxSize": [side] * 3, "Code": "SWIFT", "Time": 1e-3, "Redshift": [1 / a - 1]})
        cosmology.update({"Cosmological run": [1], "h": [H], "Omega_m": [OMEGA], "Omega_lambda": [1 - OMEGA]})
        units.update({"Unit length in cgs (U_L)": [MPC], "Unit mass in cgs (U_M)": [1e10 * MSUN], "Unit time in cgs (U_t)": [MPC / 1e5]})
        halo["Coordinates"] = (np.stack(np.meshgrid(*[np.arange(8)] * 3, indexing="ij"), -1).reshape(-1, 3) + 0.5) * side / 8
        halo["Velocities"], halo["Masses"], halo["ParticleIDs"] = np.full((512, 3), 7.0), np.full(512, MASS / H / (1e10 * MSUN) / 512), np.arange(512)
    chamomile(folder, "run", "swift.hdf5", "--z-end", 48.9, "--eps", "10kpc", "-o", "swift", "-q")
    for name in "again.hdf5", "swift/snapshot_000.hdf5":
        chamomile(folder, "convert", "swift.hdf5", "again.hdf5", "--overwrite", "-q")
        found = by_gadget(folder / name)
        for key, value in {"side": side * MPC, "mass": MASS / H, "speed": 7e5 * np.sqrt(3 * 512)}.items():
            near(f"{name} from SWIFT: {key}", found[key], value, 1e-9)


def check_old_files(folder):
    """Checks that files with h, UnitLength_in_cm and UnitMass_in_g without h, as written by version 0.2, are read by
    SWIFT's attributes.
    """
    folder = pathlib.Path(folder)
    for number in 2, 3, 4:
        shutil.copy(folder / f"box_{number}.hdf5", folder / "old.hdf5")
        with h5py.File(folder / "old.hdf5", "r+") as file:
            for group in "Units", "Parameters":
                for name, swift in (NAMES[0], "Unit length in cgs (U_L)"), (NAMES[1], "Unit mass in cgs (U_M)"):
                    file[group].attrs[name] = file["Units"].attrs[swift]
        texts = [chamomile(folder, "info", name).replace(name, "") for name in ("old.hdf5", f"box_{number}.hdf5")]
        check(texts[0] == texts[1], f"files with and without h in units differ:\n{texts[0]}\n{texts[1]}")


with tempfile.TemporaryDirectory() as scratch:
    check_units(scratch)
    check_plain_hubble(scratch)
    check_swift(scratch)
    check_old_files(scratch)
    for file, scale_factor, v in made(scratch):
        check_attributes(file, scale_factor, v)
end("initial conditions and snapshots have all attributes")
