#!/usr/bin/env python3
"""Tests every command with every input and output file: no output may replace an input, through any path."""
import os
import pathlib
import re
import shutil
import sys
import tempfile

from bad_inputs import gadget
from program import end, failures, fingerprint, run

RUN = "--t-end 0.02 --dt 0.01 --eps 0.1"
BOX = "model cosmology --n 4 --box 10 --z-start 9"

# Command, input files, outputs as (option, required ending); "" is the last argument.
PRODUCT = [
    ("convert one.hdf5", ["one.hdf5"], [("", ".txt"), ("", ".hdf5"), ("", ".gadget2"), ("", ".tipsy")]),
    ("convert piece.hdf5", ["piece.hdf5", "piece.1.hdf5"], [("", ".txt"), ("--files 2", ".hdf5")]),
    ("convert piece.0.hdf5", ["piece.0.hdf5", "piece.1.hdf5"], [("", ".txt"), ("", ".hdf5")]),
    ("convert part.1.gadget2", ["part.0.gadget2", "part.1.gadget2"], [("", ".txt"), ("", ".hdf5")]),
    ("force one.hdf5 --eps 0.1", ["one.hdf5"], [("-o", ".hdf5"), ("-o", ".txt")]),
    ("force piece.0.hdf5 --eps 0.1", ["piece.0.hdf5", "piece.1.hdf5"], [("-o", ".hdf5")]),
    ("convert one.hdf5 --ids ids.txt", ["ids.txt"], [("", ".txt")]),
    ("force one.hdf5 --eps 0.1 --ids ids.txt", ["ids.txt"], [("-o", ".txt")]),
    ("profile one.hdf5 --ids ids.txt", ["ids.txt"], [("-o", ".txt")]),
    ("render one.hdf5 --size 16 --ids ids.txt --path orbit.csv", ["ids.txt", "orbit.csv"], [("-o", ".png")]),
    ("bound one.hdf5 piece.0.hdf5 --eps 0.1 --ids ids.txt", ["one.hdf5", "piece.1.hdf5", "ids.txt"], [("-o", ".txt"), ("--bound-ids", ".txt")]),
    ("join piece.0.hdf5 one.hdf5", ["piece.0.hdf5", "piece.1.hdf5", "one.hdf5"], [("-o", ".hdf5"), ("-o", ".txt")]),
    ("force part.0.gadget2 --eps 0.1", ["part.0.gadget2", "part.1.gadget2"], [("-o", ".gadget2")]),
    ("halos piece.1.hdf5 --length 0.1", ["piece.0.hdf5", "piece.1.hdf5"], [("-o", ".hdf5"), ("-o", ".txt"), ("--mass-function", ".txt")]),
    ("halos box.hdf5 --fits --linear-power power.txt", ["box.hdf5", "power.txt"], [("--mass-function", ".txt")]),
    ("halos box.hdf5 --fits --linear-power power.txt --mass-function new.txt", ["box.hdf5", "power.txt"], [("-o", ".txt")]),
    ("halos box.hdf5 --fits --transfer-table power.txt --mass-function new.txt", ["power.txt"], [("-o", ".txt")]),
    ("power piece.0.hdf5 --box 9", ["piece.0.hdf5", "piece.1.hdf5"], [("-o", ".txt")]),
    ("power box.hdf5 --fits --linear-power power.txt", ["box.hdf5", "power.txt"], [("-o", ".txt")]),
    ("power box.hdf5 --fits --transfer-table power.txt", ["power.txt"], [("-o", ".txt")]),
    ("render piece.0.hdf5 --size 16", ["piece.0.hdf5", "piece.1.hdf5"], [("-o", ".png"), ("-o new.png --data", ".npy")]),
    ("render one.hdf5 piece.0.hdf5 --size 16 -o", ["one.hdf5", "piece.1.hdf5"], [("", "_001.png")]),
    ("accuracy piece.0.hdf5 --eps 0.1", ["piece.0.hdf5", "piece.1.hdf5"], [("--csv", ".csv"), ("--hdf5", ".hdf5")]),
    ("accuracy rows.txt --eps 0.1", ["rows.txt"], [("--csv", ".txt"), ("--hdf5", ".hdf5")]),
    ("bench piece.0.hdf5 --eps 0.1 --repeat 1", ["piece.0.hdf5", "piece.1.hdf5"], [("--csv", ".csv")]),
    ("pairs --law law.txt --sources points.txt --targets places.txt", ["law.txt", "points.txt", "places.txt"], [("-o", ".txt")]),
    ("model plummer -n 9", [], [("-o", ".hdf5")]),
    ("model plummer -n 9 --imf ./imf.txt", ["imf.txt"], [("-o", ".txt")]),
    (f"{BOX} --transfer power-table --table power.txt", ["power.txt"], [("-o", ".hdf5")]),
    # Results that lie in a folder, each under its name.
    *[(f"run {file} {RUN}", [*files], [("-o folder", name) for name in
       ("run.log", "energy.csv", "steps.csv", "forces.csv", "snapshot_000.hdf5", "snapshot_000.1.hdf5", "frame_000.png", "power_000.txt", "halos_000.hdf5", "checkpoint_000000002.chk", "stop")])
      for file, files in (("one.hdf5", ["one.hdf5"]), ("piece.0.hdf5", ["piece.1.hdf5"]))],
    (f"run one.hdf5 --parameters gadget.param {RUN}", ["gadget.param", "times.lst"],
     [("-o folder", name) for name in ("run.log", "energy.csv", "snapshot_000.hdf5", "profile_000.csv", "mass_function_000.txt")]),
    (f"run one.hdf5 --bound --set bound.ids=ids.txt {RUN}", ["ids.txt"], [("-o folder", name) for name in ("bound.csv", "cluster.csv", "escapers.csv", "binaries.csv", "encounters.csv")]),
    (f"run one.hdf5 --tracers piece.0.hdf5 {RUN}", ["piece.0.hdf5", "piece.1.hdf5"], [("-o folder", name) for name in ("run.log", "energy.csv", "snapshot_000.hdf5")]),
    (f"run one.hdf5 --track ids.txt {RUN}", ["ids.txt"], [("-o folder", name) for name in ("run.log", "track.csv", "snapshot_000.hdf5")]),
    (f"run one.hdf5 --frames --set frames.path=orbit.csv {RUN}", ["orbit.csv"], [("-o folder", "frame_000.png")]),
    ("run --restart folder --t-end 0.03", [], [("-o folder", name) for name in ("run.log", "energy.csv", "steps.csv", "snapshot_007.hdf5", "checkpoint-now")]),
]
# Two outputs of one command in one file.
BOTH = ["bound one.hdf5 --eps 0.1 -o new.txt --bound-ids ./new.txt", "accuracy rows.txt --eps 0.1 --csv new.txt --hdf5 ./new.txt", "halos one.hdf5 --length 0.1 -o new.txt --mass-function link/new.txt"]
# Options whose help names a file or folder; a new one needs a row above.
KNOWN = {"config", "output", "mass-function", "linear-power", "transfer-table", "data", "csv", "hdf5", "law", "sources", "targets", "table", "restart", "parameters", "tracers", "ids", "bound-ids", "imf", "track", "path"}


