#!/usr/bin/env python3
"""Builds external projects against an installation of the build."""
import importlib.util
import os
import pathlib
import re
import shutil
import sys
import tempfile

from processes import ENVIRONMENT, LAUNCH, MPIRUN
from program import call, installed

source = pathlib.Path(sys.argv[1])

with tempfile.TemporaryDirectory() as folder:
    prefix, build = installed(folder), pathlib.Path(folder, "build")
    call("cmake", "-S", source / "tests/consumer", "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}")
    call("cmake", "--build", build)
    print(call(build / "consumer"), end="")
    # The examples are separate projects.
    hashes = {}  # accelerations of equal particles (docs/howto/embedding.md)
    for example, programs in {"cunbody": ["ring_c", "ring_cpp", "ring_fortran"], "own_law": ["morse"],
                              "law_from_c": ["screened"], "fluid": ["fluid n=500 cutoff=3 equilibrate=100 steps=100 output=fluid.csv"],
                              "grape5": ["treecode", "ring_fortran"], "grape6": ["hermite"],
                              "c_api": ["field"], "cpp_api": ["field"], "fortran_api": ["field"]}.items():
        if example == "fortran_api" and not shutil.which("gfortran"):
            print("fortran_api: skipped: no gfortran")
            continue
        build = pathlib.Path(folder, example)
        standard = ["-DCMAKE_Fortran_FLAGS=-std=f2018"] if shutil.which("gfortran") else []
        call("cmake", "-S", source / "examples" / example, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}", *standard)
        call("cmake", "--build", build)
        for name, *words in map(str.split, programs):
            if (build / name).exists():
                told = call(build / name, *words)
                print(told, end="")
                hashes |= {example: h for h in re.findall(r"accelerations (\w{16})", told.lower())}
            elif name != "ring_fortran" or shutil.which("gfortran"):
                sys.exit(f"{example}: {name} was not built")
    # Particles distributed over MPI processes: bitwise equal results.
    if not MPIRUN or not list(prefix.glob("lib*/**/libchamomile_mpi.so")):
        print("mpi_api: skipped: no mpirun, or a build without MPI")
    else:
        build = pathlib.Path(folder, "mpi_api")
        call("cmake", "-S", source / "examples/mpi_api", "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}")
        call("cmake", "--build", build)
        os.environ |= ENVIRONMENT
        told = call(*LAUNCH, "-n", "3", build / "leapfrog")
        print(told, end="")
        if shutil.which("gfortran"):
            build = pathlib.Path(folder, "mpi_fortran")
            call("cmake", "-S", source / "tests/mpi", "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}")
            call("cmake", "--build", build)
            print("Fortran with MPI:", call(*LAUNCH, "-n", "3", build / "client"), end="")
        hashes["mpi_api"] = re.findall(r"accelerations (\w{16})", told)[0]
    # Each shared library exports its public functions only.
    for name, own in {"g5": ("g5_", "g5c_", "pg5_", "chm_g5_"),
                      "g6": ("g6_", "g6calc_", "chm_g6_", "force_j_particle_send"),
                      "cunbody": ("force", "force_jerk_potential", "cunbody1_force", "cunbody_error"), "mpi": ("chm_mpi_", "CHAMOMILE_0.2")}.items():
        library = next(prefix.glob(f"lib*/**/libchamomile_{name}.so"), None)
        if not library and name == "mpi":
            continue
        symbols = {line.split()[-1].split("@")[0] for line in call("nm", "-D", "--defined-only", library).splitlines()}
        if foreign := {s for s in symbols if not s.startswith(own)}:
            sys.exit(f"{library.name} defines symbols of other libraries: {sorted(foreign)[:5]}")
    library = next(prefix.glob("lib*/**/libchamomile_c.so"))
    # The exported symbols equal the declarations in the headers, each with its version.
    symbols = {line.split()[-1] for line in call("nm", "-D", "--defined-only", library).splitlines()}
    of_version = {".2": ("chm_options", "chm_set_softenings", "chm_cancel", "chm_solve_batch", "chm_advance_batch")}
    declared = {f"{name}@@CHAMOMILE_0" + ("" if name.startswith("chm_law_") else next((since for since, names in of_version.items() if name in names), ".1"))
                for header in ["chamomile.h", "interfaces/c/chamomile_law.h"]
                for name in re.findall(r"^CHM_API[^;(]*?(\w+)\(", (prefix / "include/chamomile" / header).read_text(), re.M)}
    if wrong := {s for s in symbols if not s.startswith("CHAMOMILE_0")} ^ declared:
        sys.exit(f"{library.name} and its headers do not agree on {sorted(wrong)[:5]}")
    # Without CMake, if pkg-config exists.
    if shutil.which("pkg-config") and shutil.which("cc"):
        os.environ["PKG_CONFIG_PATH"] = str(next(prefix.glob("lib*/**/pkgconfig")))
        os.environ["LD_LIBRARY_PATH"] = str(library.parent)
        flags = call("pkg-config", "--cflags", "--libs", "chamomile_c").split()
        program = pathlib.Path(folder, "field")
        call("cc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", source / "examples/c_api/field.c", *flags, "-lm", "-o", program)
        hashes["pkg-config"] = re.findall(r"accelerations (\w{16})", call(program))[0]
    else:
        print("pkg-config: skipped: not here")
    print(hashes)
    if len(set(hashes.values())) != 1 or "c_api" not in hashes or "cpp_api" not in hashes:
        sys.exit("accelerations differ between languages")
    if importlib.util.find_spec("numpy"):
        print(call(sys.executable, source / "examples/law_from_c/screened.py", library.parent), end="")
