#!/usr/bin/env python3
"""End to end: writes, evolves, inspects and draws a model, twice with equal results."""
import math
import re
import resource

from program import as_text, chamomile, check, energies, refused, run, run_parts, table


def evolves_a_model(folder):
    chamomile(folder, "model", "plummer", "-n", 1000, "--seed", 1, "-o", "plummer.hdf5")
    out = chamomile(folder, "run", "plummer.hdf5", "--t-end", 1, "--dt", 0.0078125, "--eps", 0.05,
                    "--theta", 0.6, "--snapshot-every", 0.25, "--energy-every", 0.1, "--frames", "-o", "out/")
    names = sorted(path.name for path in (folder / "out").iterdir())
    expected = [f"{kind}_{k:03d}.{end}" for kind, end in (("frame", "png"), ("snapshot", "hdf5")) for k in range(5)]
    check(names == sorted(expected + ["checkpoint_000000132.chk", "energy.csv", "run.log", "steps.csv"]), f"the folder holds {names}")
    check("energy error" in out and "wrote 5 snapshots" in out, f"no summary: {out}")
    log = (folder / "out/run.log").read_text()
    check("chamomile run plummer.hdf5 --t-end 1" in log and "energy error" in log, "run.log is not complete")

    rows = energies(folder / "out")
    times = sorted({k * 0.1 for k in range(10)} | {k * 0.25 for k in range(5)})
    check([row["time"] for row in rows] == times, f"energies at {[row['time'] for row in rows]}")
    check(rows[0]["total"] == rows[0]["kinetic"] + rows[0]["potential"], "total is not the sum")
    check(abs(rows[0]["kinetic"] - 0.25) < 1e-9, f"kinetic energy {rows[0]['kinetic']} at the start")
    check(max(abs(row["energy_error"]) for row in rows) < 1e-3, "energy is not conserved")
    check(abs(rows[-1]["energy_error"] - (rows[-1]["total"] / rows[0]["total"] - 1) * -1) < 1e-12,
          "energy_error is not (E - E0) / |E0|")
    check(all(0.4 < row["virial_ratio"] < 0.6 and row["r10"] < row["r50"] < row["r90"] for row in rows),
          "virial ratio or radii are wrong")
    check(math.hypot(*(rows[-1][f"momentum_{axis}"] for axis in "xyz")) < 1e-4, "momentum is not conserved")


def keeps_how_it_was_made(folder):
    text = chamomile(folder, "info", "out/snapshot_002.hdf5")
    for word in ("0.5", "1000", "chamomile run plummer.hdf5", "theta: 0.6", "eps: 0.05", "version:", "device:",
                 "initial_command: chamomile model plummer"):
        check(word in text, f"info does not print '{word}'")
    chamomile(folder, "render", "out/snapshot_004.hdf5", "-o", "last.png")
    check((folder / "last.png").read_bytes().startswith(b"\x89PNG"), "no picture was made")


def repeats_itself(folder):
    first = as_text(folder, "out/snapshot_004.hdf5")
    check(len(first) == 1000, f"{len(first)} rows")
    for threads in (1, 2):
        chamomile(folder, "run", "plummer.hdf5", "--t-end", 1, "--dt", 0.0078125, "--eps", 0.05, "--theta", 0.6,
                  "--snapshot-every", 0.25, "--energy-every", 0.1, "--threads", threads, "-o", "again", "--overwrite", "-q")
        check(as_text(folder, "again/snapshot_004.hdf5") == first, f"{threads} threads: bits differ")
        check((folder / "again/energy.csv").read_bytes() == (folder / "out/energy.csv").read_bytes(),
              f"{threads} threads: energies differ")
    check(not list((folder / "again").glob("frame_*")), "pictures are written without being requested")
    chamomile(folder, "run", "plummer.hdf5", "--t-end", 1, "--dt", 0.0078125, "--eps", 0.0501, "--theta", 0.6,
              "--snapshot-every", 0.25, "-o", "again", "--overwrite", "-q")
    check(as_text(folder, "again/snapshot_004.hdf5") != first, "another softening does not change the run")


