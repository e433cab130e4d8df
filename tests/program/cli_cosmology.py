#!/usr/bin/env python3
"""Tests `model cosmology` and cosmological runs: files, times, restarts, other codes' initial conditions, one line per
mistake.
"""
import functools
import math
import pathlib
import re
import struct
import tempfile

from program import check, end, refused as refused_in, rows as rows_of, run, table, without_comments


def done(*arguments):
    result = chamomile(*arguments)
    check(result.returncode == 0, f"{' '.join(map(str, arguments))}: {result.stderr}")
    return result.stdout


def read(name):
    """Returns header and rows of a text snapshot."""
    done("convert", name, "as_text.txt", "--overwrite")
    text = (folder / "as_text.txt").read_text()
    fields = (line[1:].partition(":") for line in text.splitlines() if line.startswith("#"))
    return {key.strip(): value.strip() for key, _, value in fields}, rows_of(text)


def gadget2(name, rows, mass, a, box, omega):
    """Writes format 1 in single precision like N-GenIC and MUSIC: masses in the header, 4-byte ids."""
    n = len(rows)
    header = struct.pack("<6I6d2d2i6I2i4d2i6Ii", 0, n, 0, 0, 0, 0, 0, mass, 0, 0, 0, 0, a, 1 / a - 1, 0, 0, 0, n, 0, 0, 0, 0, 0, 1,
                         box, omega, 1 - omega, 0.7, 0, 0, *[0] * 6, 0).ljust(256, b"\0")
    blocks = [header, b"".join(struct.pack("<3f", *row[:3]) for row in rows),
              b"".join(struct.pack("<3f", *(v / math.sqrt(a) for v in row[3:])) for row in rows), struct.pack(f"<{n}I", *range(1, n + 1))]
    (folder / name).write_bytes(b"".join(struct.pack("<I", len(b)) + b + struct.pack("<I", len(b)) for b in blocks))


def music_hdf5(name, rows, mass, a, box, omega):
    """Writes MUSIC's and monofonIC's HDF5 format; returns False without h5py."""
    try:
        import h5py
    except ImportError:
        return False
    n = len(rows)
    with h5py.File(folder / name, "w") as file:
        header = file.create_group("Header").attrs
        for key, value in {"NumPart_ThisFile": [0, n, 0, 0, 0, 0], "NumPart_Total": [0, n, 0, 0, 0, 0], "NumPart_Total_HighWord": [0] * 6,
                           "MassTable": [0, mass, 0, 0, 0, 0], "Time": a, "Redshift": 1 / a - 1, "BoxSize": box, "NumFilesPerSnapshot": 1, "Omega0": omega,
                           "OmegaLambda": 1 - omega, "HubbleParam": 0.7, "Flag_Sfr": 0, "Flag_Cooling": 0, "Flag_Entropy_ICs": 0}.items():
            header[key] = value
        group = file.create_group("PartType1")
        group["Coordinates"] = [row[:3] for row in rows]
        group["Velocities"] = [[v / math.sqrt(a) for v in row[3:]] for row in rows]
        group["ParticleIDs"] = list(range(1, n + 1))
    return True


