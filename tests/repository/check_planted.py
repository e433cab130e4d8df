#!/usr/bin/env python3
"""Checks that every error in tests/planted can be planted: its anchor text occurs exactly once in the tree.

Planting and catching errors takes a build and many minutes (tests/planted); this check takes a second.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

source = pathlib.Path(sys.argv[1])


def call(root, *words):
    return subprocess.run([sys.executable, root / "tests/planted", *words], capture_output=True, text=True)


done = call(source, "--check")
print(done.stdout + done.stderr, end="")

# In a tree without any anchors, the check must list all of them.
errors = call(source, "--list").stdout.splitlines()
with tempfile.TemporaryDirectory() as folder:
    empty = pathlib.Path(folder)
    (empty / "tests").mkdir()
    shutil.copy2(source / "tests/planted", empty / "tests/planted")
    told = call(empty, "--check")
    unsaid = [line for line in errors if line.rpartition(" (")[0] not in told.stderr]
    if told.returncode == 0 or not errors or unsaid:
        sys.exit(f"an empty tree: status {told.returncode}; not reported: {unsaid}\n{told.stderr}")
sys.exit(done.returncode)
