#!/usr/bin/env python3
"""Tests `force`, `accuracy`, `bench` and `devices`: compares files and output with each other and with a plain sum."""
import math
import re

from program import chamomile, check, run, run_parts, table

NUMBERS = {"rms", "median", "90 %", "99 %", "99.9 %", "max"}


def forces(folder, *arguments):
    """Returns rows with mass, position and, for `force` output, acceleration and potential."""
    chamomile(folder, "force", "plummer.hdf5", *arguments, "--eps", 0.05, "-o", "forces.txt", "--overwrite", "-q")
    lines = (folder / "forces.txt").read_text().splitlines()
    check("# columns: mass x y z vx vy vz id ax ay az potential" in lines, "the header does not name the columns")
    words = [line.split() for line in lines if not line.startswith("#")]
    check(all(len(row) == 12 for row in words), "not 12 columns")
    digits = {len(word.split("e")[0].lstrip("-").replace(".", "")) for row in words for word in row[8:]}
    check(digits == {17}, f"{digits} digits instead of 17")
    return [[float(word) for word in row] for row in words]


def direct_sum(rows, i, eps):
    sums = [0.0] * 4
    for j, (mass, *x) in enumerate(row[:4] for row in rows):
        if j != i:
            r = [b - a for a, b in zip(rows[i][1:4], x)]
            u = math.sqrt(sum(c * c for c in r) + eps * eps)
            sums = [s + mass * c / u**3 for s, c in zip(sums, r)] + [sums[3] - mass / u]
    return sums


def largest_error(rows, exact):
    return max(math.dist(a[8:11], b[8:11]) / math.hypot(*b[8:11]) for a, b in zip(rows, exact))


def force_writes_forces(folder):
    exact = forces(folder, "--solver", "direct", "--precision", "double")
    check(len(exact) == 1000, f"{len(exact)} rows")
    for i in range(0, 1000, 97):
        expected = direct_sum(exact, i, 0.05)
        check(math.dist(exact[i][8:11], expected[:3]) < 1e-13 * math.hypot(*expected[:3]), f"acceleration {i} is wrong")
        check(abs(exact[i][11] / expected[3] - 1) < 1e-13, f"potential {i} is wrong")
    tree = forces(folder, "--theta", 1e-9, "--precision", "double")
    check(largest_error(tree, exact) < 1e-12, "a tree with small theta differs from the direct sum")
    check(1e-9 < largest_error(forces(folder, "--solver", "direct"), exact) < 1e-5, "the error in float is not that of single precision")
    check(1e-5 < largest_error(forces(folder, "--theta", 0.6), exact) < 3e-2, "the error at theta = 0.6 is out of range")
    spline = forces(folder, "--solver", "direct", "--precision", "double", "--softening", "spline")
    check(largest_error(spline, exact) > 1e-3, "--softening has no effect")
    double = forces(folder, "--solver", "direct", "--precision", "double", "--G", 2)
    check(all(2 * a == b for row, other in zip(exact, double) for a, b in zip(row[8:], other[8:])), "--G 2 does not double the accelerations")


def instruction_sets_agree(folder):
    """Sums with all supported instruction sets agree to rounding; bitwise for any number of threads."""
    sets = re.search(r"instruction sets (.*)", chamomile(folder, "devices"))[1].split(", ")
    check(sets[-1] == "baseline", f"wrong instruction sets {sets}")
    for method in (["--device", "cpu", "--tolerance", 0.001], ["--device", "cpu", "--solver", "direct"]):
        exact = forces(folder, *method, "--precision", "double", "--instruction-set", "baseline")
        bits = {}
        for name in reversed(sets):
            bits[name] = forces(folder, *method, "--instruction-set", name, "--threads", 1)
            check(f"# provenance instruction_set: {name}" in (folder / "forces.txt").read_text().splitlines(), f"{name} is not kept")
            check(forces(folder, *method, "--instruction-set", name, "--threads", 2) == bits[name], f"{name}: results depend on the number of threads")
            check(largest_error(bits[name], bits["baseline"]) < 1e-6, f"{name}: {largest_error(bits[name], bits['baseline'])} difference from baseline")
            double = forces(folder, *method, "--precision", "double", "--instruction-set", name)
            check(largest_error(double, exact) < 1e-13, f"{name} in double: {largest_error(double, exact)} difference from baseline")
        check(forces(folder, *method) == bits[sets[0]], f"auto does not choose {sets[0]}")
        check(len(sets) < 3 or bits["avx512"] != bits["baseline"], "avx512 and baseline are the same code")
    missing = run(folder, "force", "plummer.hdf5", "--device", "cpu", "--instruction-set", "avx512", "-o", "x.txt")
    check(missing.returncode == (0 if "avx512" in sets else 5), f"avx512: status {missing.returncode}")


