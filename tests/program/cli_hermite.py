#!/usr/bin/env python3
"""Tests `run --integrator hermite` end to end: known problems, repeated bits, and output."""
import re

from program import as_text, chamomile, check, energies, run_parts


def hermite(folder, file, *arguments, status=0):
    return chamomile(folder, "run", *file, "--integrator", "hermite", *arguments, status=status)


SPHERE = ("--model", "plummer", "-n", 300, "--seed", 4)


def evolves_a_sphere(folder):
    out = hermite(folder, SPHERE, "--eps", 0, "--t-end", 1, "--energy-every", 0.25, "-o", "out")
    for word in ("direct sum", "softening    none", "PEC, eta = 0.01, 0.01 at the start", "in blocks of individual steps",
                 "steps by length", "energy error"):
        check(word in out, f"the output lacks '{word}': {out}")
    check(re.search(r"closest pair: ids \d+ and \d+, [\d.e-]+ apart at t = ", out), f"the output lacks the closest pair: {out}")
    steps, blocks = re.search(r"([\d.e+]+) particle steps in (\d+) blocks", out).groups()
    counts = [int(n) for n in re.findall(r"2\^-?\d+: (\d+)", out)]
    check(abs(sum(counts) / float(steps) - 1) < 1e-3 and int(blocks) > 500, f"{counts} do not add up to {steps} steps")
    check(len(counts) > 6, f"{len(counts)} different step lengths, too few")
    kept = energies(folder / "out")
    check({0, 0.25, 0.5, 0.75, 1} <= {row["time"] for row in kept}, f"energies at {[row['time'] for row in kept]}")
    check(max(abs(row["energy_error"]) for row in kept) < 1e-6, "energy is not conserved")
    text = chamomile(folder, "info", "out/snapshot_010.hdf5")
    check("hermite: PEC" in text and "precision: double" in text, f"info does not print the provenance: {text}")


def solves_the_pythagorean_problem(folder):
    """Masses 3, 4, 5 at rest: the first one's position at t = 10 is known to many digits."""
    (folder / "three.txt").write_text("3 1 3 0 0 0 0 3\n4 -2 -1 0 0 0 0 4\n5 1 -1 0 0 0 0 5\n")
    for how, limit in ((("--set", "hermite.shared-steps", "--set", "hermite.iterations=2"), 1e-4), (("--block-steps", "--eta", 0.0025), 3e-4),
                       (("--set", "hermite.shared-steps", "--set", "hermite.final-evaluation"), 4.5e-4)):
        hermite(folder, ("three.txt",), "--eps", 0, "--t-end", 10, *how, "-o", "three", "--overwrite")
        x, y = map(float, as_text(folder, "three/snapshot_010.hdf5")[0].split()[1:3])
        distance = ((x - 0.77848041013808549) ** 2 + (y - 0.14139230029008617) ** 2) ** 0.5
        check(distance < limit, f"{how}: {distance} from the solution at t = 10")


def takes_fixed_steps(folder):
    out = hermite(folder, SPHERE, "--eps", 0.1, "--t-end", 0.25, "--dt", 0.0078125, "--check-forces", 50, "--snapshot-every", 0.125,
                  "--frames", "-o", "fixed")
    check("in steps of 0.0078125" in out and "32 steps in" in out and "9600 particle steps in 32 blocks" in out, out)
    check((folder / "fixed/frame_002.png").exists() and (folder / "fixed/forces.csv").exists(), "frames or forces are missing")


def ends_at_a_collision(folder):
    (folder / "two.txt").write_text("0.5 -0.5 0 0 0 0 0 7\n0.5 0.5 0 0 0 0 0 9\n")
    error = hermite(folder, ("two.txt",), "--eps", 0, "--t-end", 2, "-o", "fall", status=6)
    check("particle id 7: step" in error and "from id 9; needs softening" in error, f"the error does not name the pair: {error}")
    check("--eps" in error and "--set hermite.count-short-steps" in error, f"the error suggests no remedy: {error}")
    out = hermite(folder, ("two.txt",), "--eps", 0, "--t-end", 1.2, "--dt-min", 1e-8, "--set", "hermite.count-short-steps", "-o", "through")
    check(re.search(r"\d+ steps were lengthened to the shortest, 1e-08", out), f"short steps are not counted: {out}")
    check("closest pair: ids 7 and 9" in out, f"the output lacks the closest pair: {out}")


run_parts("Hermite runs are as they should be", evolves_a_sphere, solves_the_pythagorean_problem, takes_fixed_steps, ends_at_a_collision)
