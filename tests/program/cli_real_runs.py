#!/usr/bin/env python3
"""Compares runs from other programs' files with other programs' results."""
import re
import sys

from program import ROOT, chamomile, check, energies, run, run_parts

DATA = ROOT.parent / "shared/data"

# Total, kinetic and potential energy of king_soft.bin every 0.1, by PKDGRAV (theta 0.7, multi-stepping).
PKDGRAV = [(-32.1919514, 32.65580, -64.84776), (-32.1920959, 32.66100, -64.85309),
           (-32.1920690, 32.64938, -64.84145), (-32.1920614, 32.62417, -64.81624),
           (-32.1919914, 32.58726, -64.77925), (-32.1919703, 32.54187, -64.73384),
           (-32.1920609, 32.49266, -64.68472), (-32.1920644, 32.44383, -64.63589),
           (-32.1920561, 32.39655, -64.58861), (-32.1920721, 32.34939, -64.54146),
           (-32.1921134, 32.30355, -64.49566)]
DIRECT_POTENTIAL = -64.847326  # spline with h = 2 x 0.204217, direct sum in double


def evolve(folder, *arguments):
    return chamomile(folder, "run", *arguments, "-o", "out", "--overwrite"), energies(folder / "out")


def king_model(folder):
    _, rows = evolve(folder, DATA / "king_soft.bin", "--t-end", 1, "--dt", 0.01, "--energy-every", 0.1,
                  "--snapshot-every", 1, "-q")
    check(len(rows) == len(PKDGRAV), f"{len(rows)} lines")
    for row, (total, kinetic, potential) in zip(rows, PKDGRAV):
        for name, expected, limit in (("total", total, 5e-5), ("kinetic", kinetic, 1e-4), ("potential", potential, 1e-4)):
            check(abs(row[name] / expected - 1) < limit, f"t = {row['time']}: {name} {row[name]}, PKDGRAV {expected}")
    _, rows = evolve(folder, DATA / "king_soft.bin", "--t-end", 0, "--dt", 0.01, "--solver", "direct", "-q")
    check(abs(rows[0]["potential"] / DIRECT_POTENTIAL - 1) < 1e-7, f"direct potential {rows[0]['potential']}")
    # The limit is sharp: Plummer softening, or a spline with 1 % more length, exceeds it.
    for wrong in (["--softening", "plummer"], ["--eps", 0.1473]):
        _, rows = evolve(folder, DATA / "king_soft.bin", "--t-end", 0, "--dt", 0.01, "--solver", "direct", "-q", *wrong)
        check(abs(rows[0]["potential"] / DIRECT_POTENTIAL - 1) > 1e-5, f"{wrong} has no effect")


def colliding_galaxies(folder):
    out, rows = evolve(folder, DATA / "galaxy_littleendian.dat", "--t-end", 0.02, "--dt", 0.005, "--eps", 0.4)
    check("kpc/h" in out and "43007.1" in out, f"units or G are not the file's: {out}")
    check(max(abs(row["energy_error"]) for row in rows) < 1e-3, "energy is not conserved")
    check(0.3 < rows[0]["virial_ratio"] < 0.7, f"virial ratio {rows[0]['virial_ratio']}")


# Small files from genetIC and other codes: status and line of a command, or a line that must not appear.
CORPUS = [
    (3, "Tipsy with --box-length, such as 50Mpc/h, and --h", "run", "genetic_06d_stray_wrapping_zoom", "--cosmology", "--z-end", 95, "-o", "x"),
    (0, r"eps .* = 0.000479\d+ to 0.000959\d+ \(halo\)", "run", "genetic_06d_stray_wrapping_zoom", "--box-length", "50Mpc/h", "--h", 0.701, "--z-end", 97, "-o", "stray"),
    (0, r"Omega_m 0\.315568", "run", "genetic_02_simple_modif", "--box-length", "50Mpc/h", "--h", 0.701, "--z-end", 97, "-o", "modified"),
    (3, "give --collisionless-gas", "run", "genetic_10e_gadget_zoom_ptype_resample", "--z-end", 95, "--eps", 0.02, "-o", "x"),
    (3, "block VEL : missing: needed for 200 particles", "run", "gio_snap_002.0", "--t-end", 1, "--dt", 0.1, "--eps", 1, "-o", "x"),
    (0, "1427 particles are outside the periodic box", "convert", "mono_test_2lpt_sc_gadget.hdf5", "outside.hdf5"),
    (0, r"density: 3.099e\+08 of the critical density, but Omega_m is 0.3099", "info", "mono_test_2lpt_sc_gadget.hdf5", "--units", "gadget"),
    (0, "(?!.*density: )", "info", "mono_test_2lpt_sc_gadget.hdf5"),
    (0, "1427 particles are outside the periodic box.*images inside the box are used", "render", "mono_test_2lpt_sc_gadget.hdf5", "-o", "box.png", "--size", 64),
    (0, r"0 halos with 0 of 216 particles \(0.0 %\), linking length 0.104167", "halos", "genetic_10h_gadget_zoom_ptype_gas", "--types", 2),
    (0, "6328 particles", "convert", "genetic_04d_gas_supersampling", "gas.hdf5", "--box-length", "50Mpc/h", "--h", 0.701),
    (0, r"99 % error 0.0\d+: above 0.003", "accuracy", "gas.hdf5", "--eps", 0.001, "--tolerance", 0.001, "--sample", 200),
    (0, "h: uses 0.7, as given, instead of 0.701 in the file", "run", "genetic_10a_gadget", "--z-end", 97, "--eps", 0.02, "--set", "cosmology.hubble=0.7", "-o", "hubble"),
]


def small_files(folder):
    for status, line, command, name, *words in CORPUS:
        file = next((path for path in (DATA / "corpus" / name, folder / name) if path.exists()), None)  # some rows read files from
                                                                                                        # earlier rows
        if file:
            done = run(folder, command, file, *words)
            out = done.stdout + done.stderr
            check(done.returncode == status, f"{command} {name}: status {done.returncode}: {done.stderr}")
            check(re.compile(line, re.S).search(out) if not line.startswith("(?!") else re.compile(line, re.S).match(out), f"{command} {name}: no {line!r} in {out}")
        else:
            print(f"skipped: no {name}")


if not (DATA / "king_soft.bin").exists():
    print(f"skipped: {DATA} does not exist")
    sys.exit(77)
run_parts("the runs agree with those of others", king_model, colliding_galaxies, small_files)
