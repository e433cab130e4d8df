#!/usr/bin/env python3
"""Tests external potentials and tracers in `run`: energies, units, restarts with equal bits, tracer cost, a disk in a
fixed halo, and refusals.
"""
import shutil
import statistics

from program import as_text, chamomile, check, energies, refused, rows, run, run_parts, table

# Halo and bulge of `model galaxy` within the disk. There, masses 5 and 1/3 lie within tapers at 20 and 5; here they
# extend outwards.
HALO = ("--potential", "hernquist,M=8.98,a=5", "--potential", "hernquist,M=0.3771,a=0.2")
PLAIN = ("--t-end", 1, "--dt", 0.0625, "--eps", 0.1, "--device", "cpu")
MASS, X, Y, Z, VX, VY, VZ, ID = range(8)


def makes_inputs(folder):
    chamomile(folder, "model", "galaxy", "-n", 600, "--physical", "-o", "galaxy.hdf5", "-q")
    chamomile(folder, "model", "plummer", "-n", 300, "-o", "plummer.hdf5", "-q")
    chamomile(folder, "model", "plummer", "-n", 50, "--seed", 2, "-o", "tracers.hdf5", "-q")
    chamomile(folder, "model", "cosmology", "--n", 4, "--box", 50, "-o", "box.hdf5", "-q")
    (folder / "bar.txt").write_text("\ufeffparameter strength = 1\nphi += strength * log(1 + x^2 + y^2 / 0.8 + z^2)\n")
    (folder / "orbit.txt").write_text("# t x y z vx vy vz\n0 3 0 0 0 1 0\n1 3 1 0 0 1 0\n2 3 2 0 0 1 0\n")


def says_and_counts(folder):
    """The log has the values in use, energy.csv a column for the field, snapshots an attribute."""
    out = chamomile(folder, "run", "galaxy.hdf5", "--potential", "nfw,M=1e12Msun,c=12", "--potential", "point,M=1e9Msun,x=2kpc", "--t-end", "5Myr", "--dt", "1Myr", "--eps", "100pc",
                    "--device", "cpu", "-o", "physical")
    check("potential    nfw,M=100 [1e10 Msun],c=12,rs=" in out and "given as nfw,M=1e12Msun,c=12" in out and "point,M=0.1 [1e10 Msun],x=2 kpc" in out, f"log: {out}")
    rs = float(out.partition("c=12,rs=")[2].partition(" kpc,")[0])
    check(abs(rs / (206 / 12) - 1) < 0.03, f"r200 of 1e12 Msun is 206 kpc with h = 0.68, not {12 * rs}")
    for line in energies(folder / "physical"):
        check(abs(line["kinetic"] + line["potential"] + line["external"] - line["total"]) < 1e-12 * line["kinetic"] and line["external"] < line["potential"] < 0, f"energies: {line}")
        check(line["potential"] < line["internal"] <= (line["kinetic"] + line["potential"]) * (1 - 1e-12), f"internal energy: {line}")
    check("external [1e10 Msun (km/s)^2],internal [1e10 Msun (km/s)^2],total" in (folder / "physical/energy.csv").read_text().partition("\n")[0], "energy.csv: heading")
    check("nfw,M=100,c=12,rs=" in chamomile(folder, "info", "physical/snapshot_001.hdf5"), "snapshots lack the potentials")
    chamomile(folder, "run", "plummer.hdf5", *PLAIN, "-o", "alone", "-q")
    check("external" not in energies(folder / "alone")[0], "a run without potentials has a column of them")
    chamomile(folder, "run", "plummer.hdf5", "--potential", "hernquist,M=20,a=5", *PLAIN, "--check-forces", 50, "-o", "checked", "-q")
    check(all(0 < float(line["99 %"]) < 0.01 for line in table(folder / "checked/forces.csv")), "force errors in forces.csv are out of range")
    # The attribute is valid as option text.
    text = chamomile(folder, "info", "physical/snapshot_001.hdf5").partition("nfw,M=100")[2].splitlines()[0]
    chamomile(folder, "run", "galaxy.hdf5", "--potential", "nfw,M=100" + text, "--t-end", "5Myr", "--dt", "1Myr", "--eps", "100pc", "--device", "cpu", "-o", "again", "-q")
    check(as_text(folder, "again/snapshot_010.hdf5") == as_text(folder, "physical/snapshot_010.hdf5"), "a run with the potentials of a snapshot differs")


