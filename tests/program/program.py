"""Common to scripts that run the program: calls in a folder, output files, and a list of failures."""
import contextlib
import csv
import hashlib
import importlib.util
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zlib

ROOT = pathlib.Path(sys.argv[1]).resolve()
PROGRAM = str(pathlib.Path(sys.argv[2]).resolve())
SYSTEM_PYTHON = "/usr/bin/python3"  # location of Debian's h5py
failures = []


def need(*modules, skip=True):
    """Restarts with the system's Python if this one lacks a module. If both lack it, exits as skipped, or continues."""
    if lacking := [name for name in modules if not importlib.util.find_spec(name)]:
        if os.path.realpath(sys.executable) != os.path.realpath(SYSTEM_PYTHON) and os.path.exists(SYSTEM_PYTHON):
            os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON] + sys.argv)
        if skip:
            print(f"skipped: no {' or no '.join(lacking)}")
            sys.exit(77)


def check(condition, what):
    """Records a failure unless `condition` holds; returns the condition."""
    if not condition:
        failures.append(what)
    return condition


@contextlib.contextmanager
def busy_cores():
    """Runs two other programs per core in the background."""
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 * os.cpu_count())]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def run(folder, *words, **more):
    """Runs the program in a folder, like subprocess.run."""
    return subprocess.run([PROGRAM, *map(str, words)], **{"cwd": folder, "capture_output": True, "text": True, "timeout": 300, **more})


def chamomile(folder, *words, status=0):
    """Runs the program and checks its exit status. Returns standard output, or on failure standard error."""
    done = run(folder, *words)
    check(done.returncode == status, f"{' '.join(map(str, words))}: status {done.returncode}: {done.stderr}")
    return done.stderr if status else done.stdout


def refused(folder, status, line, *words):
    """The command must fail with this status and one line that contains or matches these words, without changing files."""
    before = fingerprint(folder)
    done = run(folder, *words)
    name = " ".join(map(str, words))
    check(done.returncode == status, f"{name}: exit status {done.returncode}, not {status}")
    check(done.stderr.count("\n") == 1 and done.stderr.startswith("chamomile: error: ") and (line in done.stderr or re.search(line, done.stderr)),
          f"{name}: said {done.stderr!r}, not {line!r}")
    check(fingerprint(folder) == before, f"{name}: changed {sorted(name for name, _ in fingerprint(folder).items() ^ before.items())}")


def fingerprint(folder):
    """Returns the content of every readable file below the folder."""
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() if p.is_file() and os.access(p, os.R_OK) else "other"
            for p in sorted(folder.rglob("*")) if not p.is_symlink()}


def table(path):
    """Returns the rows of a CSV file, by heading without unit."""
    with open(path, newline="") as file:
        return [{name.partition(" [")[0]: value for name, value in row.items()} for row in csv.DictReader(file)]


def picture(path):
    """Returns pixel rows and texts of a PNG file."""
    data, at, body, texts = path.read_bytes(), 8, b"", {}
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        chunk = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height = struct.unpack(">II", chunk[:8])
        elif kind == b"IDAT":
            body += chunk
        elif kind == b"tEXt":
            name, text = chunk.decode("latin-1").split("\0")
            texts[name] = text
        at += length + 12
    raw, before, rows = zlib.decompress(body), bytearray(3 * width), []
    for y in range(height):
        kind, line = raw[y * (3 * width + 1)], bytearray(raw[y * (3 * width + 1) + 1:(y + 1) * (3 * width + 1)])
        for k in range(len(line)):
            a, b, c = line[k - 3] if k > 2 else 0, before[k], before[k - 3] if k > 2 else 0
            nearest = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
            line[k] = (line[k] + (0, a, b, (a + b) // 2, nearest)[kind]) % 256
        rows.append([tuple(line[k:k + 3]) for k in range(0, 3 * width, 3)])
        before = line
    return rows, texts


def without_comments(text):
    return [line for line in text.splitlines() if not line.startswith("#")]


def rows(text):
    """Returns the numbers in a text, row by row."""
    return [[float(word) for word in line.split()] for line in without_comments(text)]


def energies(folder):
    """Returns the rows of a run's energy.csv."""
    return [{key: float(value) for key, value in row.items()} for row in table(folder / "energy.csv")]


def as_text(folder, name):
    """Returns a snapshot's rows as text with all digits, without provenance comments."""
    chamomile(folder, "convert", name, "rows.txt", "-q", "--overwrite")
    return without_comments((folder / "rows.txt").read_text())


def call(*words, **more):
    """Runs another command and returns its output; a failure ends the test."""
    done = subprocess.run([str(w) for w in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600, **more)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}\n{done.stdout}")
    return done.stdout


def installed(folder):
    """Returns the prefix with an installation of this build: the one of check_installed.py, or one in the folder if a script runs alone."""
    if prefix := os.environ.get("CHAMOMILE_INSTALLED"):
        return pathlib.Path(prefix)
    prefix = pathlib.Path(folder, "prefix")
    call("cmake", "--install", pathlib.Path(PROGRAM).parent, "--prefix", prefix)
    return prefix


def end(line):
    """Ends the test with its failures, or with this line."""
    print("\n".join(failures) or line)
    sys.exit(bool(failures))


def children(text, title):
    """Returns the names listed under a title in a help text."""
    part = re.search(rf"^{title}:\n((?:  .*\n)+)", text, re.M)
    return re.findall(r"^  (\S+)", part[1], re.M) if part else []


def run_parts(line, *parts):
    """Runs each part, or the parts named after the program, in one folder, and ends the test."""
    named = [part for part in parts if part.__name__ in sys.argv[3:]]
    with tempfile.TemporaryDirectory() as name:
        for part in named or parts:
            part(pathlib.Path(name))
    end(line)
