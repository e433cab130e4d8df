#!/usr/bin/env python3
"""Tests softening lengths per type and per particle: runs, forces, files, restarts, units, log and refusals."""
import re
import shutil

from program import chamomile, check, energies, need, refused, run_parts

need("h5py", "numpy")
import h5py
import numpy as np

RUN = "--t-end 0.2 --dt 0.05 --solver direct --precision double".split()


def lengths(path):
    with h5py.File(path) as file:
        return {name: np.array(group["SofteningLength"]) for name, group in file.items() if "SofteningLength" in group}


def forces(path):
    with h5py.File(path) as file:
        types = sorted(name for name in file if name.startswith("PartType"))
        join = lambda name: np.concatenate([np.array(file[f"{type}/{name}"]) for type in types])
        return {name: join(name) for name in ("Coordinates", "Masses", "Acceleration", "Potential", "ParticleIDs")}, [len(file[f"{type}/Masses"]) for type in types]


def makes_inputs(folder):
    chamomile(folder, "model", "galaxy", "-n", 600, "-o", "galaxy.hdf5", "-q")
    chamomile(folder, "model", "galaxy", "-n", 600, "--physical", "-o", "physical.hdf5", "-q")


def sums_by_type(folder):
    """Forces of disk, bulge and halo with three lengths equal a loop over pairs."""
    out = chamomile(folder, "force", "galaxy.hdf5", "--eps-type", "halo=0.3,disk=0.02,bulge=0.1", "--solver", "direct", "--precision", "double", "-o", "forces.hdf5")
    check("CPU" in out, f"force: {out}")
    found, counts = forces(folder / "forces.hdf5")
    own = np.concatenate(list(lengths(folder / "forces.hdf5").values()))
    check(counts and set(own) == {0.3, 0.02, 0.1}, f"lengths: {set(own)}")
    x, m = found["Coordinates"], found["Masses"]
    for rule, pair in ("larger", np.maximum.outer(own, own)), ("root-of-squares", np.hypot.outer(own, own)):
        chamomile(folder, "force", "forces.hdf5", "--eps-rule", rule, "--solver", "direct", "--precision", "double", "-o", f"{rule}.hdf5", "-q")
        again, _ = forces(folder / f"{rule}.hdf5")
        d = x[None, :] - x[:, None]
        u = np.sqrt((d**2).sum(2) + pair**2)
        a, phi = (m[None, :, None] * d / u[:, :, None] ** 3).sum(1), -(m / u).sum(1) + m / np.diag(u)
        scale = (m[None, :] * np.sqrt((d**2).sum(2)) / u**3).sum(1)
        check(np.max(np.linalg.norm(again["Acceleration"] - a, axis=1) / scale) < 1e-13, f"{rule}: accelerations")
        check(np.max(np.abs(again["Potential"] / phi - 1)) < 1e-12, f"{rule}: potentials")


def runs_and_goes_on(folder):
    options = ["--eps-type", "halo=0.3,disk=0.05", "--eps", 0.1, "--block-steps", "--step-criterion", "softening", "--dt-max", 0.05]
    out = chamomile(folder, "run", "galaxy.hdf5", *options, "--t-end", 0.4, "-o", "whole", "--snapshot-every", 0.2)
    check(re.search(r"^softening +Plummer, eps = 0.3 \(halo\), 0.05 \(disk\), 0.1 \(bulge\); of a pair the larger$", out, re.M), f"log: {out}")
    chamomile(folder, "run", "galaxy.hdf5", *options, "--t-end", 0.2, "-o", "part", "--snapshot-every", 0.2, "-q")
    chamomile(folder, "run", "--restart", "part", "--t-end", 0.4, "-q")
    a, b = (h5py.File(folder / name / "snapshot_002.hdf5") for name in ("whole", "part"))
    for group in "PartType1", "PartType2", "PartType3":
        for data in "Coordinates", "Velocities", "SofteningLength":
            check(np.array_equal(a[group][data], b[group][data]), f"restart: {group}/{data}: bits differ")
    classes = a["Parameters"].attrs
    check([classes[f"SofteningComovingClass{classes[f'SofteningClassOfPartType{type}']}"] for type in (1, 2, 3)] == [0.3, 0.05, 0.1], "wrong softening classes of GADGET-4")
    first, last = energies(folder / "whole")[0], energies(folder / "whole")[-1]
    check(abs(last["total"] / first["total"] - 1) < 2e-2, f"energy is not conserved: {first['total']} {last['total']}")
    # The snapshot states its lengths; a run from it needs no option.
    out = chamomile(folder, "run", "whole/snapshot_002.hdf5", "--t-end", 0.5, "--dt", 0.05, "-o", "from_file")
    check("eps = 0.3 (halo), 0.05 (disk), 0.1 (bulge)" in out, f"run from a snapshot: {out}")
    check(set(lengths(folder / "from_file/snapshot_001.hdf5")["PartType2"]) == {0.05}, "run from a snapshot: wrong lengths")
    out = chamomile(folder, "run", "whole/snapshot_002.hdf5", "--eps", 0.2, "--t-end", 0.5, "--dt", 0.05, "-o", "one_length")
    check(re.search(r"^softening +Plummer, eps = 0.2$", out, re.M) and not lengths(folder / "one_length/snapshot_001.hdf5"), f"--eps 0.2: {out}")
    check("0.3 (halo)" in chamomile(folder, "info", "whole/snapshot_002.hdf5"), "info")