def goes_on(folder):
    """A restart reads potentials and their file contents from the checkpoint, and refuses other potentials."""
    for name, potential, steps in (("fixed", "miyamoto-nagai,M=1,a=0.5,b=0.1", ()), ("blocks", "plummer,M=1,a=0.3,orbit=orbit.txt", ("--block-steps",)),
                                   ("hermite", "text,file=bar.txt,strength=0.5", ("--integrator", "hermite"))):
        words = ["run", "plummer.hdf5", "--potential", potential, *(PLAIN if not steps else (*PLAIN[:2], *PLAIN[4:], *steps)), "--snapshot-every", 0.25]
        chamomile(folder, *words, "-o", name, "-q")
        shutil.copytree(folder / name, folder / "whole")
        shutil.rmtree(folder / name)
        half = [0.5 if word == 1 and words[k - 1] == "--t-end" else word for k, word in enumerate(words)]
        chamomile(folder, *half, "-o", name, "-q")
        kept = [(file, (folder / file).read_text()) for file in ("bar.txt", "orbit.txt")]
        for file, _ in kept:
            (folder / file).unlink()
        refused(folder, 7, "--potential: point,M=1: cannot change in a run that goes on", "run", "--restart", name, "--t-end", 1, "--potential", "point,M=1")
        chamomile(folder, "run", "--restart", name, "--t-end", 1, "-q")
        for file, text in kept:
            (folder / file).write_text(text)
        for number in range(5):
            file = f"snapshot_{number:03}.hdf5"
            check(as_text(folder, f"{name}/{file}") == as_text(folder, f"whole/{file}"), f"{name}: {file} differs after a restart")
        check(energies(folder / name)[-1]["total"] == energies(folder / "whole")[-1]["total"], f"{name}: the energy differs after a restart")
        shutil.rmtree(folder / "whole")


def does_work(folder):
    """Moving or growing potentials note that energy is not conserved, without warnings."""
    for name, potential in (("moves", "point,M=3,x=2,vx=-1"), ("grows", "plummer,M=20,a=1,from=0,to=1")):
        done = run(folder, "run", "plummer.hdf5", "--potential", potential, *PLAIN, "-o", name)
        change = max(abs(line["energy_error"]) for line in energies(folder / name))
        check(done.returncode == 0 and done.stderr == "" and change > 0.05, f"{name}: energy changes by {change}: {done.stderr}")
        check(f"energy is not conserved: {potential.partition(',')[0]}: {name}" in done.stdout and "energy change" in done.stdout and "warning" not in done.stdout, f"{name}: {done.stdout}")
        refused(folder, 2, "--max-energy-error: contradicts --potential", "run", "plummer.hdf5", "--potential", potential, *PLAIN, "--max-energy-error", 1, "-o", "no")
    done = run(folder, "run", "plummer.hdf5", "--potential", "point,M=100,x=0.1", *PLAIN, "--max-energy-error", 0.01, "-o", "limit")
    check(done.returncode == 8 and "energy error" in done.stderr, f"a limit of the energy error in a fixed potential: {done.returncode}: {done.stderr}")