def made(folder, line):
    done = run(folder, *line.split())
    if done.returncode != 0:
        sys.exit(f"{line}: {done.stderr}")


def write_inputs(folder):
    rows = "".join(f"0.1 {i % 3} {i % 5} {i % 7 + i / 100} 0 0 0 {i + 1}\n" for i in range(20))
    texts = {"rows.txt": rows, "imf.txt": "1 2\n2 1\n", "orbit.csv": "x,y,z\n0,0,0\n1,1,1\n", "ids.txt": "".join(f"{i + 1}\n" for i in range(20)), "options.ini": "threads = 1\n", "gadget.param": "TimeMax 0.02\nOutputListOn 1\nOutputListFilename times.lst\n", "times.lst": "0.01\n", "power.txt": "".join(f"{k} {1e6 * k / (1 + (50 * k) ** 3.4)}\n" for k in (10 ** (n / 9 - 4) for n in range(60))),
             "law.txt": "target x\nsource y m\nsum s\ns += m * (x - y)\n", "points.txt": "# columns: x y m\n1 2 3\n4 5 6\n", "places.txt": "# columns: x\n1\n2\n"}
    for name, text in texts.items():
        (folder / name).write_text(text)
    (folder / "link").symlink_to(".")
    for number in range(2):
        (folder / f"part.{number}.gadget2").write_bytes(gadget(20, 20, files=2, totals=[0, 40, 0, 0, 0, 0]))
    data = (folder / "part.1.gadget2").read_bytes()
    ids = data.index(b"ID  ") + 16
    (folder / "part.1.gadget2").write_bytes(data[:ids] + b"".join((i + 21).to_bytes(4, sys.byteorder) for i in range(20)) + data[ids + 80:])
    made(folder, "convert rows.txt one.hdf5 -q")
    made(folder, "model cosmology --n 4 --box 100 --z-start 9 -o box.hdf5 -q")
    made(folder, f"run one.hdf5 {RUN} --checkpoint-every 1 -o source -q")
    made(folder, "convert rows.txt piece.hdf5 --files 2 -q")