def takes_what_the_file_states(folder):
    # Continues from a snapshot: time and softening come from the file.
    out = chamomile(folder, "run", "out/snapshot_002.hdf5", "--t-end", 0.6, "--dt", 0.05, "-o", "on")
    check("eps = 0.05" in out and "from 0.5 to 0.6" in out, f"time or softening is not read from the file: {out}")
    check([row["time"] for row in energies(folder / "on")][-1] == 0.6, "the run does not end at 0.6")
    # An end at the start writes the initial conditions.
    chamomile(folder, "run", "out/snapshot_002.hdf5", "--t-end", 0.5, "--dt", 0.05, "-o", "none", "-q")
    check(sorted(p.name for p in (folder / "none").glob("snapshot_*")) == ["snapshot_000.hdf5"], "a run of zero length writes no snapshot")


def reads_a_configuration(folder):
    (folder / "run.ini").write_text("\ufeff# a run\r\n[time]\r\nt-end = 0.1\r\ndt = 0.05\r\n[forces]\r\n"
                                    "eps = 0.1 # long\r\ntheta = 0.9\r\nquiet = true\r\n[tree]\r\ngroup-size = 48\r\nleaf-size = 12\r\n")
    out = chamomile(folder, "run", "plummer.hdf5", "--config", "run.ini", "--theta", 0.5, "--set", "tree.leaf-size=8", "-o", "ini")
    check(out == "", f"--quiet prints: {out}")
    text = chamomile(folder, "info", "ini/snapshot_001.hdf5")
    check("theta: 0.5" in text and "eps: 0.1" in text, "the file of options is not read, or overrides the command line")
    check("tree.group-size=48" in text and "tree.leaf-size=8" in text, "settings of the file are not read, or win over the command line")

    shown = {"moments": "forces: tree, tolerance 0.001", "minimum-distance": "forces: tree, minimum-distance, theta 0.6",
             "geometric": "forces: tree, geometric, theta 0.6", "relative": "forces: tree, relative, tolerance 0.001"}
    for name, text in shown.items():
        out = chamomile(folder, "run", "plummer.hdf5", "--t-end", 0.1, "--dt", 0.1, "--eps", 0.05, "--criterion", name, "-o", name)
        check(text in re.sub(" +", " ", out.replace("forces", "forces:")), f"{name} is not named: {out}")


def adapts_its_steps(folder):
    out = chamomile(folder, "run", "--model", "cold-sphere", "-n", 500, "--seed", 3, "--t-end", 1, "--adaptive",
                    "--eta", 0.2, "--eps", 0.05, "--snapshot-every", 0.5, "-v", "-o", "adaptive")
    check("in adaptive steps, eta = 0.2" in out and "step 1 " in out, f"--verbose prints too little: {out[:500]}")
    rows = energies(folder / "adaptive")
    check([row["time"] for row in rows if row["time"] in (0, 0.5, 1)] == [0, 0.5, 1], "snapshots miss the output times")


def frames_are_as_wide_as_asked(folder):
    pixels = lambda name: read(name)[read(name).index(b"IDAT"):]  # behind the texts
    for name, width in (("narrow", ["--set", "frames.fov=4"]), ("wide", ["--set", "frames.fov=40"]), ("automatic", [])):
        chamomile(folder, "run", "plummer.hdf5", "--t-end", 0, "--dt", 0.01, "--eps", 0.05, "--frames", *width, "-o", name, "-q")
    chamomile(folder, "render", "plummer.hdf5", "--fov", 4, "-o", "four.png", "-q")
    read = lambda name: (folder / name).read_bytes()
    check(pixels("narrow/frame_000.png") == pixels("four.png"), "--set frames.fov=4 is not --fov 4")
    check(read("narrow/frame_000.png") != read("wide/frame_000.png"), "--set frames.fov has no effect")
    check(read("automatic/frame_000.png") not in (read("four.png"), read("wide/frame_000.png")), "no width is chosen without frames.fov")


def frames_have_an_interval_of_their_own(folder):
    chamomile(folder, "run", "plummer.hdf5", "--t-end", 0.2, "--dt", 0.05, "--eps", 0.05, "--frames", "--set", "frames.every=0.05",
              "--snapshot-every", 0.1, "-o", "film", "-q")
    count = lambda pattern: len(list((folder / "film").glob(pattern)))
    check((count("frame_*.png"), count("snapshot_*.hdf5")) == (5, 3), f"{count('frame_*.png')} frames")


