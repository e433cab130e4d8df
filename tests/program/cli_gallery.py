#!/usr/bin/env python3
"""Runs examples/gallery with few particles: the commands of the gallery page work, and each writes its pictures."""
import os
import pathlib
import re
import subprocess
import sys

from program import PROGRAM, ROOT, check, need, run_parts

need("matplotlib")


def every_picture_is_written(folder):
    done = subprocess.run([sys.executable, ROOT / "examples/gallery", "--small", "-o", folder], capture_output=True, text=True, timeout=900,
                          env={**os.environ, "CHAMOMILE": PROGRAM, "PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"})
    check(done.returncode == 0, f"examples/gallery: status {done.returncode}: {done.stdout} {done.stderr}")
    shown = re.findall(r"^!\[(.*?)\]", (ROOT / "docs/tutorials/gallery.md").read_text(), re.M)
    check(len(shown) == 15, f"{len(shown)} pictures in the gallery")
    for picture in shown:
        found = list(pathlib.Path(folder).glob(f"*/{picture}"))
        check(len(found) == 1 and found[0].read_bytes()[:4] == b"\x89PNG" and found[0].stat().st_size > 8000, f"{picture}: {found}")


def wrong_names_are_refused(folder):
    done = subprocess.run([sys.executable, ROOT / "examples/gallery", "galaxy"], cwd=folder, capture_output=True, text=True, timeout=60)
    check(done.returncode == 1 and done.stderr == "galaxy: must be one of stream, cluster, box, forces, merger, steps\n", done.stderr)


run_parts("each command of the gallery writes its pictures", every_picture_is_written, wrong_names_are_refused)
