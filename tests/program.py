"""What the scripts share that run the program: calls in a folder, files that it wrote, and a list of what was wrong."""
import csv
import hashlib
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(sys.argv[1]).resolve()
PROGRAM = str(pathlib.Path(sys.argv[2]).resolve())
SYSTEM_PYTHON = "/usr/bin/python3"  # Debian's h5py lives there
failures = []


def need(*modules, skip=True):
    """Goes on with the system's Python where this one lacks a module, and where both do ends as skipped, or goes on."""
    if lacking := [name for name in modules if not importlib.util.find_spec(name)]:
        if os.path.realpath(sys.executable) != os.path.realpath(SYSTEM_PYTHON) and os.path.exists(SYSTEM_PYTHON):
            os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON] + sys.argv)
        if skip:
            print(f"skipped: no {' or no '.join(lacking)}")
            sys.exit(77)


def check(condition, what):
    """Notes what is wrong, and returns whether it was right."""
    if not condition:
        failures.append(what)
    return condition


def run(folder, *words, **more):
    """Runs the program in the folder, as subprocess.run does."""
    return subprocess.run([PROGRAM, *map(str, words)], **{"cwd": folder, "capture_output": True, "text": True, "timeout": 300, **more})


def chamomile(folder, *words, status=0):
    """Runs the program, which must end with this status, and returns what it prints: of a failure its error."""
    done = run(folder, *words)
    check(done.returncode == status, f"{' '.join(map(str, words))}: status {done.returncode}: {done.stderr}")
    return done.stderr if status else done.stdout


def refused(folder, status, line, *words):
    """The command must fail with this status and with one line that holds these words or matches them, and change no file."""
    before = fingerprint(folder)
    done = run(folder, *words)
    name = " ".join(map(str, words))
    check(done.returncode == status, f"{name}: exit status {done.returncode}, not {status}")
    check(done.stderr.count("\n") == 1 and done.stderr.startswith("chamomile: error: ") and (line in done.stderr or re.search(line, done.stderr)),
          f"{name}: said {done.stderr!r}, not {line!r}")
    check(fingerprint(folder) == before, f"{name}: changed {sorted(name for name, _ in fingerprint(folder).items() ^ before.items())}")


def fingerprint(folder):
    """The content of every file below the folder that can be read."""
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() if p.is_file() and os.access(p, os.R_OK) else "other"
            for p in sorted(folder.rglob("*")) if not p.is_symlink()}


def table(path):
    """The rows of a CSV file, by headings without their units."""
    with open(path, newline="") as file:
        return [{name.partition(" [")[0]: value for name, value in row.items()} for row in csv.DictReader(file)]


def without_comments(text):
    return [line for line in text.splitlines() if not line.startswith("#")]


def rows(text):
    """The numbers of a text, row by row."""
    return [[float(word) for word in line.split()] for line in without_comments(text)]


def energies(folder):
    """The rows of the energies of a run."""
    return [{key: float(value) for key, value in row.items()} for row in table(folder / "energy.csv")]


def as_text(folder, name):
    """The rows of a snapshot, all digits, without the comments that tell how it was made."""
    chamomile(folder, "convert", name, "rows.txt", "-q", "--overwrite")
    return without_comments((folder / "rows.txt").read_text())


def call(*words, **more):
    """Runs another command and returns what it prints; one that fails ends the test."""
    done = subprocess.run([str(w) for w in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600, **more)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}\n{done.stdout}")
    return done.stdout


def end(line):
    """Ends the test by its failures, or by this line."""
    print("\n".join(failures) or line)
    sys.exit(bool(failures))


def run_parts(line, *parts):
    """Runs each part in one folder of all, and ends the test."""
    with tempfile.TemporaryDirectory() as name:
        for part in parts:
            part(pathlib.Path(name))
    end(line)
