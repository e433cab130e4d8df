#!/usr/bin/env python3
"""Tests quantities with units in every command that reads physical particles, unit systems, and units in output."""
import math
import re

from bad_inputs import gadget
from program import chamomile, check, energies, picture, refused, run, run_parts, table

GYR = 1e9 * 365.25 * 86400 / (3.085678e21 / 1e5)  # in kpc/(km/s)
RUN = "--dt 5Myr --eps 50pc -o out".split()


def makes_inputs(folder):
    chamomile(folder, "model", "galaxy", "-n", 600, "--physical", "-o", "galaxy.hdf5", "-q")
    chamomile(folder, "model", "plummer", "-n", 300, "-o", "nbody.hdf5", "-q")
    chamomile(folder, "model", "cosmology", "--n", 8, "--box", 50, "-o", "box.hdf5", "-q")
    (folder / "foreign.gadget2").write_bytes(gadget(20, 20))
    chamomile(folder, "convert", "galaxy.hdf5", "galaxy.txt", "-q")
    (folder / "bare.txt").write_text("\n".join(line for line in (folder / "galaxy.txt").read_text().splitlines() if not line.startswith("#")) + "\n")


def reads_quantities(folder):
    out = chamomile(folder, "run", "galaxy.hdf5", "--t-end", "0.02 Gyr", *RUN, "--snapshot-every", "10 Myr", "--energy-every", "5 Myr")
    for line in (rf"^quantity +--t-end 0.02 Gyr = {0.02 * GYR:.5g}\d*$", r"^quantity +--eps 50pc = 0.05$", r"^softening .*eps = 0.05 kpc$",
                 r"^G +43007\.\d+ .*kpc \(km/s\)\^2/\(1e10 Msun\)", r"^time +in kpc/\(km/s\): from 0 \(0 Gyr\) to 0.0204\d+ \(20 Myr\) in steps of 0.005"):
        check(re.search(line, out, re.M), f"run: no line {line}: {out}")
    check(out.count("quantity") == 5 and "wrote 3 snapshots" in out, f"run: {out}")
    plain = chamomile(folder, "run", "galaxy.hdf5", "--t-end", repr(0.02 * GYR), "--dt", repr(5e-3 * GYR), "--eps", 0.05, "--energy-every", repr(5e-3 * GYR), "-o", "plain",
                      "--snapshot-every", repr(10e-3 * GYR))
    a, b = energies(folder / "out"), energies(folder / "plain")
    check(len(a) == 5 and all(math.isclose(x["total"], y["total"], rel_tol=1e-9) and math.isclose(x["time"], y["time"], rel_tol=1e-9) for x, y in zip(a, b)),
          "plain numbers and quantities give different runs")
    head = (folder / "out/energy.csv").read_text().splitlines()[0]
    check(head.startswith("time [kpc/(km/s)],kinetic [1e10 Msun (km/s)^2],") and ",r50 [kpc]," in head and head.endswith(",step,pairs"), f"energy.csv: {head}")
    check("time [kpc/(km/s)]" in (folder / "out/steps.csv").read_text().splitlines()[0], "steps.csv: no time unit")
    check("[" not in "".join(table(folder / "out/energy.csv")[0]), "the reader of tables keeps units")


def writes_at_times(folder):
    for name, times in ("listed", "10 Myr:0.02Gyr:5e6 yr"), ("several", "15Myr,20 Myr,0.01Gyr"), ("all", "10:20:5 Myr"):
        chamomile(folder, "run", "galaxy.hdf5", "--t-end", "0.025 Gyr", "--dt", "5Myr", "--eps", "50pc", "--output-times", times, "-o", name)
        found = [float(re.search(r"^time +(\S+)", chamomile(folder, "info", f"{name}/{path.name}"), re.M)[1]) for path in sorted((folder / name).glob("snapshot_*"))]
        check(len(found) == 5 and all(math.isclose(a, b * GYR, abs_tol=1e-8) for a, b in zip(found, (0, 0.01, 0.015, 0.02, 0.025))), f"--output-times {times}: {found}")


