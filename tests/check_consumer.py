#!/usr/bin/env python3
"""Installs the build to a folder of its own and builds a project outside the tree against it."""
import importlib.util
import pathlib
import shutil
import subprocess
import sys
import tempfile

source, program = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])


def call(*words):
    done = subprocess.run([str(w) for w in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}\n{done.stdout}")
    return done.stdout


with tempfile.TemporaryDirectory() as folder:
    prefix, build = pathlib.Path(folder, "prefix"), pathlib.Path(folder, "build")
    call("cmake", "--install", program.parent, "--prefix", prefix)
    call("cmake", "-S", source / "tests/consumer", "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}")
    call("cmake", "--build", build)
    print(call(build / "consumer"), end="")
    print(call(prefix / "bin/chamomile", "--version"), end="")
    # The examples are projects of their own.
    for example, programs in {"cunbody": ["ring_c", "ring_cpp", "ring_fortran"], "own_law": ["morse"],
                              "law_from_c": ["screened"], "grape5": ["treecode", "ring_fortran"], "grape6": ["hermite"]}.items():
        build = pathlib.Path(folder, example)
        call("cmake", "-S", source / "examples" / example, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}")
        call("cmake", "--build", build)
        for name in programs:
            if (build / name).exists():
                print(call(build / name), end="")
            elif name != "ring_fortran" or shutil.which("gfortran"):
                sys.exit(f"{example}: {name} was not built")
    # What each shared library defines: its calls and nothing else.
    for name, own in {"c": ("chm_", "CHAMOMILE_"), "g5": ("g5_", "g5c_", "pg5_", "chm_g5_"),
                      "g6": ("g6_", "g6calc_", "chm_g6_", "force_j_particle_send")}.items():
        library = next(prefix.glob(f"lib*/**/libchamomile_{name}.so"))
        symbols = {line.split()[-1].split("@")[0] for line in call("nm", "-D", "--defined-only", library).splitlines()}
        if foreign := {s for s in symbols if not s.startswith(own)}:
            sys.exit(f"{library.name} defines {sorted(foreign)[:5]}")
    if importlib.util.find_spec("numpy"):
        print(call(sys.executable, source / "examples/law_from_c/screened.py", library.parent), end="")