def ways(folder, file, ending):
    """Returns names that lead to the file: directly, if the ending fits, and through links."""
    if file.endswith(ending):
        yield file
        yield f"link/{file}"
    target = folder / ("other" + ending)
    for make in (os.symlink, os.link):
        make(file if make is os.symlink else folder / file, target)
        yield "other" + ending.removeprefix("_001")
        target.unlink(missing_ok=True)


def complaints(folder, words, before, statuses, what):
    done = run(folder, *words)
    lines = done.stderr.splitlines()
    if done.returncode not in statuses or len(lines) != 1 or not re.search("is the input|would remove the input|is the file of", lines[0]):
        failures.append(f"{what}: status {done.returncode}: {lines}")
    after = fingerprint(folder)
    if after != before:
        failures.append(f"{what}: changed: {sorted(name for name, _ in after.items() ^ before.items())}")


def try_in_folder(folder, command, files, outputs):
    for file in files:
        for option, name in outputs:
            shutil.rmtree(folder / "folder", ignore_errors=True)
            if "--restart" in command:
                shutil.copytree(folder / "source", folder / "folder")
            else:
                (folder / "folder").mkdir()
            (folder / "folder" / name).unlink(missing_ok=True)
            os.link(folder / file, folder / "folder" / name)
            more = [] if "--restart" in command else ["--overwrite"]
            config = ["--config", file] if file == "options.ini" else []
            complaints(folder, [*command.split(), *option.split(), *more, *config], fingerprint(folder), {4}, f"{command}: {file} as folder/{name}")
    shutil.rmtree(folder / "folder", ignore_errors=True)


def main():
    cases = 0
    with tempfile.TemporaryDirectory() as name:
        folder, whole = pathlib.Path(name, "here"), pathlib.Path(name, "whole")
        folder.mkdir()
        write_inputs(folder)
        shutil.copytree(folder, whole, symlinks=True)
        before = fingerprint(folder)
        for command, inputs, outputs in PRODUCT:
            files = [*inputs, "options.ini"]
            if outputs[0][0] == "-o folder":
                cases += len(files) * len(outputs)
                try_in_folder(folder, command, files, outputs)
                continue
            for file in files:
                for option, ending in outputs:
                    for target in ways(folder, file, ending):
                        there = fingerprint(folder)
                        config = ["--config", file] if file == "options.ini" else []
                        words = [*command.split(), *option.split(), target, "--overwrite", *config]
                        complaints(folder, words, there, {2, 4}, f"{' '.join(words)} ({file})")
                        cases += 1
                        if fingerprint(folder) != before:
                            shutil.rmtree(folder)
                            shutil.copytree(whole, folder, symlinks=True)
        for line in BOTH:
            complaints(folder, [*line.split(), "--overwrite"], before, {2}, line)
        for command in ("accuracy", "bench", "bound", "convert", "force", "halos", "info", "join", "pairs", "power", "render", "run", "model plummer", "model cosmology", "model galaxy",
                        "model merger"):
            text = run(folder, *command.split(), "--help-all").stdout
            options = set(re.findall(r"--([\w-]+)(?: \])? \S*(?:FILE|FOLDER|IMAGE)", text))
            if options - KNOWN or not options:
                failures.append(f"{command}: options that name files and are not tested here: {sorted(options - KNOWN)}")
    print(f"{cases} pairs of an input and an output")
    end("every input was kept")


main()