def adds_tracers(folder):
    """Tracers feel all forces, exert none, keep types, and may be the only particles."""
    chamomile(folder, "run", "plummer.hdf5", *PLAIN, "-o", "without", "-q", "--theta", 0.5)
    out = chamomile(folder, "run", "plummer.hdf5", "--tracers", "tracers.hdf5", *PLAIN, "-o", "with", "--theta", 0.5)
    check("350 from plummer.hdf5" in out and "50 tracers from tracers.hdf5" in out, f"log: {out}")
    one, two = (rows("\n".join(as_text(folder, f"{name}/snapshot_010.hdf5"))) for name in ("without", "with"))
    by_id = {int(row[ID]): row for row in two}
    check(len(by_id) == 350 and sum(row[MASS] == 0 for row in two) == 50, "wrong particles with tracers")
    check(max(abs(by_id[int(row[ID])][k] - row[k]) for row in one for k in (X, Y, Z)) < 0.01, "tracers pull")
    last = [energies(folder / name)[-1] for name in ("without", "with")]
    check(abs(last[1]["total"] / last[0]["total"] - 1) < 1e-3, f"wrong energy with tracers: {last}")
    chamomile(folder, "run", "--tracers", "tracers.hdf5", "--potential", "plummer,M=1,a=0.5", *PLAIN, "-o", "orbits", "-q")
    check(all(row[MASS] == 0 for row in rows("\n".join(as_text(folder, "orbits/snapshot_010.hdf5")))), "tracers without sources have masses")
    # Each counts with mass 1.
    start = rows("\n".join(as_text(folder, "orbits/snapshot_000.hdf5")))
    total = sum((row[VX] ** 2 + row[VY] ** 2 + row[VZ] ** 2) / 2 - (row[X] ** 2 + row[Y] ** 2 + row[Z] ** 2 + 0.25) ** -0.5 for row in start)
    first = energies(folder / "orbits")[0]
    check(abs(first["total"] / total - 1) < 1e-12 and abs(first["potential"]) < 1e-12 * first["kinetic"], f"energy of tracers alone: {first['total']}, not {total}")
    check(abs(first["center_x"] - sum(row[X] for row in start) / len(start)) < 1e-12 and first["r50"] > 0, f"center and radii of tracers alone: {first}")
    alone = "orbits/snapshot_010.hdf5"
    for words in (("run", alone, *PLAIN, "-o", "no"), ("profile", alone), ("halos", alone), ("bench", alone, "--eps", 0.1)):
        refused(folder, 3, "must have a positive mass; 'chamomile run --tracers FILE' moves massless particles", *words)
    chamomile(folder, "run", "--tracers", alone, "--potential", "plummer,M=1,a=0.5", "--t-end", 2, *PLAIN[2:], "-o", "later", "-q")
    check("50" in chamomile(folder, "info", "orbits/snapshot_010.hdf5"), "info does not read a file of tracers")
    # Massless sources cost no pairs, and a target sees as many sources with tracers as without.
    check(all(float(line["particles"]) == float(line["cells"]) == 0 for line in table(folder / "orbits/steps.csv")), "a run of tracers without sources computes pairs")
    chamomile(folder, "model", "plummer", "-n", 20000, "--seed", 3, "-o", "many.hdf5", "-q")
    seen = []
    for tracers in ((), ("--tracers", "many.hdf5")):
        chamomile(folder, "run", "plummer.hdf5", *tracers, "--solver", "direct", *PLAIN, "-o", "counted", "--overwrite", "-q")
        seen.append(float(table(folder / "counted/steps.csv")[1]["particles"]))
    check(seen[0] == seen[1] == 300, f"sources of a target without and with tracers: {seen}")
    refused(folder, 3, "none.hdf5", "run", "plummer.hdf5", "--tracers", "none.hdf5", *PLAIN, "-o", "no")
    refused(folder, 2, "tracers.hdf5: N-body units", "run", "galaxy.hdf5", "--tracers", "tracers.hdf5", *PLAIN, "-o", "no")
    refused(folder, 2, "missing: FILE, --model MODEL or --tracers FILE", "run", *PLAIN, "-o", "no")


