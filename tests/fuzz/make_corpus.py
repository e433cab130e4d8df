#!/usr/bin/env python3
"""Writes seeds for the fuzz targets: make_corpus.py PROGRAM FOLDER. Small files in every format, made by the program."""
import math
import pathlib
import shutil
import struct
import subprocess
import sys

LAWS = {
    "gravity": "target position x y z\nsource position x y z, m\nparameter eps = 0.1\nsum ax ay az, phi\n"
               "u = 1 / sqrt(r2 + eps^2)\nax += m * dx * u^3\nphi -= m * u\n",
    "words": "target a\nsource b\nsum s\ns += (a - b)^2 * exp(-a) + max(a, b) - 1.5e-3\n",
}
CONFIGS = {"plain": "# a run\n[forces]\ntheta = 0.5\neps=0.1 # long\nquiet = true\n", "odd": "\ufeffa = b = c\r\n[x\n=\n"}
TABLES = {"second": "B# k P\n1e-3 2.5\n0.01 30\n0.1 9e1\n1 0.5\n", "camb": "C" + "".join(f"{10.**k} 1 1 1 1 1 {2.**-k}\n" for k in range(-4, 1)),
          "columns": "A# columns: m x y\n1 0.5, -2e-3\n2\t1 3e0\n", "two": "B1e-4 -3\n1e-3 -2\n1e-2 -1\n1 -1e-7\n"}

OWN = "Host: 127.0.0.1:8080\r\nX-Chamomile-Token: " + 32 * "a" + "\r\n"
REQUESTS = {"page": "GET / HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n\r\n",
            "frame": f"GET /frame?after=1&points=100&types=63&box=1,2.5,-3e2,4 HTTP/1.1\r\n{OWN}Origin: http://127.0.0.1:8080\r\n\r\n",
            "all": f"GET /frame?after=0&points=99999999&types=5 HTTP/1.1\r\n{OWN}\r\n",
            "pace": f"POST /do/pace?number=0.5 HTTP/1.1\r\n{OWN}Content-Length: 0\r\n\r\n",
            "body": f"POST /do/stop HTTP/1.1\r\n{OWN}Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"}


def nemo(n=3):
    """Returns a NEMO snapshot with n particles."""
    def head(word, kind, tag):
        return struct.pack("<H", word) + kind + b"\0" + tag + b"\0"

    def array(kind, tag, *dimensions):
        size = {b"d": 8, b"i": 4}[kind] * math.prod(dimensions)
        return head(0x0B92, kind, tag) + struct.pack(f"<{len(dimensions) + 1}i", *dimensions, 0) + bytes(range(1, size + 1)).replace(b"\xff", b"\x3f")

    end = struct.pack("<H", 0x0992) + b")\0"
    return (head(0x0992, b"(", b"SnapShot") + head(0x0992, b"(", b"Parameters") + head(0x0992, b"i", b"Nobj") + struct.pack("<i", n) + end
            + head(0x0992, b"(", b"Particles") + array(b"d", b"Mass", n) + array(b"d", b"PhaseSpace", n, 2, 3) + array(b"i", b"Key", n) + end + end)


def main(program, top):
    program = str(pathlib.Path(program).resolve())
    for name in ("snapshot", "checkpoint", "law", "config", "table", "view"):
        (top / name).mkdir(parents=True, exist_ok=True)
    snapshots = top / "snapshot"

    def run(*arguments):
        subprocess.run([program, *map(str, arguments)], cwd=snapshots, check=True, capture_output=True)

    rows = "".join(f"{0.1 + i} {i % 3} {i % 5} {0.1 * i} {i} {-i} 0.5 {i + 1}\n" for i in range(5))
    (snapshots / "plain.txt").write_text(rows)
    (snapshots / "typed.txt").write_text("# time: 1.5\n# types: 0*1 2*4\n# softening_length: 0.05\n# softening_kind: spline\n" + rows)
    for name in ("five.hdf5", "five.gadget2", "five.tipsy"):
        run("convert", "typed.txt", name, "-q")
    (snapshots / "three.nemo").write_bytes(nemo())
    run("model", "plummer", "-n", 3, "-o", "three.hdf5", "-q")
    for number, more in enumerate(([], ["--frames"], ["--check-forces", 2])):
        run("run", "plain.txt", "--t-end", 1, "--dt", 0.1, "--eps", 0.1, "--energy-every", 0.1, "--checkpoint-every", 4, "--max-walltime", 1e-3,
            *more, "-o", "out", "-q")
        for path in (snapshots / "out").glob("*.chk"):
            path.rename(top / "checkpoint" / f"{number}_{path.name}")
            (top / "checkpoint" / f"{number}_odd_{path.name}").write_bytes((top / "checkpoint" / f"{number}_{path.name}").read_bytes() + b"+")
        shutil.rmtree(snapshots / "out")
    for folder, texts in (("law", LAWS), ("config", CONFIGS), ("table", TABLES), ("view", REQUESTS)):
        for name, text in texts.items():
            (top / folder / name).write_text(text)
    for path in snapshots.iterdir():
        kind = {".txt": "text"}.get(path.suffix, path.suffix[1:])
        (top / kind).mkdir(exist_ok=True)
        shutil.copy(path, top / kind / path.name)
    for path in pathlib.Path(__file__).resolve().parents[2].glob("examples/**/*.law"):
        shutil.copy(path, top / "law" / path.name)


main(sys.argv[1], pathlib.Path(sys.argv[2]))