def tells_what_steps_cost(folder):
    out = chamomile(folder, "run", "plummer.hdf5", "--t-end", 0.1, "--dt", 0.01, "--eps", 0.05, "--set", "steps.every=2", "--device", "cpu",
                    "-o", "cost")
    check("a step: build " in out and "far cells per particle" in out, f"the cost is not printed: {out}")
    rows = table(folder / "cost/steps.csv")
    check([(int(row["step"]), float(row["time"])) for row in rows] == [(k, k / 100) for k in range(0, 11, 2)], f"steps: {rows}")
    phases = [name for name in rows[0] if name.endswith(" ms")]
    check({"build ms", "moments ms", "walk ms", "results ms", "integration ms"} < set(phases), f"phases: {phases}")
    for row in rows:
        check(all(float(row[name]) > 0 for name in ("build ms", "walk ms")), f"a time is not positive: {row}")
        check(float(row["results ms"]) < float(row["walk ms"]), f"a run on the host waits for results: {row}")
        check(0 < float(row["particles"]) < 1000 and float(row["cells"]) > 0, f"pairs: {row}")
        check(float(row["other ms"]) == 0, f"a phase without a column: {row}")
        check(row["GPU busy %"] == "" or 0 < float(row["GPU busy %"]) <= 100, f"GPU: {row}")
    check(all(float(row["integration ms"]) > 0 for row in rows[1:]), "no time between the forces")
    pairs = {int(row["step"]): row["pairs"] for row in energies(folder / "cost")}
    for row in (rows[0], rows[-1]):
        mine = 1000 * (float(row["particles"]) + float(row["cells"]))
        check(abs(mine / pairs[int(row["step"])] - 1) < 1e-5, "steps.csv and energy.csv count differently")


def tunes_and_repeats_itself(folder):
    chamomile(folder, "model", "plummer", "-n", 6000, "--seed", 2, "-o", "larger.hdf5", "-q")
    common = ["--t-end", 0.04, "--dt", 0.01, "--eps", 0.05, "--snapshot-every", 0.04, "--threads", 2]
    out = chamomile(folder, "run", "larger.hdf5", *common, "--tune", "-o", "tuned")
    sizes = re.search(r"tuned +groups of (\d+), clusters of (\d+), leaves of (\d+): .*; --set tree.group-size=(\d+) --set tree.cluster-size=(\d+) --set tree.leaf-size=(\d+) repeats", out)
    check(sizes and sizes.groups()[:3] == sizes.groups()[3:], f"the tuning is not printed: {out}")
    if not sizes:
        return
    text = chamomile(folder, "info", "tuned/snapshot_001.hdf5")
    for word in (f"group_size: {sizes[1]}", f"leaf_size: {sizes[3]}", f"tree.group-size={sizes[1]} tree.cluster-size={sizes[2]} tree.leaf-size={sizes[3]}", "tune=true"):
        check(word in text, f"the snapshot lacks '{word}'")
    check(f"groups of {sizes[1]}, clusters of {sizes[2]}, leaves of {sizes[3]}" in (folder / "tuned/run.log").read_text(), "the log lacks the group sizes")
    tuned = as_text(folder, "tuned/snapshot_001.hdf5")
    for group, same in ((sizes[1], True), (str(2 * int(sizes[1])), False)):
        chamomile(folder, "run", "larger.hdf5", *common, "--set", f"tree.group-size={group}", "--set", f"tree.cluster-size={sizes[2]}", "--set", f"tree.leaf-size={sizes[3]}", "-o", "untuned", "--overwrite", "-q")
        check((as_text(folder, "untuned/snapshot_001.hdf5") == tuned) == same, f"groups of {group}: same bits is not {same}")
    out = chamomile(folder, "run", "larger.hdf5", *common, "--tune", "--set", "tree.group-size=48", "-o", "half", "-v")
    check("sizes        groups of 48, clusters of " in out, f"--tune overrides a given size: {out}")


