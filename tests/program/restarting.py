"""Common to restart tests: runs in separate folders, and comparisons."""
import csv
import hashlib
import re
import subprocess
import sys

from program import PROGRAM, run as chamomile  # noqa: F401


def start(folder, *arguments):
    return subprocess.Popen([PROGRAM, *map(str, arguments)], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def digests(folder):
    """Returns digests of every file by name; for checkpoints by numbers only, because they contain the command. Their
    parts depend on the number of ranks.
    """
    return {path.name: "" if ".chk" in path.name else hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(folder.iterdir()) if path.name not in ("run.log", "steps.csv") and not is_part(path)}


def steps(folder):
    """Returns step data from steps.csv, without timings."""
    with open(folder / "steps.csv", newline="") as file:
        rows = list(csv.reader(file))
    last = next((k for k, name in enumerate(rows[0]) if name == "GPU busy %"), None)
    return [row[:last] for row in rows]


def checkpoints(folder):
    return sorted(folder.glob("checkpoint_*.chk"))


def is_part(path):
    return re.fullmatch(r"checkpoint_\d+\.chk\.\d+\.\d+", path.name) is not None


def parts(folder, checkpoint=None):
    """Returns the parts of a checkpoint, or of all."""
    return [path for path in sorted(folder.iterdir()) if is_part(path) and (not checkpoint or path.name.startswith(checkpoint.name))]


def differences(found, expected, older_checkpoints=True):
    """Returns a line for each difference between two run folders. A rescued run may have other checkpoints before its
    last.
    """
    a, b = digests(found), digests(expected)
    if not older_checkpoints:
        for folder, names in ((found, a), (expected, b)):
            for path in checkpoints(folder)[:-1]:
                del names[path.name]
    lines = [f"{name}: {'differs' if name in a and name in b else 'is missing' if name in b else 'is left over'}"
             for name in sorted(a.keys() | b.keys()) if a.get(name) != b.get(name)]
    if steps(found) != steps(expected):
        lines.append("steps.csv: other steps")
    return lines


def blocks_of(checkpoint):
    """Returns (name, head offset, content offset, bytes) for each block, read without the program."""
    data = checkpoint.read_bytes()
    offset = 64
    while offset < len(data):
        head = data[offset:offset + 64]
        length = int.from_bytes(head[48:56], sys.byteorder)
        yield head[:40].rstrip(b"\0").decode(), offset, offset + 64, length
        offset += 64 + length


def said(pattern, text):
    return re.search(pattern, text) is not None