def hermite_goes_on(folder):
    """Hermite's scheme conserves energy with both rules, which differ, and restarts with equal bits."""
    ends = []
    for rule in "larger", "root-of-squares":
        options = ["--integrator", "hermite", "--eps-type", "halo=0.3,disk=0.05,bulge=0.1", "--eps-rule", rule, "--snapshot-every", 0.1, "-q"]
        chamomile(folder, "run", "galaxy.hdf5", *options, "--t-end", 0.2, "-o", f"hermite_{rule}")
        chamomile(folder, "run", "galaxy.hdf5", *options, "--t-end", 0.1, "-o", f"part_{rule}")
        chamomile(folder, "run", "--restart", f"part_{rule}", "--t-end", 0.2, "-q")
        a, b = (h5py.File(folder / f"{name}_{rule}" / "snapshot_002.hdf5") for name in ("hermite", "part"))
        for data in "Coordinates", "Velocities", "SofteningLength":
            check(np.array_equal(a["PartType2"][data], b["PartType2"][data]), f"hermite, {rule}: {data}: bits differ after a restart")
        first, last = energies(folder / f"hermite_{rule}")[0], energies(folder / f"hermite_{rule}")[-1]
        check(abs(last["total"] / first["total"] - 1) < 1e-6, f"hermite, {rule}: energy: {first['total']} {last['total']}")
        ends.append(np.array(a["PartType2/Coordinates"]))
    check(not np.array_equal(*ends), "hermite: the rule has no effect")


def equal_lengths_are_one(folder):
    for name, eps in ("one", ["--eps", 0.1]), ("list", ["--eps", "0.1,0.1,0.1"]), ("type", ["--eps-type", "1=0.1,2=0.1,3=0.1"]):
        chamomile(folder, "run", "galaxy.hdf5", *eps, "--t-end", 0.1, "--dt", 0.05, "-o", name, "-q")
    parts = [h5py.File(folder / name / "snapshot_001.hdf5")["PartType2/Coordinates"][:] for name in ("one", "list", "type")]
    check(all(np.array_equal(parts[0], part) for part in parts), "equal lengths give different bits than one length")


def takes_units(folder):
    out = chamomile(folder, "run", "physical.hdf5", "--eps-type", "halo=300 pc,disk=50pc,bulge=0.1", "--t-end", "5 Myr", "--dt", "5Myr", "-o", "units")
    check(re.search(r"eps \[kpc\] = 0.3 \(halo\), 0.05 \(disk\), 0.1 \(bulge\)", out), f"units: {out}")
    out = chamomile(folder, "run", "physical.hdf5", "--eps", "300 pc,50pc,100pc", "--t-end", "5 Myr", "--dt", "5Myr", "-o", "units_in_order")
    check(re.search(r"eps \[kpc\] = 0.3 \(halo\), 0.05 \(disk\), 0.1 \(bulge\)", out), f"units in order: {out}")


def converts(folder):
    for name in "out.tipsy", "out.txt", "out.gadget2":
        done = chamomile(folder, "convert", "forces.hdf5", name)
        check(("per-particle softening" in done) == (name == "out.txt"), f"convert {name}: {done}")
    check(set(np.round(np.concatenate(list(lengths_of_tipsy(folder).values())), 6)) == {0.3, 0.02, 0.1}, "Tipsy: lengths")


def lengths_of_tipsy(folder):
    chamomile(folder, "convert", "out.tipsy", "back.hdf5", "-q")
    return lengths(folder / "back.hdf5")


def refuses(folder):
    for line, *words in [("--eps-type: 3 (bulge): length missing: give it, or --eps for other types", "--eps-type", "1=0.4,2=1"),
                         ("--eps-type: 4 (stars): no such particles", "--eps-type", "stars=0.1", "--eps", 0.1),
                         ("--eps: 0.1,0.2: must be one length, or one per type, 3", "--eps", "0.1,0.2"),
                         ("--eps: 0.1,0.2,0.3,0.4: must be one length, or one per type, 3", "--eps", "0.1,0.2,0.3,0.4"),
                         ("--eps: -0.1", "--eps", "-0.1,0.2,0.3"),
                         ("--eps-type: -1", "--eps-type", "1=-1"),
                         ("--eps-type: halo: must be TYPE=LENGTH", "--eps-type", "halo"),
                         ("--eps-type: 9", "--eps-type", "9=1"),
                         ("--eps-type: 3Gyr|--eps-type: disk=3Gyr: is a time: must be a length", "--eps-type", "disk=3Gyr"),
                         ("--eps: 3Gyr: is a time: must be a length", "--eps", "3Gyr"),
                         ("--eps-rule: needs several softening lengths", "--eps", 0.1, "--eps-rule", "larger"),
                         ("--eps-rule: both", "--eps", 0.1, "--eps-rule", "both"),
                         ("--softening spline: must be plummer for hermite", "--eps", "0.1,0.2,0.3", "--integrator", "hermite", "--softening", "spline"),
                         ("--eps-type: contradicts several lengths by --eps", "--eps", "0.1,0.2,0.3", "--eps-type", "1=1")]:
        more = [] if "hermite" in words else RUN
        refused(folder, 2, line, "run", "galaxy.hdf5", *words, *(more or ["--t-end", 0.1]), "-o", "refused")
    shutil.copy(folder / "forces.hdf5", folder / "bad.hdf5")
    with h5py.File(folder / "bad.hdf5", "r+") as bad:
        bad["PartType2/SofteningLength"][5] = -0.1
    refused(folder, 3, "softening length: -0.1: must be finite and 0 or more", "run", "bad.hdf5", *RUN, "-o", "refused")


run_parts("softening lengths by type and by particle", makes_inputs, sums_by_type, runs_and_goes_on, hermite_goes_on, equal_lengths_are_one, takes_units, converts, refuses)
