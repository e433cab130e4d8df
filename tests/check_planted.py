#!/usr/bin/env python3
"""Every error that tests/planted knows can still be planted: the text that it changes stands in the tree, once.

Planting and catching them takes a build and many minutes (tests/planted); this takes a second.
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

# In a tree that has none of these texts all are told, not the first alone.
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