def accuracy_tells_errors(folder):
    chamomile(folder, "accuracy", "plummer.hdf5", "--theta", "0.4,0.8", "--order", "0,2", "--sample", 500, "--csv", "errors.csv")
    rows = {(row["theta"], row["order"]): {key: float(value) for key, value in row.items() if key in NUMBERS}
            for row in table(folder / "errors.csv")}
    check(list(rows) == [("0.4", "0"), ("0.8", "0"), ("0.4", "2"), ("0.8", "2")], f"rows {list(rows)}")
    for row in rows.values():
        check(row["median"] < row["90 %"] < row["99 %"] <= row["99.9 %"] <= row["max"], f"percentiles out of order: {row}")
        check(row["median"] < row["rms"] < row["max"], f"rms out of range: {row}")
    for order in "02":
        check(3 * rows["0.4", order]["rms"] < rows["0.8", order]["rms"], "a smaller theta does not reduce the error")
    for theta in ("0.4", "0.8"):
        check(2 * rows[theta, "2"]["rms"] < rows[theta, "0"]["rms"], "quadrupoles do not reduce the error")
    check(1e-5 < rows["0.4", "2"]["rms"] < 2e-4 and 2e-4 < rows["0.8", "2"]["rms"] < 3e-3, "errors of the Plummer sphere are out of range")

    chamomile(folder, "accuracy", "plummer.hdf5", "--solver", "direct", "--csv", "direct.csv", "-q")
    direct = table(folder / "direct.csv")
    check([(row["theta"], row["order"]) for row in direct] == [("-", "-")], "the direct sum is not one row without theta")
    check(1e-9 < float(direct[0]["rms"]) < 1e-6, f"errors of the direct sum: {direct[0]['rms']}")
    check(direct[0]["particles"] == "1000" and direct[0]["cells"] == "0", "the direct sum is not over all particles")


def criteria_are_compared(folder):
    """Tests each criterion in the list with its values; a stricter value gives a smaller error."""
    for command in (("accuracy",), ("bench", "--repeat", 1)):
        chamomile(folder, *command, "plummer.hdf5", "--criterion", "relative,geometric,minimum-distance,moments", "--tolerance", "0.02,0.001",
                  "--theta", "0.9,0.4", "--set", "tree.leaf-size=8", "--set", "tree.group-size=32", "--sample", 1000, "--csv", "criteria.csv", "--overwrite", "-q")
        rows = table(folder / "criteria.csv")
        check([(row["criterion"], row["tolerance"], row["theta"]) for row in rows] ==
              [("relative", "0.02", "-"), ("relative", "0.001", "-"), ("geometric", "-", "0.9"), ("geometric", "-", "0.4"),
               ("minimum-distance", "-", "0.9"), ("minimum-distance", "-", "0.4"), ("moments", "0.02", "-"), ("moments", "0.001", "-")],
              f"{command[0]}: the rows are not every criterion with its values")
        name = "99 %" if command[0] == "accuracy" else "99 % error"
        errors = [float(row[name]) for row in rows]
        check(all(1e-5 < error < 3e-2 for error in errors), f"errors {errors}")
        check(all(2 * strict < wide for wide, strict in zip(errors[::2], errors[1::2])), f"a stricter value does not reduce the error: {errors}")
        check(errors[4] < errors[2] and errors[5] < errors[3], "distances to the nearest point and to the center of mass do not differ")
        check(len(set(errors)) == 8, "two criteria give equal errors")
    for name, value in (("geometric", "theta"), ("minimum-distance", "theta"), ("relative", "tolerance"), ("moments", "tolerance")):
        chamomile(folder, "force", "plummer.hdf5", "--criterion", name, "-o", "named.hdf5", "--overwrite", "-q")
        told = chamomile(folder, "info", "named.hdf5")
        check(f"criterion: {name}" in told and f"{value}: " in told, f"{name} is not in the file: {told}")