def checks_forces(folder):
    """Compares forces.csv with `accuracy` on the snapshots, which sums differently."""
    common = ["--eps", 0.05, "--device", "cpu"]
    out = chamomile(folder, "run", "plummer.hdf5", "--t-end", 0.1, "--dt", 0.01, "--snapshot-every", 0.04, "--check-forces", 700,
                    "--set", "check-forces.every=4", *common, "-o", "checked")
    check("force errors against direct sums, measured 4 times: 99 % below" in out and "forces.csv" in out, f"no summary: {out}")
    rows = table(folder / "checked/forces.csv")
    check([(row["step"], row["targets"]) for row in rows] == [(s, "700") for s in ("0", "4", "8", "10")], f"lines: {rows}")
    for number, row in enumerate(rows):
        chamomile(folder, "accuracy", f"checked/snapshot_{number:03d}.hdf5", "--sample", 700, "--tolerance", 0.001, *common,
                  "--csv", "errors.csv", "--overwrite", "-q")
        second = table(folder / "errors.csv")[0]
        for name in ("rms", "median", "90 %", "99 %", "99.9 %", "max", "phi 99 %"):
            a, b = float(row[name]), float(second[name])
            check(abs(a / b - 1) < 6e-3, f"step {row['step']}: {name} {a}, by 'accuracy' {b}")  # three digits
    plain = as_text(folder, "checked/snapshot_003.hdf5")
    chamomile(folder, "run", "plummer.hdf5", "--t-end", 0.1, "--dt", 0.01, "--snapshot-every", 0.04, *common, "-o", "unchecked", "-q")
    check(as_text(folder, "unchecked/snapshot_003.hdf5") == plain, "--check-forces changes the run")
    check(not (folder / "unchecked/forces.csv").exists(), "forces.csv is written without --check-forces")


def keeps_an_accuracy(folder):
    chamomile(folder, "model", "plummer", "-n", 5000, "--seed", 3, "-o", "asked.hdf5", "-q")
    common = ["asked.hdf5", "--t-end", 0.1, "--dt", 0.01, "--eps", 0.01, "--device", "cpu", "--check-forces", 2500, "--set", "check-forces.every=5"]
    out = chamomile(folder, "run", *common, "--accuracy", 3e-3, "--set", "accuracy.every=5", "-o", "asked")
    repeat = re.search(r"(--accuracy 0.003 .*) repeat the run", out)
    check("99 % error at most 0.003" in out and repeat and "measured error" in out, f"the accuracy is not printed: {out}")
    steps = table(folder / "asked/steps.csv")
    check([row["step"] for row in steps if row["measured error"]] == ["0", "5", "10"], f"measured: {steps}")
    for row in table(folder / "asked/forces.csv"):
        check(0.3 * 3e-3 < float(row["99 %"]) < 3e-3, f"errors: {row}")
    text = chamomile(folder, "info", "asked/snapshot_010.hdf5")
    log = (folder / "asked/run.log").read_text()
    check(log.count("accuracy     ") == 3 and "step 5: 99 % error" in log, f"checks are not in the log: {log}")
    for word in ("accuracy: 0.003", "accuracy_percentile: 99", "measured_error: ", f"local_order: {steps and re.search(r'--local-order (.)', repeat[1])[1]}"):
        check(word in text, f"the snapshot lacks '{word}': {text}")
    limit = steps[-1]["tolerance"] or steps[-1]["theta"]
    check(re.search(rf"(tolerance|theta): {re.escape(limit)}\n", text), f"the snapshot lacks the limit {limit}: {text}")
    chamomile(folder, "run", *common, *repeat[1].split(), "--set", "accuracy.every=5", "-o", "repeated", "-q")
    check(as_text(folder, "repeated/snapshot_010.hdf5") == as_text(folder, "asked/snapshot_010.hdf5"), "the printed options do not repeat the run")
    out = chamomile(folder, "force", "asked.hdf5", "--accuracy", 1e-2, "--eps", 0.01, "-o", "f.hdf5")
    check("99 % error" in out and "repeats it" in out, f"force does not print the chosen options: {out}")
    chamomile(folder, "bench", "asked.hdf5", "--device", "cpu", "--accuracy", "1e-2,1e-3", "--eps", 0.01, "--repeat", 1, "--sample", 2500, "--csv", "asked.csv", "-q")
    for row in table(folder / "asked.csv"):
        check(0.3 < float(row["99 % error"]) / float(row["accuracy"]) < 1, f"bench --accuracy: {row}")


