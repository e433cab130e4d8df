#!/usr/bin/env python3
"""Tests tests/corpus on files of other codes that lie in ../shared/data, and what we write by the rules of other readers: the same
physical masses, lengths, velocities and times, in each system of units, comoving or not.
"""
import csv
import os
import pathlib
import struct
import subprocess
import sys

from program import PROGRAM, ROOT, chamomile, check, need, run_parts

need("h5py", "numpy")
import h5py  # noqa: E402
import numpy as np  # noqa: E402

CM, GRAM, KM = 3.085678e21, 1.989e43, 1e5  # kpc, 1e10 Msun
SYSTEMS = {"galactic": (CM, GRAM, KM), "stellar": (CM / 1e3, GRAM / 1e10, KM), "gadget": (CM, GRAM, KM), "cosmological": (CM * 1e3, GRAM, KM)}
PER_H = ("gadget", "cosmological")


def corpus(*words):
    return subprocess.run([sys.executable, ROOT / "tests/corpus", PROGRAM, *map(str, words)], capture_output=True, text=True)


def table_of_files(folder):
    with open(ROOT / "tests/corpus.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    check(len(rows) >= 60 and len({row["sha256"] for row in rows}) == len(rows), f"corpus.csv: {len(rows)} files")
    check(all(row["says"] for row in rows if row["why"]) and sum(not row["why"] for row in rows) >= 50, "corpus.csv: refusals without words")
    data = pathlib.Path(os.environ.get("CHAMOMILE_DATA", ROOT.parent / "shared/data"))
    done = corpus(data if data.is_dir() else folder)
    print(done.stdout.splitlines()[-1])
    check(done.returncode in (0, 77), f"corpus: {done.stdout}{done.stderr}")


def wrong_files_are_told(folder):
    """A made corpus of two right files, a wrong one and an absent one."""
    import hashlib
    (folder / "files").mkdir()
    for name, text in (("a", "1 0 0 0\n2 1 1 1\n"), ("b", "1 0 0 0\n3 1 1 1\n"), ("c", "no numbers\n")):
        (folder / "files" / name).write_text(text)
    head = "repository path bytes sha256 options particles mass unit time box comoving says why".split()
    row = lambda name, **own: {**dict.fromkeys(head, ""), "path": name, "bytes": (folder / "files" / name).stat().st_size, "particles": "1:2", "unit": "N-body",
                               "sha256": hashlib.sha256((folder / "files" / name).read_bytes()).hexdigest(), "time": 0, "box": 0, "comoving": 0, **own}
    rows = [row("a", mass=3), row("b", mass=3), row("c", says="must be mass x y z", why="text"), {**row("c"), "sha256": "0", "path": "d"}]
    with open(folder / "table.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, head)
        writer.writeheader()
        writer.writerows(rows)
    done = corpus(folder / "files", "--table", folder / "table.csv")
    check(done.returncode == 1 and "b: mass 4 N-body, not 3" in done.stdout and "2 of 4 files come out right (1 refused with reason), 1 wrong, 1 absent" in done.stdout, f"{done.stdout}{done.stderr}")


def by_gadget4(path, system, a, h):
    """GADGET-4: value * to_cgs * a^a_scaling * h^h_scaling of each data set."""
    with h5py.File(path) as file:
        def physical(name):
            values = np.concatenate([file[group][name][:] for group in file if group.startswith("PartType")])
            of = next(file[group][name] for group in file if group.startswith("PartType")).attrs
            return values * of["to_cgs"] * a ** of["a_scaling"] * h ** of["h_scaling"]
        return physical("Masses"), physical("Coordinates"), physical("Velocities"), float(file["Header"].attrs["Time"])


def by_header(path, system, a, h):
    """yt, pynbody, nbodykit's Gadget reader: units in the header's words, lengths and masses per h in comoving files, velocities u = v / sqrt(a)."""
    with h5py.File(path) as file:
        units = file["Units"].attrs
        length, mass, speed = (units[name] for name in ("UnitLength_in_cm", "UnitMass_in_g", "UnitVelocity_in_cm_per_s"))
        comoving = "Omega0" in file["Header"].attrs or "Omega0" in file["Parameters"].attrs
        hubble, scale = (h, a) if comoving else (1, 1)
        column = lambda name: np.concatenate([file[group][name][:] for group in file if group.startswith("PartType")])
        return column("Masses") * mass / hubble, column("Coordinates") * length * scale / hubble, column("Velocities") * speed * scale ** 0.5, float(file["Header"].attrs["Time"])


def by_gadget2(path, system, a, h):
    """pygadgetreader: binary blocks; the units are known from the parameter file, per h in comoving files."""
    data, at, blocks = path.read_bytes(), 0, []
    first = struct.unpack("<I", data[:4])[0]
    while at < len(data):
        size = struct.unpack("<I", data[at:at + 4])[0]
        if not (first == 8 and size == 8):
            blocks.append(data[at + 4:at + 4 + size])
        at += size + 8
    number = sum(struct.unpack("<6i", blocks[0][:24]))
    real = lambda block, columns: np.frombuffer(block, "<f4" if len(block) == 4 * columns * number else "<f8").astype(float).reshape(number, columns)
    length, mass, speed = system
    table = struct.unpack("<6d", blocks[0][24:72])
    masses = real(blocks[4], 1)[:, 0] if not any(table) else np.repeat(table, struct.unpack("<6i", blocks[0][:24]))
    return masses * mass, a * real(blocks[1], 3) * length, a ** 0.5 * real(blocks[2], 3) * speed, struct.unpack("<d", blocks[0][72:80])[0]


def by_swift(path, system, a, h):
    """swiftsimio: SWIFT's units without h, comoving lengths; velocities as GADGET's, which SWIFT converts."""
    with h5py.File(path) as file:
        units = file["Units"].attrs
        length, mass, time = (units[f"Unit {name} in cgs ({key})"] for name, key in (("length", "U_L"), ("mass", "U_M"), ("time", "U_t")))
        column = lambda name: np.concatenate([file[group][name][:] for group in file if group.startswith("PartType")])
        h = h if system[3] else 1
        return column("Masses") * mass / h, column("Coordinates") * length * a / h, column("Velocities") * length / time * a ** 0.5, float(file["Header"].attrs["Time"])


READERS = {"GADGET-4": (by_gadget4, "hdf5"), "yt, pynbody, nbodykit": (by_header, "hdf5"), "swiftsimio": (by_swift, "hdf5"), "pygadgetreader": (by_gadget2, "gadget2")}


def round_trips(folder):
    chamomile(folder, *"model galaxy -n 500 --physical -o isolated.hdf5 -q".split())
    chamomile(folder, *"model cosmology --n 6 --box 50 --z-start 4 -o comoving.hdf5 -q".split())
    with h5py.File(folder / "isolated.hdf5", "r+") as file:
        file["Header"].attrs.modify("Time", 0.25)
    number = 0
    for source in ("isolated", "comoving"):
        with h5py.File(folder / f"{source}.hdf5") as file:
            is_comoving = source == "comoving"
            a, h = (float(file["Header"].attrs["Time"]), float(file["Parameters"].attrs["HubbleParam"])) if is_comoving else (1, 1)
            own = by_gadget4(folder / f"{source}.hdf5", None, a, h)
        for name, units in SYSTEMS.items():
            if not is_comoving and name in PER_H:
                done = chamomile(folder, "convert", f"{source}.hdf5", "x.hdf5", "--units", name, "--overwrite", status=2)
                check("h" in done, f"isolated without h in {name}: {done}")
                continue
            for reader, (read, ending) in READERS.items():
                path = folder / f"{source}_{name}.{ending}"
                chamomile(folder, "convert", f"{source}.hdf5", path.name, "--units", name, "--overwrite", "-q")
                per_h = name in PER_H
                if ending == "gadget2":  # the units that `convert` prints for a parameter file
                    units_now = (units[0] / (h if per_h else 1), units[1] / (h if per_h else 1), units[2])
                else:
                    units_now = (*units, per_h)
                found = read(path, units_now, a, h)
                faults = [what for what, mine, other in zip(("masses", "lengths", "velocities"), own, found)
                          if not np.allclose(np.sort(np.ravel(mine)), np.sort(np.ravel(other)), rtol=2e-6, atol=2e-6 * np.abs(mine).max())]
                time, wanted = (found[3], a) if is_comoving else (found[3] * units[0] / units[2], own[3] * CM / KM)
                if not abs(time / wanted - 1) < 1e-6:
                    faults.append("time")
                check(not faults, f"{reader}, {name}, {source}: {', '.join(faults)}")
                number += 1
    check(number == 24, f"{number} round trips")


run_parts("files of other codes come out right, and ours in their readers", table_of_files, wrong_files_are_told, round_trips)