def refuses(folder):
    for line, words in (("--potential: plumer: unknown; did you mean 'plummer'?", ("plumer,M=1,a=1",)),
                        ("--potential: plummer: A: unknown: must be one of M, a, x, y, z, ", ("plummer,M=1,A=1",)),
                        ("--potential: plummer: needs a, scale length", ("plummer,M=1",)),
                        ("--potential: plummer: M: -1: must be a number > 0", ("plummer,M=-1,a=1",)),
                        ("--potential: plummer: M: 1e12Msun: ", ("plummer,M=1e12Msun,a=1",)),
                        ("--potential: nfw: needs rs", ("nfw,M=1,c=12",)),
                        ("--potential: plummer: x: contradicts orbit; give one", ("plummer,M=1,a=1,x=1,orbit=orbit.txt",)),
                        ("--potential: rotation: given twice", ("rotation,omega=1;rotation,omega=2",)),
                        ("--potential: orbit.txt: times 0 to 2: must reach from the start at 0 to the end at 3", ("point,M=1,orbit=orbit.txt", "--t-end", 3)),
                        ("--potential: rotation: needs the leapfrog", ("rotation,omega=1", "--t-end", 1, "--integrator", "hermite")),
                        ("--potential: needs isolated particles and plain time", ("point,M=1", "--box", 10))):
        more = words[1:] if "--t-end" in words else (*PLAIN[:4], *words[1:])
        step = () if "--block-steps" in words or "hermite" in words or "--t-end" not in words else PLAIN[2:4]
        refused(folder, 2, line, "run", "plummer.hdf5", "--potential", words[0], *more, *step, *PLAIN[4:], "-o", "no")
    refused(folder, 2, "--potential: nfw: rs: 20Myr: ", "run", "galaxy.hdf5", "--potential", "nfw,M=1e12Msun,c=12,rs=20Myr", *PLAIN, "-o", "no")
    refused(folder, 3, "none.txt: ", "run", "plummer.hdf5", "--potential", "text,file=none.txt", *PLAIN, "-o", "no")
    (folder / "wrong.txt").write_text("phi += x +\n")
    refused(folder, 3, "wrong.txt: line 1, column", "run", "plummer.hdf5", "--potential", "text,file=wrong.txt", *PLAIN, "-o", "no")
    refused(folder, 2, "--potential: is for isolated particles in plain time", "run", "box.hdf5", "--potential", "point,M=1", "--z-end", 9, "-o", "no")