def names_odd_quantities(folder):
    """A softening, potential or interval in an unlikely unit is noted with units; sensible values are not."""
    start = ["run", "galaxy.hdf5", "--t-end", "10Myr", "--dt", "5Myr", "--overwrite", "-o", "odd"]
    for words, line in ((["--eps", 50], r"^note +softening: eps 50 kpc: \S+ times the length suggested by the distances of particles, \S+ kpc; check the units$"),
                        (["--eps", "0.1pc"], r"^note +softening: eps 0.0001 kpc: \S+ times the length suggested"),
                        (["--eps", 0.05, "--potential", "nfw,M=1e12,c=12"], r"^note +potential nfw,M=1e12,c=12: circular speed above \S+ km/s"),
                        (["--eps", 0.05, "--snapshot-every", 100], r"^note +--snapshot-every 100 \(97.\d+ Gyr\): is longer than the whole run of 0.0102\d+ \(10 Myr\)$"),
                        (["--eps", 0.05, "--snapshot-every", "2 Myr"], r"^note +--dt 5Myr: snapshots every 0.00204\d+ \(2 Myr\) shorten the steps$")):
        out = chamomile(folder, *start, *words)
        check(re.search(line, out, re.M), f"{words}: no line {line}: {out}")
    out = chamomile(folder, *start, "--eps", "50pc", "--snapshot-every", "5Myr", "--max-walltime", "2h", "--checkpoint-walltime", "30 min", "--potential", "nfw,M=1e12Msun,c=12,rs=20kpc", "--potential", "rotation,omega=30/Gyr")
    check("note" not in out, f"notes on valid quantities: {out}")
    check(re.search(r"^potential +nfw,M=100 \[1e10 Msun\],c=12,rs=20 kpc, given as", out, re.M), f"a potential without units: {out}")
    omega = re.search(r"^potential +rotation,omega=(\S+) \(?km/s\)?/kpc, given as", out, re.M)
    check(omega and math.isclose(float(omega[1]), 30 / GYR, rel_tol=1e-9), f"30/Gyr: {out}")
    refused(folder, 2, r"--eps: not given, and galaxy.hdf5 states no softening; for its 600 particles --eps \S+kpc would do", *start)
    chamomile(folder, *"model plummer -n 4000 -o one.hdf5 -q".split())
    chamomile(folder, *"join one.hdf5 one.hdf5 --at 0,0,0 --at 100,0,0 -o pair.hdf5 -q".split())
    eps = [float(re.search(r"--eps (\S+) would do", run(folder, *f"run {name}.hdf5 --t-end 1 --dt 1 -o x".split()).stderr)[1]) for name in ("one", "pair")]
    check(0.02 < eps[0] < 0.1 and 0.7 < eps[1] / eps[0] < 1.4, f"the suggested softening ignores the two clusters: {eps}")


def goes_on(folder):
    out = chamomile(folder, "run", "--restart", "out", "--t-end", "30 Myr", "--eps", "0.05kpc")
    check(re.search(r"note +--t-end 30 Myr = 0.0306", out), f"restart: {out}")
    check(math.isclose(energies(folder / "out")[-1]["time"], 0.03 * GYR, rel_tol=1e-9), "restart: wrong end")
    refused(folder, 7, "--eps: 60pc: cannot change in a run that goes on; it was 0.05", "run", "--restart", "out", "--t-end", "0.05 Gyr", "--eps", "60pc")