def keeps_an_accuracy_in_a_box(folder):
    chamomile(folder, "model", "cosmology", "--n", 16, "--box", 20, "-o", "waves.hdf5", "-q")
    chamomile(folder, "run", "waves.hdf5", "--z-end", 3, "-o", "grown", "-q")
    common = ["grown/snapshot_010.hdf5", "--z-end", 2.5, "--block-steps", "--device", "cpu", "--check-forces", 1000, "-q"]
    chamomile(folder, "run", *common, "--accuracy", 3e-3, "--set", "accuracy.every=5", "-o", "boxed")
    log = (folder / "boxed/run.log").read_text()
    repeat = re.search(r"(--accuracy 0.003 .*--set periodic.mesh=\d+.*) repeat the run", log)
    check(repeat and re.search(r"99 % error \S+ of 0.003: tree, .* r_s of \S+ cells, cut at \S+ r_s", log), f"the log does not name the choice: {log}")
    for row in table(folder / "boxed/forces.csv"):
        check(float(row["99 %"]) < 3e-3, f"errors: {row}")
    chamomile(folder, "run", *common, *repeat[1].split(), "--set", "accuracy.every=5", "--max-walltime", 1e-6, "-o", "halted")
    chamomile(folder, "run", "--restart", "halted", "--max-walltime", 1000, "-q")
    check(as_text(folder, "halted/snapshot_010.hdf5") == as_text(folder, "boxed/snapshot_010.hdf5"), "a restart with an accuracy in a box changes bits")
    note = chamomile(folder, "force", "grown/snapshot_010.hdf5", "--tolerance", 1e-4, "-o", "fine.hdf5")
    check("note: --tolerance 0.0001: mesh and cut decide, with a 99 % error of about 0.001; for a smaller one give --accuracy, or --set periodic.split=1.96 and "
          "--set periodic.cut=6.42\n" in note, f"no line on what decides: {note}")
    refused(folder, 2, "--accuracy 1e-05: needs --precision double", "force", "grown/snapshot_010.hdf5", "--accuracy", 1e-5, "--precision", "float", "-o", "g.hdf5")


def decorrelates_its_steps(folder):
    texts = {}
    for name, seed in (("smallest", []), ("seven", ["--set", "tree.decorrelate=7"]), ("seven_again", ["--set", "tree.decorrelate=7", "--threads", 1]), ("eight", ["--set", "tree.decorrelate=8"])):
        chamomile(folder, "run", "plummer.hdf5", "--t-end", 0.1, "--dt", 0.01, "--eps", 0.05, *seed, "-o", name, "-q")
        texts[name] = as_text(folder, f"{name}/snapshot_010.hdf5")
    check(texts["seven"] == texts["seven_again"], "the same seed gives different bits")
    check(len({tuple(t) for t in texts.values()}) == 3, "two seeds give the same bits")
    check("decorrelate: 7" in chamomile(folder, "info", "seven/snapshot_010.hdf5"), "the snapshot lacks the seed")


def snapshot_times(folder):
    return [float(re.search(r"^time +(\S+)", chamomile(path.parent, "info", path.name), re.M)[1]) for path in sorted(folder.glob("snapshot_*.hdf5"))]