def follows_orbits(folder):
    """`orbit` gives the rotation curve, Kepler's orbits and paths; `convert --orbit` puts a system where its orbit has these passages."""
    chamomile(folder, "orbit", "--potential", "mwpotential2014", "--radii", "4kpc:16kpc:4kpc", "-o", "curve.csv", "-q")
    curve = table(folder / "curve.csv")
    check([float(row["x"]) for row in curve] == [4, 8, 12, 16], f"radii: {curve}")
    for row, speed in zip(curve, (222.6959961172364, 220, None, 202.7891762068801)):  # of galpy: references/named_orbits.csv
        check(speed is None or abs(float(row["circular_speed"]) / speed - 1) < 1e-9, f"circular speed of galpy: {row['circular_speed']}, not {speed}")
        check(row["pericenter"] == row["apocenter"] == row["x"] and row["radial_period"] == "", f"a circular orbit: {row}")
    kepler = ("orbit", "--potential", "point,M=1", "--units", "AU,Msun", "--position", "1,0,0", "--velocity", "0,1.2,0.1")
    out = chamomile(folder, *kepler)
    (folder / "kepler.csv").write_text(out)
    body = {name.split(" ")[0]: float(value) for name, value in table(folder / "kepler.csv")[0].items() if value}
    a = -0.5 / body["energy"]
    check(abs(body["radial_period"] / (6.283185307179586 * a ** 1.5) - 1) < 1e-7 and abs(body["apocenter"] / (2 * a - 1) - 1) < 1e-7 and abs(body["pericenter"] - 1) < 1e-9, f"Kepler's orbit: {body}")
    chamomile(folder, *kepler, "--duration", body["radial_period"], "--rows", 4, "-o", "path.csv", "-q")
    path = table(folder / "path.csv")
    check(len(path) == 5 and abs(float(path[4]["x"]) - 1) < 1e-6 and "pericenter" not in path[0], f"path: {path}")
    chamomile(folder, "convert", "galaxy.hdf5", "placed.hdf5", "--potential", "mwpotential2014", "--orbit", "pericentre=15kpc,apocentre=60kpc,inclination=90deg,phase=apocentre", "-q")
    placed = rows("\n".join(as_text(folder, "placed.hdf5")))
    mass = sum(row[MASS] for row in placed)
    center = [sum(row[MASS] * row[k] for row in placed) / mass for k in (X, Y, Z, VX, VY, VZ)]
    check(max(abs(center[k]) for k in (1, 2, 3, 4)) < 1e-4 and abs(center[0] - 60) < 1e-4 and center[5] > 50, f"a satellite at apocenter: {center}")
    chamomile(folder, "orbit", "--potential", "mwpotential2014", "--position", ",".join(map(repr, center[:3])), "--velocity", ",".join(map(repr, center[3:])), "--duration", "0.6", "-o", "satellite.csv", "-q")
    fall = table(folder / "satellite.csv")[0]
    check(abs(float(fall["pericenter"]) / 15 - 1) < 1e-4 and abs(float(fall["apocenter"]) / 60 - 1) < 1e-4, f"orbit of the satellite: {fall}")
    chamomile(folder, "orbit", "plummer.hdf5", "--potential", "plummer,M=1,a=1", "-o", "all.csv", "-q")
    check(len(table(folder / "all.csv")) == 300, "one orbit for each particle")
    out = chamomile(folder, "orbit", "galaxy.hdf5", "--potential", "point,M=1e12", "-o", "fast.csv")
    check("point,M=1e+12 [1e10 Msun], given as point,M=1e12" in out and "circular speed above" in out and "check the units" in out, f"a mass without unit: {out}")
    for line, words in (("orbit: missing: --potential", ("orbit", "plummer.hdf5")), ("orbit: missing: FILE, --position", ("orbit", "--potential", "point,M=1")),
                        ("orbit: give one: ", ("orbit", "plummer.hdf5", "--potential", "point,M=1", "--radii", 1)), ("--position: needs --velocity", ("orbit", "--potential", "point,M=1", "--position", "1,0,0")),
                        ("--orbit: apocenter: 1: must be at least the pericenter, 2", ("orbit", "--potential", "point,M=1", "--orbit", "pericenter=2,apocenter=1")),
                        ("needs apocenter=X or eccentricity=X", ("orbit", "--potential", "point,M=1", "--orbit", "pericenter=2")), ("--potential: rotation: needs the leapfrog", ("orbit", "plummer.hdf5", "--potential", "rotation,omega=1")),
                        ("--orbit: eccentricity: 1: must be", ("convert", "plummer.hdf5", "no.hdf5", "--potential", "point,M=1", "--orbit", "pericenter=2,eccentricity=1")),
                        ("--potential: mwpotential2014: needs particles with units", ("orbit", "plummer.hdf5", "--potential", "mwpotential2014")),
                        ("--potential: needs isolated particles and plain time", ("force", "box.hdf5", "--potential", "point,M=1", "-o", "no.hdf5"))):
        refused(folder, 2, line, *words)


