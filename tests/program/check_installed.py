#!/usr/bin/env python3
"""Installs the build to an empty folder of its tests, for the scripts that build other projects against it (installed() of program.py)."""
import pathlib
import shutil
import sys

from program import PROGRAM, call

prefix = pathlib.Path(PROGRAM).parent / "tests/installed"
shutil.rmtree(prefix, ignore_errors=True)
call("cmake", "--install", pathlib.Path(PROGRAM).parent, "--prefix", prefix)
told = call(prefix / "bin/chamomile", "--version")
print(told, end="")
if told != call(PROGRAM, "--version"):
    sys.exit("the installed program is another one")