with tempfile.TemporaryDirectory() as scratch:
    folder = pathlib.Path(scratch)
    chamomile, refused = (functools.partial(function, folder) for function in (run, refused_in))
    box = ["model", "cosmology", "--n", 16, "--box", 100, "--omega-m", 0.3, "--hubble", 0.7, "--omega-b", 0.05]
    for threads in 1, 2:
        done(*box, "--threads", threads, "-o", f"ics{threads}.txt")
    rows = [without_comments((folder / f"ics{k}.txt").read_text()) for k in (1, 2)]
    check(rows[0] == rows[1] and len(rows[0]) == 4096, "model cosmology: results of one and two threads differ")
    done(*box, "-o", "ics.hdf5")
    header, rows = read("ics.hdf5")
    check(abs(float(header["time"]) - 0.02) < 1e-12 and float(header["box_size"]) == 100000, "model cosmology: wrong header")
    done(*box, "--Mpc", "--load", "glass", "--glass", 8, "--fixed", "--paired", "--lpt", 1, "--transfer", "no-wiggle", "-o", "glass.hdf5")

    # The whole way, and with a stop in between; outputs at the redshifts asked for.
    run = ["run", "ics.hdf5", "--outputs-z", "19"]
    done(*run, "--z-end", 9, "-o", "whole")
    done(*run, "--z-end", 19, "-o", "parts")
    done("run", "--restart", "parts", "--z-end", 9)
    for k, z in enumerate((49, 19, 9)):
        whole, parts = (read(f"{name}/snapshot_{k:03}.hdf5") for name in ("whole", "parts"))
        check(whole[1] == parts[1], f"snapshot {k}: an interrupted run differs")
        check(abs(float(whole[0]["time"]) * (1 + z) - 1) < 1e-12, f"snapshot {k}: time {whole[0]['time']}")
        check(float(whole[0]["scale_factor"]) == float(whole[0]["time"]), f"snapshot {k}: wrong scale factor")
        check(all(0 <= x < 100000 for row in whole[1] for x in row[1:4]), f"snapshot {k}: positions outside the box")
    lines = table(folder / "whole/energy.csv")
    check(abs(float(lines[-1]["scale_factor"]) - 0.1) < 1e-12 and abs(float(lines[-1]["layzer_irvine"])) < 0.01, f"energy.csv: {lines[-1]}")
    # Compares forces with Ewald's sums, in the run and by `accuracy`; pictures with `render`; the last given end wins.
    told = done("run", "ics.hdf5", "--outputs-z", "30", "--z-end", 19, "--block-steps", "--check-forces", 50, "--eps-max", 5, "--frames", "-o", "measured")
    lines = table(folder / "measured/forces.csv")
    check(all(1e-5 < float(line["rms"]) < 1e-2 for line in lines) and abs(float(lines[0]["time"]) - 0.02) < 1e-12, f"forces.csv: {lines}")
    check("wrote 3 snapshots, 3 frames" in told, f"frames: {told}")
    for more in ([], ["--set", "periodic.cut=6.5"], ["--set", "periodic.long-range=modes", "--set", "periodic.cut=7"]):
        done("accuracy", "measured/snapshot_002.hdf5", "--sample", 200, "--tolerance", 0.0003, "--csv", "errors.csv", "--overwrite", *more)
        line = table(folder / "errors.csv")[0]
        check(1e-6 < float(line["rms"]) < 5e-3, f"accuracy in a box, {more}: {line}")
    done("run", "ics.hdf5", "--outputs-z", "30,15", "--z-end", 9, "--max-walltime", 1e-6, "-o", "shorter")
    done("run", "--restart", "shorter", "--cosmology", "--a-end", 0.04, "--max-walltime", "20min")
    refused(2, "--z-end: contradicts --a-end", "run", "--restart", "shorter", "--a-end", 0.05, "--z-end", 18)
    check(abs(float(read("shorter/snapshot_002.hdf5")[0]["time"]) - 0.04) < 1e-12, "a restart ignores the new --a-end")
    done("run", "ics.hdf5", "--outputs-z", "40:10:-10", "--z-end", 9, "--max-walltime", 1e-6, "-o", "changed")
    done("run", "--restart", "changed", "--outputs-a", "0.04:0.06:0.01,0.09", "--max-walltime", 1000, "-q")
    times = [float(read(f"changed/{path.name}")[0]["time"]) for path in sorted((folder / "changed").glob("snapshot_*"))]
    check(len(times) == 6 and all(abs(a / b - 1) < 1e-12 for a, b in zip(times, (0.02, 0.04, 0.05, 0.06, 0.09, 0.1))), f"wrong scale factors of outputs given on restart: {times}")
    refused(2, "--output-times: needs plain time; give --outputs-z or --outputs-a in a cosmological run", "run", "ics.hdf5", "--z-end", 9, "--output-times", 1, "-o", "x")
    z = 50 / math.exp(0.01) - 1  # one step in ln a (0.01), typed to six digits
    check("1 step in" in done("run", "ics.hdf5", "--dt", 0.01, "--z-end", f"{z:.6g}", "--outputs-a", 0.02, "-o", "one"), "a rounded end adds a second step")
    done(*box, "--A-s", 2.1e-9, "-o", "primordial.hdf5")
    sigma8 = float(re.search(r"sigma8: (\S+)", done("info", "primordial.hdf5"))[1])
    done(*box, "--transfer", "no-wiggle", "-o", "smooth.hdf5")
    heading = done("power", "smooth.hdf5", "--fits")
    check("no wiggles" in heading, f"power --fits: transfer function of the file: {heading}")
    of_table = box[:-2]  # without baryons from the fit
    (folder / "table.txt").write_text("".join(f"{k} {2e4 * k / (1 + (k / 0.02)**2)**1.4}\n" for k in (1e-3 * 1.1**i for i in range(90))))
    done(*of_table, "--transfer", "power-table", "--table", "table.txt", "-o", "tabled.hdf5")
    refused(2, "--linear-power FILE", "power", "tabled.hdf5", "--fits")
    heading = done("power", "tabled.hdf5", "--fits", "--linear-power", "table.txt")
    check("table.txt, extrapolated below k = 0.001 and beyond 4.8" in heading, f"power --linear-power: {heading}")
    done(*of_table, "--transfer", "power-table", "--table", "table.txt", "--sigma8", 0.7, "-o", "scaled.hdf5")
    heading = done("power", "scaled.hdf5", "--fits", "--linear-power", "table.txt")
    check("sigma8 0.7, n_s 0.965, table.txt" in heading, f"power --linear-power: sigma8 of the file: {heading}")
    (folder / "transfer.txt").write_text("".join(f"{k} {(1 + (k / 0.02)**2)**-0.9}\n" for k in (1e-4 * 1.1**i for i in range(120))))
    done(*of_table, "--transfer", "transfer-table", "--table", "transfer.txt", "--n-s", 0.9, "-o", "transfer.hdf5")
    refused(2, "--transfer-table FILE", "power", "transfer.hdf5", "--fits")
    heading = done("power", "transfer.hdf5", "--fits", "--transfer-table", "transfer.txt")
    check("sigma8 0.811, n_s 0.9, transfer.txt" in heading, f"power --transfer-table: {heading}")
    refused(2, "contradicts --omega-b", "power", "transfer.hdf5", "--fits", "--transfer-table", "transfer.txt", "--omega-b", 0.05)
    refused(2, "contradicts --transfer-table", "power", "transfer.hdf5", "--fits", "--transfer-table", "transfer.txt", "--linear-power", "table.txt")
    check("Omega_b 0.04" in done("power", "tabled.hdf5", "--fits", "--omega-b", 0.04), "power --fits: a transfer function for a table")
    by_file = done("power", "primordial.hdf5", "--fits"), done("power", "primordial.hdf5", "--fits", "--sigma8", sigma8)
    check(without_comments(by_file[0]) == without_comments(by_file[1]), "power --fits: sigma8 of the file")

    # Peculiar velocities grow as a^1/2 in a matter-dominated universe; the shortest waves on a lattice are slower.
    speed = [math.sqrt(sum(v * v for row in read(f"whole/snapshot_{k:03}.hdf5")[1] for v in row[4:7]) / 4096) for k in (0, 2)]
    check(abs(speed[1] / speed[0] / math.sqrt(5) - 1) < 0.06, f"velocities: {speed}")
    log = (folder / "whole/run.log").read_text()
    check("from a = 0.02, z = 49 to a = 0.1, z = 9" in log and "Omega_m 0.3" in log, "run.log: epochs and background")

    # Formats of MUSIC, monofonIC and N-GenIC.
    columns = header["columns"].split()
    first = [columns.index(name) for name in ("x", "y", "z", "vx", "vy", "vz")]
    phase, mass = [[row[k] for k in first] for row in rows], rows[0][columns.index("mass")] / 1
    gadget2("ngenic.dat", phase, mass, 0.02, 100000, 0.3)
    done("run", "ngenic.dat", "--z-end", 45, "--eps", 200, "-o", "ngenic")
    gadget2("mpc.dat", [[x / 1000 for x in row[:3]] + row[3:] for row in phase], mass, 0.02, 100, 0.3)
    told = done("run", "mpc.dat", "--z-end", 48, "--eps", 0.2, "-o", "mpc")
    check("Mpc/h, 1e10 Msun/h, km/s assumed, which match the density of Omega_m" in told, f"lengths in Mpc/h: {told}")
    for command in (["power", "--fits", "--fold", 0], ["halos", "--linking-length", 1.0, "--min-members", 2, "--mass-function", "numbers.txt", "--overwrite"]):
        found = []
        for name in "mpc.dat", "ngenic.dat":  # equal boxes in Mpc/h and kpc/h
            table = done(command[0], name, *command[1:])
            found.append([[float(x) for x in line.split()] for line in without_comments(table if command[0] == "power" else (folder / "numbers.txt").read_text())])
            if name == "mpc.dat" and command[0] == "power":
                gadget2("open.dat", [[x / 1000 for x in row[:3]] + row[3:] for row in phase], mass, 0.02, 0, 0.3)
                check(without_comments(done("power", "open.dat", *command[1:], "--box", 100)) == without_comments(table), "power: Mpc/h by --box")
        check(len(found[0]) == len(found[1]) > 0 and all(abs(a - b) <= 1e-3 * abs(b) for x, y in zip(*found) for a, b in zip(x, y)),
              f"{command[0]} of files in Mpc/h and kpc/h: {found}")
    (folder / "denser.txt").write_text((folder / "ics1.txt").read_text().replace("# omega_matter: 0.3", "# omega_matter: 0.2"))
    check("Omega_m is 0.2: check units and box" in done("power", "denser.txt"), "power: a density that is not Omega_m")
    if music_hdf5("music.hdf5", phase, mass, 0.02, 100000, 0.3):
        done("run", "music.hdf5", "--z-end", 45, "--eps", 200, "-o", "music")
    done("run", "ics.hdf5", "--z-end", 45, "--eps", 200, "--softening", "plummer", "-o", "ours")
    ours = read("ours/snapshot_010.hdf5")[1]
    for name in "ngenic", "music":
        if (folder / name).exists():
            theirs = read(f"{name}/snapshot_010.hdf5")[1]
            check(max(abs(a - b) for x, y in zip(ours, theirs) for a, b in zip(x[1:4], y[1:4]) if abs(a - b) < 5e4) < 0.05,
                  f"{name}: not the run from our own file")

    refused(2, "--z-end: 60: must not be before the start at a = 0.02, z = 49", "run", "ics.hdf5", "--z-end", 60, "-o", "x")
    refused(2, "--outputs-z: a = 0.01", "run", "ics.hdf5", "--outputs-z", "99,9", "-o", "x")
    refused(2, "contradicts --a-end", "run", "ics.hdf5", "--z-end", 0, "--a-end", 1, "-o", "x")
    refused(2, "--t-end: is of plain time", "run", "ics.hdf5", "--cosmology", "--t-end", 1, "-o", "x")
    refused(2, "must be leapfrog in a cosmological run", "run", "ics.hdf5", "--cosmology", "--integrator", "hermite", "-o", "x")
    refused(2, "'chamomile model cosmology' makes", "run", "--model", "plummer", "--cosmology", "-o", "x")
    refused(3, "density", "run", "ics.hdf5", "--set", "cosmology.omega-m=0.5", "-o", "x")
    refused(3, "comoving coordinates: cannot be evolved in plain time", "run", "ics.hdf5", "--t-end", 1, "--dt", 0.1, "-o", "x")
    done("model", "plummer", "-n", 100, "-o", "plummer.txt")
    refused(3, "plain coordinates: must be a comoving file for a cosmological run", "run", "plummer.txt", "--cosmology", "-o", "x")
    (folder / "open.txt").write_text(re.sub("# box_size: .*\n", "", (folder / "ics1.txt").read_text()))
    refused(3, "no box", "run", "open.txt", "--cosmology", "-o", "x")
    refused(2, "even number", *box[:2], "--n", 15, "-o", "x.hdf5")
    refused(2, "give one of the two", *box[:2], "--n", 8, "--sigma8", 0.8, "--A-s", 2e-9, "-o", "x.hdf5")
    refused(2, "needs --table", *box[:2], "--n", 8, "--transfer", "power-table", "-o", "x.hdf5")
    refused(3, "none.txt: No such file or directory: must be a table of k and its value", *box[:2], "--n", 8, "--transfer", "power-table", "--table", "none.txt", "-o", "x.hdf5")
    short = *box[:2], "--n", 8, "--transfer", "transfer-table", "--table", "short.txt", "-o", "x.hdf5"
    (folder / "short.txt").write_text("".join(f"{0.05 * 1.1**k} 1\n" for k in range(8)))
    refused(3, "must reach from 0.01 to 1", *short)
    (folder / "short.txt").write_text("".join(f"{0.01 * 1.1**k} {1.1 ** (-2 * k)}\n" for k in range(50)))
    refused(3, "for this box", *short, "--box", 1000)
    refused(3, "must begin at 0.0002 for A-s", *short, "--box", 100, "--A-s", 2e-9)
    (folder / "short.txt").write_text("".join(f"{0.001 * 1.1**k} 1\n" for k in range(90)))
    refused(3, "must fall faster than 1/k", *short)

end("cosmological boxes are made and run")