def takes_a_system(folder):
    for system, words in ("stellar", "pc, Msun, km/s"), ("Mpc,1e12Msun,km/s", r"Mpc, 1e\+12 Msun, km/s"), ("pc,Msun", r"pc, Msun, 0.065\d* km/s"):
        name = system.replace(",", "_").replace("/", "_") + ".out"
        out = chamomile(folder, "run", "galaxy.hdf5", "--units", system, "--t-end", "20 Myr", "--dt", "5Myr", "--eps", "50pc", "--snapshot-every", "10Myr", "-o", name)
        check(re.search(f"^units +{words}$", out, re.M), f"--units {system}: {out}")
        here, there = energies(folder / name)[-1], energies(folder / "plain")[-1]
        check(math.isclose(here["virial_ratio"], there["virial_ratio"], rel_tol=1e-6), f"--units {system}: a different system: {here}")
    for name in "bare.txt", "galaxy.hdf5":
        out = chamomile(folder, "run", name, "--units", "galactic", "--t-end", "20Myr", "--snapshot-every", "10Myr", *RUN[:-1], name + ".out")
        check(("numbers interpreted in kpc, 1e10 Msun, km/s" in out) == (name == "bare.txt"), f"{name}: {out}")
        check(math.isclose(energies(folder / (name + ".out"))[-1]["virial_ratio"], energies(folder / "plain")[-1]["virial_ratio"], rel_tol=1e-4), f"{name}: a different system")
    out = chamomile(folder, "run", "--model", "plummer", "-n", 300, "--units", "pc,1e4Msun", "--t-end", "1Myr", "--dt", "0.1Myr", "--eps", "0.05pc", "-o", "cluster")
    check(re.search(r"^units +pc, 10000 Msun, 6.558 km/s$".replace("6.558", r"6.55\d+"), out, re.M) and re.search("^G +1 ", out, re.M), f"a cluster: {out}")
    out = chamomile(folder, "info", "foreign.gadget2", "--units", "galactic")
    check("interpreted in kpc, 1e10 Msun, km/s" in out and "assumed" not in out, f"GADGET-2: {out}")
    text = chamomile(folder, "info", "galaxy.hdf5", "--units", "stellar")
    check(re.search(r"^mass +\d.*e\+1\d Msun$", text, re.M) and re.search(r"^to .* pc$", text, re.M) and "total mass [Msun]" in text, f"info: {text}")
    (folder / "G.txt").write_text("# G: 0.0045\n" + (folder / "bare.txt").read_text())
    check(re.search(r"^units +N-body units \(G = 0.0045\)$", chamomile(folder, "info", "G.txt"), re.M), "info: another G in N-body units")
    check("units          pc, Msun, 0.977" in chamomile(folder, "info", "G.txt", "--units", "pc,Msun,pc/Myr"), "--units: G to two digits")
    refused(folder, 2, "--units: galactic: the file states G = 0.0045, but 43007", "info", "G.txt", "--units", "galactic")
    check("the softening length 3e+06 is" in chamomile(folder, "force", "galaxy.hdf5", "--eps", "3Gpc", "-o", "soft.hdf5"), "force: a softening beyond the extent")
    check("forces are nearly 0" not in chamomile(folder, "force", "galaxy.hdf5", "--eps", "1kpc", "-o", "sharp.hdf5"), "force: a wrong note")
    refused(folder, 2, "particles in N-body units .* must be LENGTH,MASS", "run", "nbody.hdf5", "--units", "galactic", "--t-end", 1, "--dt", 0.1, "--eps", 0.1, "-o", "x")
    refused(folder, 2, "--units: galactik: must be galactic, .*did you mean 'galactic'", "info", "galaxy.hdf5", "--units", "galactik")
    refused(folder, 2, "--units: kpc,km: is a length: must be a mass", "info", "galaxy.hdf5", "--units", "kpc,km")


def reads_them_in_other_commands(folder):
    chamomile(folder, "force", "galaxy.hdf5", "--eps", "200pc", "-o", "f.hdf5")
    check("softening      Plummer, eps = 0.2 kpc" in chamomile(folder, "info", "f.hdf5"), "force --eps 200pc")
    chamomile(folder, "render", "galaxy.hdf5", "--fov", "40000 pc", "--center", "0,0,1pc", "--size", 64, "-o", "a.png")
    chamomile(folder, "render", "galaxy.hdf5", "--fov", 40, "--center", "0,0,0.001", "--size", 64, "-o", "b.png")
    check(picture(folder / "a.png")[0] == picture(folder / "b.png")[0], "render: units change the picture")
    out = chamomile(folder, "halos", "galaxy.hdf5", "--length", "500pc", "--min-members", 5)
    check("linking length 0.5" in out and "--length 500pc = 0.5" in out and "mass [1e10 Msun]" in out, f"halos: {out}")
    out = chamomile(folder, "run", "box.hdf5", "--z-end", 48, "--dlna-max", 0.02, "--eps", "0.1Mpc/h", "-o", "comoving")
    check("--eps 0.1Mpc/h = 100" in out and "eps = 100 kpc/h" in out, f"a comoving run: {out}")
    check((folder / "comoving/energy.csv").read_text().startswith("scale_factor,kinetic [1e10 Msun/h (km/s)^2],"), "a comoving energy.csv")