def adds_to_forces(folder):
    """`force --potential` adds the potential's accelerations; the file states it."""
    chamomile(folder, "force", "plummer.hdf5", "--eps", 0.1, "-o", "own.hdf5", "-q")
    out = chamomile(folder, "force", "plummer.hdf5", "--eps", 0.1, "--potential", "plummer,M=2,a=0.5", "-o", "both.hdf5")
    check("potential    plummer,M=2,a=0.5" in out and "plummer,M=2,a=0.5" in chamomile(folder, "info", "both.hdf5"), f"force --potential: {out}")
    compared = chamomile(folder, "accuracy", "own.hdf5", "--compare", "both.hdf5", "--eps", 0.1, "-q")
    check(compared != "", "forces with a potential are not compared")
    chamomile(folder, "convert", "own.hdf5", "own.txt", "-q")
    chamomile(folder, "convert", "both.hdf5", "both.txt", "-q")
    names = next(line for line in (folder / "both.txt").read_text().splitlines() if line.startswith("# columns")).split()[2:]
    at = {name: k for k, name in enumerate(names)}
    for own, both in zip(rows((folder / "own.txt").read_text()), rows((folder / "both.txt").read_text())):
        r2 = sum(own[at[k]] ** 2 for k in "xyz") + 0.25
        for k in "xyz":
            check(abs(both[at["a" + k]] - own[at["a" + k]] + 2 * own[at[k]] / r2 ** 1.5) < 1e-5, f"acceleration with a potential: {own}, {both}")
        check(abs(both[at["potential"]] - own[at["potential"]] + 2 / r2 ** 0.5) < 1e-5, f"potential with a potential: {own}, {both}")


def tracks(folder):
    """track.csv has the motion of the snapshots with every way to step, also after a restart; it takes at most 1 % of the time."""
    (folder / "ids.txt").write_text("# two stars\n7, 3\n")
    for name, words in (("shared", PLAIN), ("ranks", (*PLAIN, "--ranks", 2)), ("blocks", (*PLAIN[:2], "--eps", 0.01, "--block-steps", "--set", "track.blocks=1")),
                        ("nested", (*PLAIN[:2], "--eps", 0.01, "--block-steps", "--block-scheme", "hierarchical")), ("stars", (*PLAIN[:2], "--integrator", "hermite", "--eps", 0, "--set", "track.blocks=3"))):
        words = ["run", "plummer.hdf5", *words, "--track", "ids.txt", "--snapshot-every", 0.25]
        chamomile(folder, *words, "-o", "whole", "-q")
        chamomile(folder, *[0.5 if word == 1 and words[k - 1] == "--t-end" else word for k, word in enumerate(words)], "-o", "half", "-q")
        (folder / "ids.txt").rename(folder / "away.txt")
        chamomile(folder, "run", "--restart", "half", "--t-end", 1, "-q")
        (folder / "away.txt").rename(folder / "ids.txt")
        text = (folder / "whole/track.csv").read_text()
        check(text == (folder / "half/track.csv").read_text(), f"{name}: track.csv differs after a restart")
        lines = table(folder / "whole/track.csv")
        check([line["id"] for line in lines[:2]] == ["3", "7"], f"{name}: ids")
        steps = table(folder / "whole/steps.csv")
        times = [float(line["time"]) for line in lines[::2]]
        check(times == sorted(times), f"{name}: times are out of order")
        if "track.blocks" in " ".join(map(str, words)):
            check(len(times) > len(steps), f"{name}: no rows within whole steps")
        else:
            check(times == [float(line["time"]) for line in steps], f"{name}: {len(times)} times, not those of {len(steps)} steps")
        for number in range(5):
            star = next(row for row in rows("\n".join(as_text(folder, f"whole/snapshot_{number:03}.hdf5"))) if row[ID] == 7)
            line = next(line for line in lines if abs(float(line["time"]) - 0.25 * number) < 1e-12 and line["id"] == "7")
            check(max(abs(float(line[key]) - star[k]) for k, key in ((X, "x"), (Y, "y"), (Z, "z"), (VX, "vx"), (VY, "vy"), (VZ, "vz"))) < 1e-6, f"{name}: snapshot {number}: {line}, {star}")
        path = [[float(line[key]) for key in ("time", "x", "y", "z", "vx", "vy", "vz")] for line in lines[::2]]
        for a, b in zip(path, path[1:]):  # rows lie on one curve
            h = b[0] - a[0]
            check(max(abs(b[k] - a[k] - h * (a[k + 3] + b[k + 3]) / 2) for k in (1, 2, 3)) < 2e-3, f"{name}: a jump between {a} and {b}")
        for run_folder in ("whole", "half"):
            shutil.rmtree(folder / run_folder)
    chamomile(folder, "model", "plummer", "-n", 20000, "-o", "large.hdf5", "-q")
    out = chamomile(folder, "run", "large.hdf5", "--t-end", 0.25, "--eps", 0.02, "--dt", 0.0078125, "--track", ",".join(map(str, range(1, 21))), "-o", "cost")
    part = float(out.partition("track.csv took ")[2].partition(" %")[0])
    check(part <= 1, f"20 tracks take {part} % of a run")
    print(f"20 tracks of 20000 particles take {part} % of the time")
    chamomile(folder, "run", "box.hdf5", "--z-end", 30, "--track", 1, "-o", "universe", "-q")
    first = table(folder / "universe/track.csv")[0]
    star = next(row for row in rows("\n".join(as_text(folder, "universe/snapshot_000.hdf5"))) if row[ID] == 1)
    check(abs(float(first["a"]) - 0.02) < 1e-9 and max(abs(float(first[key]) - star[k]) for k, key in ((X, "x"), (VX, "vx"), (VZ, "vz"))) < 1e-3 * abs(star[VX]), f"a comoving track: {first}, {star}")
    for line, words in (("--track: 0: no particle has this id", ("--track", "0")), ("--track: 7: is given twice", ("--track", "7,7")),
                        ("--set track.blocks: needs individual steps", ("--track", 7, "--set", "track.blocks=1"))):
        refused(folder, 2, line, "run", "plummer.hdf5", *PLAIN, *words, "-o", "no")
    (folder / "ids.txt").write_text("7\nx\n")
    refused(folder, 3, "ids.txt: line 2: 'x': must be an id", "run", "plummer.hdf5", *PLAIN, "--track", "ids.txt", "-o", "no")