def writes_at_listed_times(folder):
    common = ["plummer.hdf5", "--dt", 0.0625, "--eps", 0.05, "-q"]
    chamomile(folder, "run", *common, "--t-end", 0.5, "--output-times", "0.3,0,0.1:0.25:0.05", "--frames", "-o", "listed")
    check(snapshot_times(folder / "listed") == [0, 0.1, 0.15, 0.2, 0.25, 0.3, 0.5], f"listed times: {snapshot_times(folder / 'listed')}")
    check(len(list((folder / "listed").glob("frame_*"))) == 7, "frames are not with the listed snapshots")
    # Other output times on restart: from the end, and from a stop between listed times, with other times or an
    # interval.
    chamomile(folder, "run", "--restart", "listed", "--t-end", 1, "--output-times", "0.2,0.6:1:0.25,7", "-q")
    check(snapshot_times(folder / "listed")[7:] == [0.6, 0.85, 1], f"times changed at the end: {snapshot_times(folder / 'listed')}")
    for name, asked in (("stopped", ["--output-times", "0.1,0.9"]), ("regular", ["--snapshot-every", 0.25]), ("tenths", [])):
        chamomile(folder, "run", *common, "--t-end", 1, *asked, "--max-walltime", 1e-6, "-o", name)
        before = snapshot_times(folder / name)
        chamomile(folder, "run", "--restart", name, "--max-walltime", 1000, "--output-times", "0.05:0.5:0.15,0.9", "-q")
        check(snapshot_times(folder / name) == before + [t for t in (0.05, 0.2, 0.35, 0.5, 0.9, 1) if t > 0.0626 or before == [0] and t > 0.06], f"{name}: {snapshot_times(folder / name)}")
    # The same list gives the bits of the uninterrupted run.
    chamomile(folder, "run", *common, "--t-end", 0.5, "--output-times", "0.1:0.4:0.1", "-o", "whole")
    chamomile(folder, "run", *common, "--t-end", 0.5, "--output-times", "0.1:0.4:0.1", "--max-walltime", 1e-6, "-o", "parts")
    chamomile(folder, "run", "--restart", "parts", "--output-times", "0.1,0.2,0.3,0.4", "--max-walltime", 1000, "-q")
    check(as_text(folder, "whole/snapshot_005.hdf5") == as_text(folder, "parts/snapshot_005.hdf5"), "a list given again on restart changes bits")
    whole, out = ["run", *common, "-o", "x", "--t-end", 1], chamomile(folder, "run", "plummer.hdf5", "--eps", 0.05, "--t-end", "0.0625", "--dt", "0.062501", "--snapshot-every", 1, "-o", "last")
    check("1 step in" in out, f"a step longer than the run by rounding: {out}")
    for words, line in ((["--output-times", "2"], "--output-times: 2: must be between the start at 0 and the end at 1"),
                        (["--output-times", "-0.1"], "--output-times: -0.1: must be between"), (["--output-times", "a"], "--output-times: a: must be a number"),
                        (["--output-times", "0:1"], "--output-times: 0:1: must be FIRST:LAST:STEP"),
                        (["--output-times", "1:0:0.1"], "--output-times: 1:0:0.1: STEP does not lead from FIRST to LAST"),
                        (["--output-times", "0:1:0"], "--output-times: 0:1:0: STEP does not lead"), (["--output-times", "0:1:1e-9"], "at most 1e6 numbers"),
                        (["--output-times", "0.5", "--snapshot-every", "0.1"], "--snapshot-every: contradicts --output-times"),
                        (["--output-times", "0,,1"], "--output-times: .empty.: must be a number"), (["--output-times", "1Myr"], "--output-times: 1Myr: has a unit, but")):
        refused(folder, 2, line, *whole, *words)


def moves_gas_if_told(folder):
    (folder / "gas.txt").write_text("# types: 0*1 1*1\n1 0 0 0 0 0 0 1\n1 1 0 0 0 0 0 2\n")
    out = chamomile(folder, "run", "gas.txt", "--t-end", 0.1, "--dt", 0.1, "--eps", 0.05, "--collisionless-gas", "-o", "gas")
    check("1 gas particles are moved by gravity alone" in out, f"no note about gas: {out}")


def reports_a_full_disk(folder):
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (50000, 50000))  # a snapshot needs more
    done = run(folder, "run", "plummer.hdf5", "--t-end", "1", "--dt", "0.1", "--eps", "0.05", "-o", "full", preexec_fn=limit)
    check(done.returncode == 4 and len(done.stderr.splitlines()) == 1, f"full disk: {done.returncode} {done.stderr}")
    check("snapshot_000.hdf5" in done.stderr, f"full disk: the file is not named: {done.stderr}")
    check(sorted(p.name for p in (folder / "full").iterdir()) == ["energy.csv", "run.log", "steps.csv"], "a broken snapshot remains")
    check("error: " in (folder / "full/run.log").read_text(), "the log lacks the error")


run_parts("the run is as it should be", evolves_a_model, keeps_how_it_was_made, repeats_itself, takes_what_the_file_states, reads_a_configuration, adapts_its_steps,
          frames_are_as_wide_as_asked, frames_have_an_interval_of_their_own, tells_what_steps_cost, checks_forces, keeps_an_accuracy, keeps_an_accuracy_in_a_box, decorrelates_its_steps,
          tunes_and_repeats_itself, writes_at_listed_times, moves_gas_if_told, reports_a_full_disk)
