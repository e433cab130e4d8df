#!/usr/bin/env python3
"""Tests `accuracy` on models: lists, the HDF5 file against numpy and a plain sum, and Table 2 of the Chamomile paper."""
import importlib.util
import os
import subprocess
import sys

from program import PROGRAM, ROOT, chamomile, check, need, refused, run, run_parts, table

need("h5py", "numpy")
import h5py  # noqa: E402
import numpy as np  # noqa: E402


def lists_are_crossed(folder):
    out = chamomile(folder, "accuracy", "--model", "plummer,nfw", "-n", "400,1000", "--eps", "0,0.1", "--solver", "tree,direct", "--precision",
                    "float,double", "--tolerance", "0.01,0.001", "--theta", "0.6", "--local-order", "0,5", "--set", "tree.leaf-size=8,16",
                    "--sample", 200, "--device", "cpu", "--csv", "crossed.csv")
    rows = table(folder / "crossed.csv")
    names = ("particles from", "N", "softening", "solver", "precision", "local order", "leaf", "tolerance", "theta")
    expected = []
    for source in ("plummer", "nfw"):
        for n in ("400", "1000"):
            for eps in ("none", "Plummer, eps = 0.1"):
                expected += [(source, n, eps, "tree", precision, local, leaf, *limit) for precision in ("float", "double") for local in "05"
                             for leaf in ("8", "16") for limit in (("0.01", "-"), ("0.001", "-"), ("-", "0.6"))]
                expected += [(source, n, eps, "direct", precision, "-", "-", "-", "-") for precision in ("float", "double")]
    check([tuple(row[name] for name in names) for row in rows] == expected, "the rows are not all combinations in order")
    check("particles from" in out and "pair by pair" in out and len(out.splitlines()) < len(rows) + 10, "the printed table is not the short form")
    for row in rows:
        if row["solver"] == "direct":
            low, high = (1e-9, 3e-6) if row["precision"] == "float" else (1e-17, 1e-12)
            check(low < float(row["max"]) < high, f"error of the direct sum: {row['max']} in {row['precision']}")
            check(row["particles"] == row["N"] and float(row["|sum m a|"]) < (1e-6 if row["precision"] == "float" else 1e-14), f"{row}")
        else:
            check(1e-6 < float(row["90 %"]) < 2e-2, f"error outside the range of a tree: {row}")
    softened, not_softened = (next(row for row in rows if row["softening"].startswith(s) and row["solver"] == "tree") for s in ("Pl", "no"))
    check(softened["median"] != not_softened["median"], "--eps has no effect")


def exact_sums(masses, positions, targets, eps):
    """Returns accelerations, potentials and sum m/r^2 per target."""
    for i in targets:
        r = np.delete(positions, i, axis=0) - positions[i]
        m = np.delete(masses, i)
        u = np.sqrt((r**2).sum(axis=1) + eps**2)
        yield (m[:, None] * r / u[:, None]**3).sum(axis=0), -(m / u).sum(), (m * np.sqrt((r**2).sum(axis=1)) / u**3).sum()


