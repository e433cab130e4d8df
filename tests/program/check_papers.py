#!/usr/bin/env python3
"""Checks the program papers: it builds, its tables show the papers' figures next to ours, and unknown words are
refused.
"""
import contextlib
import csv
import os
import pathlib
import pty
import subprocess
import sys
import tempfile

BUILD = pathlib.Path(sys.argv[2]).resolve().parent
PAPERS = BUILD / "papers"
failures = []


def check(condition, what):
    if not condition:
        failures.append(what)


def papers(folder, *arguments):
    return subprocess.run([PAPERS, *arguments], cwd=folder, capture_output=True, text=True, timeout=120)


def errors_of_direct_sums(folder):
    done = papers(folder, "chamomile", "-n", "2048,3000", "--device", "cpu", "--csv", "paper.csv")
    with open(folder / "paper.csv") as file:
        rows = list(csv.DictReader(file))
    check([(row["N"], row["precision"], row["paper: plain sum"]) for row in rows] ==
          [("2048", "float", "2.2e-06"), ("2048", "double", "2.2e-06"), ("3000", "float", "-"), ("3000", "double", "-")], f"rows {done}")
    for row in rows:
        plain, ours = float(row["here: plain sum"]), float(row["ours"])
        check(1e-6 < plain < 5e-6, f"plain sum in float: {plain}, the paper has 2.2e-6")
        check(0 < ours < (1e-6 if row["precision"] == "float" else 1e-13) and ours < plain, f"ours: {ours}")
        check(0 < float(row["ours 99 %"]) <= (3e-7 if row["precision"] == "float" else 1e-13), f"our error at the 99th percentile: {row['ours 99 %']}")


def signs_of_life(folder):
    table = subprocess.Popen([PAPERS, "cunbody", "--device", "cpu"], cwd=folder, stdout=subprocess.PIPE, text=True)
    lines = [table.stdout.readline() for _ in range(4)]
    table.kill()
    table.communicate()
    check(lines[0].startswith("chamomile ") and "Hamada" in lines[1] and "measuring gravity" in lines[2] and "2048 particles" in lines[2], f"cunbody: {lines}")
    ours, theirs = pty.openpty()
    command = ["chamomile", "-n", "300", "--device", "cpu"]
    done = subprocess.run([PAPERS, *command], cwd=folder, stdout=theirs, stderr=subprocess.PIPE, text=True, timeout=60)
    os.close(theirs)
    shown = ""
    with contextlib.suppress(OSError):  # at its end; a busy machine hands it over in pieces
        while piece := os.read(ours, 1 << 16):
            shown += piece.decode()
    os.close(ours)
    check(done.returncode == 0 and shown.startswith("\rmeasuring 300 particles\x1b[K\r\x1b[KLargest"), f"chamomile does not draw the table on a terminal: {shown!r}")
    check("measuring" not in papers(folder, *command).stdout, "chamomile writes more than the table to a file")


def refusals(folder):
    for arguments, says in (("gem", "gem: unknown command; did you mean 'gems'?; 'papers --help' lists all"),
                            ("gems -n 1000", "-n: unknown option"), ("cunbody good.txt", "good.txt: one argument too many"),
                            ("chamomile --overwrite", "--overwrite: needs --csv FILE"), ("brook --repeat 0", "--repeat: 0: must be a whole number from 1 to 1000")):
        done = papers(folder, *arguments.split())
        check(done.returncode == 2 and done.stderr.startswith("papers: error: ") and says in done.stderr, f"{arguments}: {done}")
    check(all(f"  {name} " in papers(folder, "--help").stdout for name in ("chamomile", "cunbody", "gems", "brook", "targets", "field")), "--help does not list all tables")


built = subprocess.run(["cmake", "--build", BUILD, "--target", "papers"], capture_output=True, text=True)
if built.returncode:
    sys.exit(built.stdout + built.stderr)
with tempfile.TemporaryDirectory() as name:
    for part in (errors_of_direct_sums, signs_of_life, refusals):
        part(pathlib.Path(name))
print("\n".join(failures) or "the tables of the papers are there")
sys.exit(bool(failures))
