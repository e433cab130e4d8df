"""What the tests of restarts share: runs in folders of their own, and how to compare them."""
import csv
import hashlib
import re
import subprocess
import sys

from program import PROGRAM, run as chamomile  # noqa: F401


def start(folder, *arguments):
    return subprocess.Popen([PROGRAM, *map(str, arguments)], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def digests(folder):
    """Of every file by name, checkpoints by their numbers alone: they tell the command that wrote them."""
    return {path.name: "" if ".chk" in path.name else hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(folder.iterdir()) if path.name not in ("run.log", "steps.csv")}


def steps(folder):
    """What steps.csv says of the steps, without what they took."""
    with open(folder / "steps.csv", newline="") as file:
        rows = list(csv.reader(file))
    last = next((k for k, name in enumerate(rows[0]) if name == "GPU busy %"), None)
    return [row[:last] for row in rows]


def checkpoints(folder):
    return sorted(folder.glob("checkpoint_*.chk"))


def differences(found, expected, older_checkpoints=True):
    """Between two folders of runs; a line for each. A run that was rescued may have other checkpoints before its last."""
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
    """(name, offset of its head, offset of its content, bytes) of each block; read without the program."""
    data = checkpoint.read_bytes()
    offset = 64
    while offset < len(data):
        head = data[offset:offset + 64]
        length = int.from_bytes(head[48:56], sys.byteorder)
        yield head[:40].rstrip(b"\0").decode(), offset, offset + 64, length
        offset += 64 + length


def said(pattern, text):
    return re.search(pattern, text) is not None
