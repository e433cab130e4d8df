#!/usr/bin/env python3
"""Compares REBOUND from PyPI with its own gravity and with ours: examples/rebound against the installed library."""
import os
import pathlib
import subprocess
import sys
import tempfile

from program import call, installed

source, program = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
VERSIONS = ["5.2.2", "4.4.10"]  # gravity_custom, additional_forces


def rebound(version):
    """Returns a folder with this version, cached next to the build."""
    folder = program.parent / f"rebound-{version}"
    if not (folder / "rebound").exists():
        done = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--only-binary", ":all:",
                               "--target", str(folder), f"rebound=={version}"], capture_output=True, text=True)
        if done.returncode:
            print(f"skipped: no REBOUND {version} from PyPI: {(done.stderr.strip().splitlines() or ['pip failed'])[-1]}")
            sys.exit(77)
    return folder


with tempfile.TemporaryDirectory() as folder:
    prefix = installed(folder)
    library = next(prefix.glob("lib*/**/libchamomile_c.so"))
    for version in VERSIONS:
        where = rebound(version)
        build = pathlib.Path(folder, version)
        call("cmake", "-S", source / "examples/rebound", "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}", f"-DREBOUND={where}")
        call("cmake", "--build", build)
        print(f"REBOUND {version}, C\n" + call(build / "own_and_ours"), end="")
        if (build / "times").exists():
            print(call(build / "times", 1000), end="")
        path = f"{where}:{prefix / 'share/chamomile/rebound'}"
        print("Python\n" + call(sys.executable, source / "examples/rebound/from_python.py", env=os.environ | {"PYTHONPATH": path, "CHAMOMILE_LIBRARY": str(library)}), end="")
