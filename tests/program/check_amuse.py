#!/usr/bin/env python3
"""Builds AMUSE's worker against an installed copy and runs it through AMUSE's channels.

Needs a Python with amuse-framework (this Python or CHAMOMILE_AMUSE_PYTHON) and MPI; skipped otherwise.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from program import call, installed

source = pathlib.Path(sys.argv[1]).resolve()
python = os.environ.get("CHAMOMILE_AMUSE_PYTHON", sys.executable)
os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1")


if subprocess.run([python, "-c", "import amuse.community"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
    print("skipped: no amuse-framework; CHAMOMILE_AMUSE_PYTHON names a Python that has it")
    sys.exit(77)
if not shutil.which("mpicc"):
    print("skipped: no MPI to build a worker with")
    sys.exit(77)

with tempfile.TemporaryDirectory() as folder:
    prefix = installed(folder)
    package = pathlib.Path(folder, "amuse_chamomile")
    shutil.copytree(source / "interfaces/amuse/amuse_chamomile", package)
    call("make", "-C", package, f"PREFIX={prefix}", f"PYTHON={python}")
    environment = {**os.environ, "PYTHONPATH": folder}
    for script in (source / "tests/program/amuse_client.py", source / "examples/amuse/cluster.py"):
        print("".join(line + "\n" for line in call(python, script, env=environment, cwd=folder).splitlines()
                      if line.startswith(("t = ", "passed"))), end="")