def height(folder, name):
    """Returns the median distance of disk particles from the disk's own plane, because a live galaxy moves."""
    chamomile(folder, "convert", name, "disk.txt", "--types", "disk", "-q", "--overwrite")
    z = [row[Z] for row in rows((folder / "disk.txt").read_text())]
    plane = statistics.median(z)
    return statistics.median(abs(value - plane) for value in z)


def keeps_a_disk_thin(folder):
    """A disk of 2e4 particles keeps its height within 5 % over 1 Gyr in a fixed halo and bulge, but not in live ones
    with as many particles.
    """
    chamomile(folder, "model", "galaxy", "--disk-mass", 0.5, "-n", 50000, "-o", "galaxies.hdf5", "-q")
    chamomile(folder, "convert", "galaxies.hdf5", "disk.hdf5", "--types", "disk", "-q")
    chamomile(folder, "model", "galaxy", "--disk-mass", 0.5, "-n", 20000, "-o", "live.hdf5", "-q")
    common = ("--t-end", 76.3, "--dt", 0.1, "--eps", 0.05, "--theta", 0.7, "--energy-every", 10, "--snapshot-every", 76.3, "-q")
    changes = []
    for name, potentials in (("disk", HALO), ("live", ())):
        done = run(folder, "run", f"{name}.hdf5", *potentials, *common, "-o", f"{name}_run", timeout=800)
        check(done.returncode == 0, f"{name}: {done.stderr}")
        changes.append(height(folder, f"{name}_run/snapshot_001.hdf5") / height(folder, f"{name}_run/snapshot_000.hdf5") - 1)
    check(abs(changes[0]) < 0.05 < changes[1], f"heights of the disk change by {changes[0]:.3f} in a fixed halo, by {changes[1]:.3f} in a live one")
    error = max(abs(line["energy_error"]) for line in energies(folder / "disk_run"))
    check(error < 5e-3, f"energy error of the disk in a fixed halo: {error}")
    print(f"height of the disk: {changes[0]:+.3f} in a fixed halo, {changes[1]:+.3f} in a live one; energy error {error:.1e}")


run_parts("external potentials and tracers do what they should", makes_inputs, says_and_counts, goes_on, does_work, adds_tracers, refuses, follows_orbits, adds_to_forces, tracks, keeps_a_disk_thin)