def bench_tells_times(folder):
    out = chamomile(folder, "bench", "-n", "500,1000", "--theta", "0.5,0.7", "--repeat", 3, "--sample", 100, "--phases", "--device", "cpu", "--csv", "times.csv")
    check("pairs/s" in out and "eps = 0.001" in out and "build ms" in out and "local order 6" in out, f"no table: {out}")
    rows = table(folder / "times.csv")
    check([(row["N"], row["theta"]) for row in rows] == [("500", "0.5"), ("500", "0.7"), ("1000", "0.5"), ("1000", "0.7")],
          "the table lacks settings")
    for row in rows:
        check(0 < float(row["min"]) <= float(row["ms"]) <= float(row["max"]), f"times out of order: {row}")
        check(0 < float(row["50 % error"]) < float(row["90 % error"]) <= float(row["99 % error"]) < 0.1, f"errors: {row}")
        check(float(row["50 % error"]) > 1e-6, f"errors out of a tree's range: {row}")
        phases = sum(float(row[name + " ms"]) for name in ("build", "moments", "groups", "walk", "results"))
        check(0.5 * float(row["ms"]) < phases < float(row["ms"]) + 0.003, f"phases add up to {phases} of {row['ms']} ms")
        pairs = float(row["pairs/s"]) * 1e-3 * float(row["ms"]) / float(row["N"])
        check(abs(pairs / (float(row["particles"]) + float(row["cells"])) - 1) < 0.01, f"pairs/s are not pairs per time: {row}")
        check(row["machine"].startswith("CPU, ") and row["particles from"] == "plummer", f"no provenance: {row}")
    chamomile(folder, "bench", "plummer.hdf5", "--solver", "direct", "--repeat", 1, "--csv", "direct_times.csv", "-q")
    check([(row["solver"], row["theta"], row["particles"]) for row in table(folder / "direct_times.csv")] == [("direct", "-", "1000")],
          "the direct sum is not one row")


def bench_crosses_lists(folder):
    """Tests every combination on equal particles; equal lists give equal errors."""
    chamomile(folder, "bench", "-n", 1000, "--model", "cube", "--tolerance", "0.01,0.001", "--local-order", "0,5", "--set", "tree.group-size=16,64",
              "--set", "tree.leaf-size=8,16", "--threads", "1,2", "--repeat", 1, "--sample", 200, "--ceiling", "--device", "cpu", "--csv", "crossed.csv", "-q")
    rows = table(folder / "crossed.csv")
    names = ("threads", "local order", "group", "leaf", "tolerance")
    check([tuple(row[name] for name in names) for row in rows] ==
          [(t, p, g, l, x) for t in "12" for p in "05" for g in ("16", "64") for l in ("8", "16") for x in ("0.01", "0.001")],
          "the rows are not all combinations in order")
    check(len(rows) == 32 and all(a["90 % error"] == b["90 % error"] for a, b in zip(rows[:16], rows[16:])), "errors depend on the number of threads")
    check(all(2 * float(b["90 % error"]) < float(a["90 % error"]) for a, b in zip(rows[::2], rows[1::2])), "a smaller tolerance does not reduce the error")
    check(all((row["local order"] == "0") == (row["far"] == "0") for row in rows), "far cells counted without expansions, or none with expansions")
    check(len({row["particles from"] for row in rows}) == 1 and rows[0]["particles from"] == "cube", "the model is not the cube")
    for row in rows:
        check(1e7 < float(row["ceiling pairs/s"]) < 1e13 and 0 < float(row["of ceiling %"]) < 110, f"ceiling: {row}")
    out = chamomile(folder, "bench", "-n", 4000, "--tune", "--set", "tree.leaf-size=16", "--repeat", 1, "--sample", 0, "--csv", "tuned.csv")
    row = table(folder / "tuned.csv")[0]
    check((row["tuned"], row["leaf"], row["90 % error"]) == ("yes", "16", "-") and f"group {row['group']}, leaf 16" in out, f"tuned: {row}")
    chamomile(folder, "bench", "plummer.hdf5", "--theta", 0.5, "--tolerance", 0.01, "--order", "0,2", "--repeat", 1, "--csv", "both.csv", "-q")
    check([(row["order"], row["tolerance"], row["theta"]) for row in table(folder / "both.csv")] ==
          [("0", "0.01", "-"), ("0", "-", "0.5"), ("2", "0.01", "-"), ("2", "-", "0.5")], "the table does not combine tolerances and angles")


def devices_are_told(folder):
    out = chamomile(folder, "devices")
    check("cpu: " in out and "baseline" in out and "gpu" in out, f"devices: {out}")


def makes_particles(folder):
    chamomile(folder, "model", "plummer", "-n", 1000, "--seed", 1, "-o", "plummer.hdf5", "-q")


run_parts("one evaluation is as it should be", makes_particles, force_writes_forces, instruction_sets_agree, accuracy_tells_errors, criteria_are_compared, bench_tells_times,
          bench_crosses_lists, devices_are_told)
