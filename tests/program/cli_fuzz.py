#!/usr/bin/env python3
"""Mutates small files of every format at random for a few seconds per reader; `--seconds N` for more, `--seed N` for
other mutations.

tests/fuzz/with_clang is more thorough. A file that crashes a reader ends this test with the signal's status.
"""
import pathlib
import subprocess
import sys
import tempfile

root, program = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
options = dict(zip(sys.argv[3::2], sys.argv[4::2]))
failed = False
with tempfile.TemporaryDirectory() as name:
    corpus = pathlib.Path(name)
    subprocess.run([sys.executable, root / "tests/fuzz/make_corpus.py", program, corpus], check=True)
    for target in ("snapshot", "hdf5", "gadget2", "nemo", "tipsy", "text", "checkpoint", "law", "config", "table", "view"):
        done = subprocess.run([program.parent / "tests" / f"fuzz_{target}", f"-seconds={options.get('--seconds', 2)}",
                               f"-seed={options.get('--seed', 1)}", corpus / target], capture_output=True, text=True)
        print(f"{target}: {done.stdout.strip()}")
        if done.returncode != 0:
            failed = True
            print(f"{target}: status {done.returncode}: {done.stderr}")
sys.exit(failed)
