#!/usr/bin/env python3
"""Tests `chamomile profile` on spheres and a disk with known profiles, shifted and moving, by type and in physical
units; wrong requests.
"""
import math
import pathlib
import tempfile

from program import chamomile, check, end, refused, table

with tempfile.TemporaryDirectory() as scratch:
    folder = pathlib.Path(scratch)

    def profile(name, *words):
        chamomile(folder, "profile", name, *words, "-o", "p.csv", "--overwrite")
        return table(folder / "p.csv")

    def moved(name, shift, push):
        """Writes the particles shifted and moving."""
        lines = chamomile(folder, "convert", name, "moved.txt", "--overwrite", "-q"), (folder / "moved.txt").read_text().splitlines()
        with open(folder / "moved.txt", "w") as file:
            for line in lines[1]:
                words = line.split()
                if not line.startswith("#"):
                    words[1:7] = [repr(float(word) + more) for word, more in zip(words[1:7], (*shift, *push))]
                file.write(" ".join(words) + "\n")
        return "moved.txt"

    # A radially anisotropic Hernquist sphere with known density, mass, circular speed and beta.
    ra, n = 0.7, 200000
    chamomile(folder, "model", "hernquist", "-n", n, "--anisotropy-radius", ra, "-o", "h.hdf5")
    mass = lambda r: r * r / (1 + r) ** 2
    for name, words in ("h.hdf5", ("--center", "0,0,0")), (moved("h.hdf5", (5, -3, 40), (1, 2, -7)), ("--r-min", 0.2, "--r-max", 30, "--bins", 20)):
        rows = profile(name, *words)
        check(len(rows) == (30 if name == "h.hdf5" else 20) and {row["type"] for row in rows} == {"all"}, f"{name}: {len(rows)} rows")
        far = 0
        for row in rows:
            low, high, count = float(row["r_low"]), float(row["r_high"]), int(row["particles"])
            expected = (mass(high) - mass(low)) / (4 * math.pi / 3 * (high**3 - low**3))
            far += abs(float(row["density"]) - expected) > 3 * float(row["error of density"]) + (0.02 * expected if name != "h.hdf5" else 0)
            check(abs(float(row["mass_inside"]) / mass(high) - 1) < 0.03, f"{name}: wrong mass {row}")
            check(abs(float(row["circular_speed"]) / math.sqrt(mass(high) / high) - 1) < 0.015, f"{name}: wrong circular speed {row}")
            r = math.sqrt(low * high)
            check(abs(float(row["anisotropy"]) - r * r / (r * r + ra * ra)) < 5 * float(row["error of anisotropy"]) + 0.02, f"{name}: wrong anisotropy {row}")
            check(abs(float(row["mean_v_r"])) < 5 * float(row["sigma_r"]) / math.sqrt(count) + 0.02, f"{name}: wrong flow {row}")
        check(far <= 1, f"{name}: {far} densities beyond 3 errors")
        check(sum(int(row["particles"]) for row in rows) > 0.85 * n, f"{name}: particles")

    # A disk in rings: exp(-R) / (2 pi), its rotation and thickness.
    chamomile(folder, "model", "disk", "-n", 100000, "-o", "d.hdf5")
    for row in profile("d.hdf5", "--cylinders", "--r-min", 0.5, "--r-max", 4, "--bins", 7, "--center", "0,0,0"):
        low, high = float(row["r_low"]), float(row["r_high"])
        part = (1 + low) * math.exp(-low) - (1 + high) * math.exp(-high)
        expected = part / (math.pi * (high * high - low * low))
        check(abs(float(row["surface_density"]) - expected) < 4 * float(row["error of surface_density"]), f"ring {row}")
        check(abs(float(row["rms_z"]) / (math.pi * 0.05 / math.sqrt(12)) - 1) < 0.05, f"thickness {row}")
        check(0.3 < float(row["mean_v_phi"]) < 0.7 and float(row["sigma_z"]) < 1e-4, f"rotation {row}")  # v_c^2 is 0.137 to 0.387
    flat = profile("d.hdf5", "--cylinders", "--height", 0.01, "--bins", 3)
    check(sum(int(row["particles"]) for row in flat) < 50000, "height")

    # Types, and units in the headings.
    chamomile(folder, "model", "galaxy", "-n", 20000, "--physical", "-o", "g.hdf5")
    rows = profile("g.hdf5", "--bins", 5)
    check([row["type"] for row in rows] == [word for word in ("all", "1", "2", "3") for _ in range(5)], "types")
    headings = set((folder / "p.csv").read_text().splitlines()[0].split(","))
    check({"r_low [kpc]", "density [1e10 Msun/kpc^3]", "circular_speed [km/s]", "sigma_r [km/s]", "mass_inside [1e10 Msun]"} <= headings, f"units: {headings}")
    for k in range(5):
        check(sum(int(rows[5 * t + k]["particles"]) for t in (1, 2, 3)) == int(rows[k]["particles"]), "types do not add up")
    check({row["type"] for row in profile("g.hdf5", "--types", "disk", "--bins", 5)} == {"all"}, "one type")
    check(chamomile(folder, "profile", "h.hdf5", "--bins", 2).count("\n") == 3, "standard output")

    (folder / "box.txt").write_text("# box_size: 8\n" + "".join(f"1 {i % 3} {i % 5} {i % 7} 0 0 0 {i + 1}\n" for i in range(20)))
    refused(folder, 2, "--center: missing", "profile", "box.txt")
    refused(folder, 2, "below the second", "profile", "h.hdf5", "--r-min", 3, "--r-max", 2)
    refused(folder, 2, "must be three numbers", "profile", "h.hdf5", "--center", "1,2")
    refused(folder, 2, "needs --cylinders", "profile", "h.hdf5", "--height", 2)
    refused(folder, 3, "types", "profile", "h.hdf5", "--types", 5)
    refused(folder, 3, "absent", "profile", "absent.hdf5")
    refused(folder, 4, "--overwrite", "profile", "h.hdf5", "-o", "p.csv")
end("profiles are those of the models")