def models_have_units(folder):
    """A quantity with a unit makes a model physical and applies to it."""
    def mass_and_radius(name):
        text = chamomile(folder, "info", f"{name}.hdf5")
        return float(re.search(r"^mass +(\S+) \[1e10 Msun\]", text, re.M)[1]), text
    chamomile(folder, "model", "king", "-n", 2000, "--mass", "3e5Msun", "--r-tidal", "50pc", "-o", "king.hdf5", "-q")
    mass, text = mass_and_radius("king")
    reach = max(abs(float(x)) for line in re.findall(r"^(?:from|to) +(.*) kpc$", text, re.M) for x in line.split())
    check(math.isclose(mass, 3e-5, rel_tol=3e-5) and 0.02 < reach <= 0.0501, f"a King sphere of 3e5 Msun and 50 pc: {mass}, {reach}")
    chamomile(folder, "model", "galaxy", "-n", 500, "--halo-mass", "1e12 Msun", "--disk-scale", "3.5kpc", "-o", "halo.hdf5", "-q")
    plain = chamomile(folder, "info", "halo.hdf5")
    check(math.isclose(float(re.search(r"^ +1 +halo +\d+ +(\S+)", plain, re.M)[1]), 100, rel_tol=1e-6), f"--halo-mass 1e12Msun: {plain}")
    chamomile(folder, "model", "spheres", "nfw,m200=1e12Msun,c=10,part=0.5", "exponential,mass=1e10 Msun,r-half=2000pc,type=4,part=0.5", "-n", 500, "-o", "two.hdf5", "-q")
    stars = re.search(r"^ +4 +stars +250 +(\S+)", chamomile(folder, "info", "two.hdf5"), re.M)
    check(stars and math.isclose(float(stars[1]), 1, rel_tol=1e-4), f"spheres in Msun and pc: {stars and stars[1]}")
    chamomile(folder, "model", "cosmology", "--n", 4, "--box", "20000 kpc/h", "--eps", "20kpc/h", "-o", "small.hdf5", "-q")
    text = chamomile(folder, "info", "small.hdf5")
    check(re.search(r"^box +20000 kpc/h", text, re.M) and "eps = 20 kpc/h" in text, f"model cosmology --box 20000kpc/h: {text}")
    for words in (["--center", "0,0,0", "--r-max", 30], ["--center", "0,0,0kpc", "--r-max", "30000 pc"]):
        chamomile(folder, "profile", "galaxy.hdf5", *words, "-o", "one.csv", "--overwrite", "-q")
        check(math.isclose(float(table(folder / "one.csv")[29]["r_high"]), 30), f"profile {words}")
    refused(folder, 2, "--halo-mass: 3 kpc: is a length: must be a mass", "model", "galaxy", "--halo-mass", "3 kpc", "-o", "x.hdf5")
    refused(folder, 2, "nfw: m200: 3Gyr: is a time: must be a mass", "model", "spheres", "nfw,m200=3Gyr", "-o", "x.hdf5")


def refuses(folder):
    galaxy, nbody = ["run", "galaxy.hdf5", "-o", "x"], ["run", "nbody.hdf5", "-o", "x", "--t-end", 1, "--dt", 0.1]
    for words, line in (
            ([*galaxy, "--t-end", 1, "--dt", 0.1, "--eps", "3Gyr"], "--eps: 3Gyr: is a time: must be a length, such as 50 pc"),
            ([*galaxy, "--t-end", "1kpc", "--dt", 0.1, "--eps", 1], "--t-end: 1kpc: is a length: must be a time, such as 1 Gyr"),
            ([*galaxy, "--t-end", 1, "--dt", "1Myrr", "--eps", 1], "--dt: 1Myrr: Myrr: unknown unit: must be one of .*did you mean 'Myr'"),
            ([*galaxy, "--t-end", 1, "--dt", 0.1, "--eps", "-3pc"], "--eps: -3: must be a number >= 0"),
            ([*galaxy, "--t-end", 1, "--dt", 0.1, "--eps", "3pc/h"], "--eps: 3pc/h: the particles are in kpc, 1e10 Msun, km/s, and h is unknown"),
            ([*galaxy, "--t-end", 1, "--dt", 0.1, "--eps", 1, "--theta", "0.5kpc"], "--theta: 0.5kpc: must be a number > 0"),
            ([*galaxy, "--t-end", "10Myr", "--dt", "1Gyr", "--eps", 1], r"--dt: 1Gyr: is longer than the whole run of 0.0102\d+ \(10 Myr\)"),
            ([*nbody, "--eps", "3pc"], "--eps: 3pc: has a unit, but the particles are in N-body units"),
            (["run", "foreign.gadget2", "-o", "x", "--t-end", 1, "--dt", 0.1, "--eps", "3pc"], "--eps: 3pc: the particles are in kpc/h, .*h is unknown: must be a quantity per h"),
            (["run", "box.hdf5", "--z-end", 40, "--dt", "1Myr", "-o", "x"], "--dt: 1Myr: has a unit, but times of a comoving run are ln a"),
            (["bench", "galaxy.hdf5", "--eps", "3pc"], "--eps: 3pc: has a unit: must be a plain number"),
            (["accuracy", "--model", "plummer", "-n", 100, "--eps", "3pc"], "--eps: 3pc: has a unit, but the particles are in N-body units"),
            (["bench", "galaxy.hdf5", "--eps", "3Gyr"], "--eps: 3Gyr: is a time: must be a length")):
        refused(folder, 2, line, *words)


run_parts("quantities have their units", makes_inputs, reads_quantities, writes_at_times, names_odd_quantities, goes_on, takes_a_system, reads_them_in_other_commands, models_have_units, refuses)
