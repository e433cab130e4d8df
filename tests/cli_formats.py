#!/usr/bin/env python3
"""Runs `info` and `convert`: what they print, and that bad input gives one line, its exit status and
no file."""
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

program = os.path.abspath(sys.argv[2])
USAGE, INPUT, OUTPUT = 2, 3, 4
failures = []


def run(folder, *arguments):
    return subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True)


def content(folder):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir() if path.is_file()}


def expect_refused(folder, arguments, status, line):
    before = content(folder)
    result = run(folder, *arguments)
    where = " ".join(arguments)
    if result.returncode != status:
        failures.append(f"{where}: exit status {result.returncode} instead of {status}")
    if result.stderr.count("\n") != 1 or not re.search(line, result.stderr):
        failures.append(f"{where}: printed {result.stderr!r} instead of one line like {line!r}")
    if result.stdout or content(folder) != before:
        failures.append(f"{where}: printed or wrote something else")


def expect_printed(folder, arguments, *lines):
    result = run(folder, *arguments)
    if result.returncode != 0 or result.stderr:
        failures.append(f"{' '.join(arguments)}: {result.returncode}, {result.stderr!r}")
    for line in lines:
        if not re.search(line, result.stdout, re.MULTILINE):
            failures.append(f"{' '.join(arguments)}: no {line!r} in\n{result.stdout}")


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "two.txt").write_text("# time: 1.5\n1 -1 0 0  0 0.5 0\n3 1 0 0  0 -0.5 0\n")
    (folder / "none.txt").write_text("# nothing\n")
    (folder / "nan.txt").write_text("1 0 0 0 0 0 0\n1 0 nan 0 0 0 0\n")
    (folder / "letters.txt").write_text("1 0 0 0\n1 0 zero 0\n")
    (folder / "negative.txt").write_text("1 0 0 0\n-1 1 0 0\n")
    (folder / "empty.hdf5").write_bytes(b"")
    (folder / "folder").mkdir()
    os.mkfifo(folder / "pipe")

    expect_printed(folder, ["info", "two.txt"], r"^format +text columns$", r"^time +1.5$",
                   r"^units +N-body units \(G = 1\)$", r"^particles +2$", r"^centre of mass +0.5  0  0$",
                   r"1  halo +2 +4 +1 +3$")
    expect_printed(folder, ["info", "none.txt"], r"^particles +0$")
    for name in ("two.hdf5", "two.gadget2", "two.tipsy", "again.txt"):
        expect_printed(folder, ["convert", "two.txt", name], rf"^{name}: 2 particles from text columns$")
        expect_printed(folder, ["info", name], r"^time +1.5$", r"^G +1$", r"^centre of mass +0.5  0  0$")
    expect_printed(folder, ["convert", "two.hdf5", "again.txt", "--overwrite"], "^again.txt: 2 particles from HDF5")
    expect_printed(folder, ["info", "again.txt"], "converted: by chamomile .* from two.hdf5")
    whole = (folder / "two.hdf5").read_bytes()
    (folder / "cut.hdf5").write_bytes(whole[: len(whole) // 2])

    for arguments, status, line in [
        (["info"], USAGE, "FILE"),
        (["info", "two.txt", "--thetaa"], USAGE, "thetaa"),
        (["info", "missing.hdf5"], INPUT, "missing.hdf5: file: No such file"),
        (["info", "folder"], INPUT, "folder: file: a folder"),
        (["info", "pipe"], INPUT, "pipe: file: not a regular file"),
        (["info", "empty.hdf5"], INPUT, "empty.hdf5: size: 0 bytes"),
        (["info", "cut.hdf5"], INPUT, r"cut.hdf5: size: \d+ bytes: truncated: the file states \d+ bytes"),
        (["info", "nan.txt"], INPUT, r"nan.txt: particle 1 \(id 2\), position y: nan: must be finite"),
        (["info", "letters.txt"], INPUT, r"letters.txt: line 2, column 3 \(y\): zero: must be a number"),
        (["info", "negative.txt"], INPUT, r"negative.txt: particle 1 \(id 2\), mass: -1"),
        (["convert", "two.txt"], USAGE, "OUT"),
        (["convert", "two.txt", "new.fits"], USAGE, r"new.fits: extension: '.fits': .hdf5"),
        (["convert", "two.txt", "two.hdf5"], OUTPUT, "two.hdf5: exists: give --overwrite"),
        (["convert", "nan.txt", "two.hdf5", "--overwrite"], INPUT, "nan.txt: particle 1"),
        (["convert", "two.txt", "nowhere/new.hdf5"], OUTPUT, "nowhere/new.hdf5: the folder nowhere does not exist"),
        (["convert", "two.txt", "folder", "--overwrite"], USAGE, "folder: extension"),
    ]:
        expect_refused(folder, arguments, status, line)

print("\n".join(failures) or "info and convert keep their word")
sys.exit(bool(failures))