def file_holds_what_was_measured(folder):
    """Checks the file's per-particle errors against `force` and a sum in numpy, and its statistics against per-particle
    errors.
    """
    eps = 0.05
    chamomile(folder, "model", "merger", "-n", 1500, "--seed", 3, "-o", "merger.hdf5", "-q")
    with h5py.File(folder / "merger.hdf5", "r+") as file:  # off the origin
        for group in (file[name] for name in file if name.startswith("PartType")):
            group["Coordinates"][:] += [3, 2, 1]
    method = ("--eps", eps, "--precision", "double", "--device", "cpu")
    chamomile(folder, "force", "merger.hdf5", *method, "--theta", 0.8, "-o", "forces.hdf5", "-q")
    chamomile(folder, "accuracy", "merger.hdf5", *method, "--theta", "0.8,0.5", "--sample", 333, "--hdf5", "errors.hdf5", "--csv", "errors.csv", "-q")
    rows = table(folder / "errors.csv")
    particles = {}
    with h5py.File(folder / "forces.hdf5") as file:
        for name, key in (("ids", "ParticleIDs"), ("x", "Coordinates"), ("m", "Masses"), ("a", "Acceleration"), ("phi", "Potential")):
            particles[name] = np.concatenate([file[t][key][:] for t in sorted(file) if t.startswith("PartType")])
    with h5py.File(folder / "errors.hdf5") as file:
        check(sorted(file) == ["Header", "Sample_000", "Setting_0000", "Setting_0001"], f"groups {sorted(file)}")
        check("accuracy merger.hdf5" in file["Header"].attrs["command"], "the file does not contain the command")
        sample = {key: file["Sample_000"][key][:] for key in file["Sample_000"]}
        place = {int(number): k for k, number in enumerate(particles["ids"])}
        targets = [place[int(number)] for number in sample["id"]]
        check(len(set(targets)) == 333 and len(set(sample["index"])) == 333, "the file does not contain 333 particles")
        check(np.array_equal(particles["x"][targets], sample["position"]), "positions do not match the ids")
        center = np.average(particles["x"], axis=0, weights=particles["m"])
        check(np.allclose(sample["radius"], np.linalg.norm(sample["position"] - center, axis=1), rtol=1e-12), "radii are wrong")
        errors = {key: file["Setting_0000"][key][:] for key in ("acceleration", "scaled", "potential")}
        for k, (a, phi, scale) in enumerate(exact_sums(particles["m"], particles["x"], targets, eps)):
            difference = np.linalg.norm(particles["a"][targets[k]] - a)
            for key, expected in (("acceleration", difference / np.linalg.norm(a)), ("scaled", difference / scale),
                                  ("potential", abs(particles["phi"][targets[k]] / phi - 1))):
                check(abs(errors[key][k] - expected) < 1e-12 + 1e-9 * expected, f"{key} error of {k}: {errors[key][k]}, {expected} by numpy")
        momentum = np.linalg.norm((particles["m"][:, None] * particles["a"]).sum(axis=0))
        momentum /= (particles["m"] * np.linalg.norm(particles["a"], axis=1)).sum()
        check(abs(file["Setting_0000"].attrs["|sum m a|"] / momentum - 1) < 1e-6, "the momentum residue is wrong")
        for name, row in zip(("Setting_0000", "Setting_0001"), rows):
            group, attributes = file[name], dict(file[name].attrs)
            for prefix, key in (("", "acceleration"), ("scaled ", "scaled"), ("phi ", "potential")):
                x = np.sort(group[key][:])
                of = {"rms": np.sqrt(np.mean(x**2)), "max": x[-1], "median": x[333 // 2], "90 %": x[int(0.9 * 333)],
                      "99 %": x[int(0.99 * 333)], "99.9 %": x[int(0.999 * 333)]}
                for statistic, value in of.items():
                    check(abs(attributes[prefix + statistic] / value - 1) < 1e-6 and float(row[prefix + statistic]) == attributes[prefix + statistic],
                          f"{name} {prefix}{statistic}: {attributes[prefix + statistic]}, {value} by numpy")
            worst = int(np.argmax(group["acceleration"][:]))
            check([attributes["worst index"], attributes["worst id"]] == [sample["index"][worst], sample["id"][worst]] and
                  [attributes[f"worst {c}"] for c in "xyz"] == list(sample["position"][worst]), f"{name}: the particle with the largest error is wrong")
            check([text for text in row if text not in attributes] == [], "the file lacks statistics of the CSV")


def long_sums_are_checked(folder):
    """The reference for a long sum, from the direct solver, equals the short sum's reference and is reported."""
    arguments = ("accuracy", "--model", "cube", "-n", 60000, "--tolerance", 0.01, "--eps", 0.01, "--device", "cpu", "--reference", "cpu")
    out = chamomile(folder, *arguments, "--sample", 40000, "--hdf5", "long.hdf5")
    check("40000 targets by CPU" in out and "1000 of them pair by pair too" in out, f"the output does not name the reference: {out.splitlines()[0]}")
    with h5py.File(folder / "long.hdf5") as file:
        known = np.isfinite(file["Setting_0000/scaled"][:])
        check(known.sum() == 1000 and np.ptp(np.flatnonzero(known)) > 39000, f"{known.sum()} reference accelerations, not 1000 evenly spread")
        long = dict(zip(file["Sample_000/index"][:], file["Setting_0000/acceleration"][:]))
    out = chamomile(folder, *arguments, "--sample", 500, "--hdf5", "short.hdf5")
    check("500 targets pair by pair" in out, "a small reference is not summed pair by pair")
    with h5py.File(folder / "short.hdf5") as file:
        both = [(error, long[i]) for i, error in zip(file["Sample_000/index"][:], file["Setting_0000/acceleration"][:]) if i in long]
    check(len(both) > 100 and all(abs(a - b) < 1e-11 for a, b in both), "long and short references differ")


def plots_of_one_source(folder):
    """Files from one source give plots with different names that state the number of settings."""
    words = ("accuracy", "--model", "cube", "-n", 300, "--eps", 0.05, "--device", "cpu", "--sample", 100, "-q")
    check("99 %" in chamomile(folder, *words, "--theta", 0.5), "accuracy -q without a file does not print its table")
    for name, values in (("few", "0.5,0.8"), ("many", "0.3,0.4,0.5,0.6,0.7,0.8,0.9,1")):
        check(chamomile(folder, *words, "--theta", values, "--hdf5", f"{name}.hdf5") == "", "accuracy -q with a file prints output")
    if not importlib.util.find_spec("matplotlib"):
        return
    for name in ("few", "many"):
        said = chamomile(folder, "plot", f"{name}.hdf5", "--python", sys.executable)
        check("wrote 6 plots" in said, f"plots of {name}: {said}")
    check({path.name for path in folder.glob("*.svg")} == {f"{name}_{plot}.svg" for name in ("few", "many") for plot in ("distribution", "cost", "radius")}, "names of plots")
    drawn = [(folder / f"{name}_distribution.svg").read_text() for name in ("few", "many")]
    check(all(f"theta {theta}" in drawn[1] for theta in (0.3, 0.7, 1)) and "settings" not in drawn[0] + drawn[1], "the legend lacks settings")
    check("0.8" in (folder / "few_cost.svg").read_text(), "points of a cost curve have no labels")
    refused(folder, 4, "few_distribution.svg: exists: give --overwrite", "plot", "few.hdf5", "--python", sys.executable)
    refused(folder, 2, "plots: energies: must be one of distribution, cost, radius", "plot", "few.hdf5", "--plots", "energies", "--python", sys.executable)
    chamomile(folder, *words, "--theta", ",".join(f"{0.2 + 0.05 * k:g}" for k in range(16)), "--hdf5", "all.hdf5")
    chamomile(folder, "plot", "all.hdf5", "--plots", "radius", "--format", "svg", "--python", sys.executable)
    check("12 of 16 settings" in (folder / "all_radius.svg").read_text(), "the legend lists settings that are not plotted")


def scans(folder):
    """--scan writes table, file and figures under names of its own, of values of its own or given ones."""
    words = ("accuracy", "--model", "cube", "-n", 500, "--eps", "0.05", "--device", "cpu", "--sample", 100)
    refused(folder, 2, "--python: no-python", *words, "--scan", "theta", "--python", "no-python")
    refused(folder, 2, "--accuracy: contradicts --scan", *words, "--scan", "theta", "--accuracy", "1e-3")
    refused(folder, 2, "--format: needs --scan", *words, "--format", "png")
    if not importlib.util.find_spec("matplotlib"):
        return
    for scan, more, column, values in (("theta", (), "theta", 8), ("tolerance", ("--tolerance", "0.01,0.001"), "tolerance", 2), ("order", (), "order", 4)):
        chamomile(folder, *words, "--scan", scan, *more, "--python", sys.executable, "--format", "svg")
        rows = table(folder / f"cube_{scan}.csv")
        check(len({row[column] for row in rows}) == values and all(row["evaluations"] == "3" for row in rows), f"--scan {scan}: {len(rows)} rows")
        drawn = (folder / f"cube_{scan}_cost.svg").read_text()
        check(all(f"<!-- {float(row['theta' if scan == 'theta' else 'tolerance']):g} -->" in drawn for row in rows), f"--scan {scan}: points without labels")
        check((folder / f"cube_{scan}_radius.svg").exists() and (folder / f"cube_{scan}.hdf5").exists(), f"--scan {scan}: files")
    refused(folder, 4, "cube_theta.csv: exists", *words, "--scan", "theta", "--python", sys.executable)
    chamomile(folder, *"model galaxy -n 500 --physical -o galaxy.hdf5 -q".split())
    chamomile(folder, *"accuracy galaxy.hdf5 --units stellar --eps 50pc,0.1kpc --scan theta --theta 0.5,0.7 --csv mine.csv --hdf5 mine.hdf5 -q".split(), "--python", sys.executable)
    check({row["softening"] for row in table(folder / "mine.csv")} == {"Plummer, eps = 50", "Plummer, eps = 100"} and (folder / "mine_cost.png").exists(), "units of a scan")


def gradients_have_errors(folder):
    words = ("accuracy", "--model", "plummer", "-n", 3000, "--eps", "0.05", "--device", "cpu", "--sample", 500, "--gradient")
    chamomile(folder, *words, "--tolerance", "1e-3,1e-5", "--solver", "tree,direct", "--csv", "gradient.csv")
    coarse, fine, direct = table(folder / "gradient.csv")
    check(float(coarse["99 %"]) < 2e-2 and float(fine["median"]) < 0.1 * float(coarse["median"]) and float(fine["phi 99 %"]) < 1e-2, f"{coarse}, {fine}")
    check(1e-9 < float(direct["median"]) < 1e-6 and direct["reference"] == "gradients by direct sums in double", f"{direct}")
    chamomile(folder, *words, "--box", 20, "--tolerance", "1e-3", "--solver", "tree,direct", "--csv", "box.csv")
    tree, direct = table(folder / "box.csv")
    check(float(tree["99 %"]) < 3e-2 and float(direct["99 %"]) < 1e-12, f"{tree}, {direct}")
    refused(folder, 2, "--accuracy: must be left out for --gradient; give --tolerance", *words, "--accuracy", "1e-3")


def laboratory(folder):
    """The quick laboratory: a table, a file and three plots of each kind for every set."""
    environment = {**os.environ, "CHAMOMILE": PROGRAM, "CHAMOMILE_DATA": str(folder / "none")}
    done = subprocess.run([ROOT / "examples/accuracy_laboratory", "--quick", folder / "laboratory"], env=environment, capture_output=True, text=True, timeout=900)
    check(done.returncode == 0, f"laboratory: status {done.returncode}: {done.stderr}")
    check("galaxies: skipped: no" in done.stdout, "missing data are not reported")
    for name in ("plummer", "hernquist", "nfw", "disk", "cube", "merger"):
        rows = table(folder / f"laboratory/{name}.csv")
        check(len(rows) > 10 and all(row["N"] == "10000" for row in rows), f"{name}: {len(rows)} rows")
        if importlib.util.find_spec("matplotlib"):
            for plot in ("distribution", "cost", "radius"):
                picture = (folder / f"laboratory/{name}_{plot}.png").read_bytes()
                drawing = (folder / f"laboratory/{name}_{plot}.svg").read_text()
                check(picture[:8] == b"\x89PNG\r\n\x1a\n" and "order 2" in drawing and 'id="line2d_' in drawing, f"{name}: no plot of {plot}")
        else:
            check("no plots: install" in done.stdout, "a missing matplotlib is not reported")
    done = run(folder, "plot", "laboratory/merger.csv", "--python", sys.executable)
    check(done.returncode == 3 and len(done.stderr.splitlines()) == 1, f"a table is plotted: {done.stderr}")


run_parts("errors are what they are said to be", lists_are_crossed, file_holds_what_was_measured, long_sums_are_checked, plots_of_one_source, scans, gradients_have_errors,
          laboratory)
