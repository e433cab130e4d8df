#!/usr/bin/env python3
"""Tests that spheres in physical units stay unchanged for a Gyr: radii of 10, 50 and 90 % mass, energies and virial
ratio. test_spheres.cpp tests all profiles; these two have the units of --m200 and of --physical.
"""
import pathlib
import statistics
import sys
import tempfile

from program import as_text, chamomile, check, end, energies, rows

GYR = 1.0227  # in kpc / (km/s)
# Arguments of `model`, softening in kpc, step in units of kpc / (km/s).
MODELS = {
    "King sphere": (["king", "--mass", 0.1, "--r-half", 2, "--w0", 6, "--physical"], 0.1, 0.004),
    "triaxial halo": (["hernquist", "--m200", 100, "-c", 10, "--b-to-a", 0.9, "--c-to-a", 0.8], 1.0, 0.004),
}
# Max change of the radii of 10, 50 and 90 % mass for 8000 particles: about three times the change from counting and
# relaxation.
LIMITS = {"r10": 0.09, "r50": 0.05, "r90": 0.05}


def flattening(name):
    """Returns the median of |z| over the median of |x|."""
    columns = list(zip(*rows("\n".join(as_text(folder, name)))))
    return statistics.median(map(abs, columns[3])) / statistics.median(map(abs, columns[1]))


with tempfile.TemporaryDirectory() as scratch:
    folder = pathlib.Path(scratch)
    for name in sys.argv[3:] or MODELS:
        model, eps, step = MODELS[name]
        out = name.replace(" ", "_")
        chamomile(folder, "model", *model, "-n", 8000, "-o", f"{out}.hdf5")
        chamomile(folder, "run", f"{out}.hdf5", "--t-end", GYR, "--dt", step, "--eps", eps, "--theta", 0.7, "--energy-every", 16, "-o", out)
        lines = energies(folder / out)
        first = lines[0]
        moved = {}
        for key, limit in LIMITS.items():
            moved[key] = max(abs(float(line[key]) / float(first[key]) - 1) for line in lines)
            check(moved[key] < limit, f"{name}: {key} moves by {moved[key]:.3f}")
        virial = [float(line["virial_ratio"]) for line in lines]
        check(min(virial) > 0.47 and max(virial) < 0.53, f"{name}: virial ratio from {min(virial)} to {max(virial)}")
        error = max(abs(float(line["energy_error"])) for line in lines)
        check(error < 5e-3, f"{name}: energy error {error}")
        flat = [flattening(f"{out}.hdf5"), flattening(max((folder / out).glob("snapshot_*.hdf5")))] if "--c-to-a" in model else [1, 1]
        check(abs(flat[1] / flat[0] - 1) < 0.15 and (flat[0] == 1 or flat[1] < 0.92), f"{name}: flattening from {flat[0]} to {flat[1]}")  # becomes rounder
        print(f"{name}: " + ", ".join(f"{key} {value:.3f}" for key, value in moved.items()) + f", virial ratio {min(virial):.3f} to {max(virial):.3f}, dE/E {error:.1e}, flattening {flat[0]:.3f} to {flat[1]:.3f}")
end("spheres stand still for a Gyr")
