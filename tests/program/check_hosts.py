#!/usr/bin/env python3
"""Builds host programs in typical project layouts outside the tree against an installed copy (tests/hosts)."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from program import installed

source = pathlib.Path(sys.argv[1]).resolve()
hosts = source / "tests/hosts"
WITHOUT = [f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in ("OpenMP", "HDF5", "PNG", "ZLIB", "FFTW")]
fortran = shutil.which("gfortran") is not None

# Host, configuration options, programs to run.
PROJECTS = [
    ("own_headers", [], ["host"]),
    ("alone", ["-DLANGUAGE=C", "-DCLIENTS=c;g5;g6;cunbody", *WITHOUT], ["c", "g5", "g6", "cunbody"]),
    ("alone", ["-DLANGUAGE=Fortran", "-DCLIENTS=fortran;g5;cunbody", *WITHOUT], ["fortran", "g5", "cunbody"]),
]
CLIENTS = "c;g5;g6;cunbody"
# Languages and components of a project, missing packages, and cmake's output.
PLAIN = [
    ("C;CXX", "", [], f"targets: {CLIENTS};chamomile;amuse"),
    ("CXX", "", [], f"targets: {CLIENTS};chamomile;amuse"),
    ("CXX", "COMPONENTS;cxx", [], f"targets: {CLIENTS};chamomile;amuse"),
    ("CXX", "COMPONENTS;g6", [], f"targets: {CLIENTS}\n"),
    ("C", "", [], f"targets: {CLIENTS}\n"),
    ("C", "COMPONENTS;c", WITHOUT, f"targets: {CLIENTS}\n"),
    ("C;CXX", "", WITHOUT[1:2], "chamomile: without chamomile::chamomile, the library in C++, which needs HDF5\n"),
    ("C;CXX", "", WITHOUT[3:], f"targets: {CLIENTS}\n"),
    ("C;CXX", "COMPONENTS;cxx", WITHOUT[2:], "chamomile::chamomile, the library in C++, needs PNG, ZLIB, FFTW"),
    ("C", "COMPONENTS;c", ["-DVERSION=0.1"], f"targets: {CLIENTS}\n"),
    ("C", "COMPONENTS;c", ["-DVERSION=0.99"], "compatible with requested version \"0.99\""),
    ("C", "COMPONENTS;cxx", [], "chamomile::chamomile, the library in C++, needs CXX among the languages of the project"),
    ("C", "COMPONENTS;g7", [], "component g7: is not in this installation"),
]
# Sources compiled with pkg-config flags, per package.
ONE_FILE = [("chamomile_c", "alone/c/c.c"), ("chamomile_g5", "alone/c/g5.c"), ("chamomile_g6", "alone/c/g6.c"),
            ("chamomile_cunbody", "alone/c/cunbody.c"), ("chamomile_cunbody", "alone/fortran/cunbody.f90"),
            ("chamomile_g6", "never_opened.c")]
faults = []


def call(*words, expected=0):
    words = [str(w) for w in words]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
    if expected is not None and done.returncode != expected:
        faults.append(f"{' '.join(words)}: status {done.returncode}\n{done.stdout}")
    return done.stdout


def check(right, line):
    if not right:
        faults.append(line)


def build(folder, prefix, host, options, programs):
    made = pathlib.Path(folder, f"{host}-{len(list(folder.iterdir()))}")
    call("cmake", "-S", folder / host if (folder / host).exists() else hosts / host, "-B", made,
         f"-DCMAKE_PREFIX_PATH={prefix}", *options)
    call("cmake", "--build", made)
    for name in programs:
        if (made / name).exists():
            print(f"{host} {name}: " + call(made / name), end="")


def name_headers_alike(folder, prefix):
    """For every library header, creates a host header at the same path. It must not be read when the library's headers
    are.
    """
    shutil.copytree(hosts / "own_headers", folder / "own_headers")
    headers = prefix / "include/chamomile"
    own = folder / "own_headers/include"
    names = [p.relative_to(headers) for p in sorted(headers.rglob("*.h*")) if len(p.relative_to(headers).parts) > 1]
    check(len(names) > 50, f"{headers}: only {len(names)} headers")
    for name in names:
        (own / name).parent.mkdir(parents=True, exist_ok=True)
        if not (own / name).exists():
            (own / name).write_text('#error "this is the host\'s"\n')
    # Skips headers for one instruction set, headers that need a defined law, and wrappers around HDF5.
    names = [n for n in names if n.parts[0] not in ("gpu", "clients") and n.parts[:2] != ("io", "hdf5") and
             "simd" not in n.parts and n.name != "define_law.hpp"]
    for of_io in (False, True):
        every = folder / "every.cpp"
        every.write_text("".join(f"#include <chamomile/{n}>\n" for n in names if (n.parts[0] == "io") == of_io))
        call(os.environ.get("CXX", "c++"), "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{own}",
             "-isystem", prefix / "include", every)


def check_names(library):
    """Checks that library calls never bind to functions defined by the program."""
    defined = {line.split()[-1].split("@")[0] for line in call("nm", "-D", "--defined-only", library).splitlines()}
    used = set(re.findall(r"R_\S+\s+\S+\s+([\w.]+)", call("readelf", "-rW", library)))
    check(not defined & used, f"{library.name}: calls exported functions by name: {sorted(defined & used)[:5]}")
    check("NODELETE" in call("readelf", "-d", library), f"{library.name}: dlclose() would unload code used by OpenMP threads")


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    prefix = installed(folder)
    library_folder = next(prefix.glob("lib*/**/libchamomile_c.so")).parent
    name_headers_alike(folder, prefix)
    for host, options, programs in PROJECTS:
        if fortran or "-DLANGUAGE=Fortran" not in options:
            build(folder, prefix, host, options, programs)
    for number, (languages, components, options, line) in enumerate(PLAIN):
        said = call("cmake", "-S", hosts / "plain", "-B", folder / f"plain-{number}", f"-DCMAKE_PREFIX_PATH={prefix}",
                    f"-DLANGUAGES={languages}", f"-DCOMPONENTS={components}", *options, expected=None)
        check(line in re.sub(r"\s*\n\s+", " ", said) or line in said, f"plain {languages} {components} {options}: not '{line}' in\n{said}")
    for name in ("c", "g5", "g6", "cunbody"):
        check_names(library_folder / f"libchamomile_{name}.so")
    if shutil.which("pkg-config") and shutil.which("cc"):
        os.environ["PKG_CONFIG_PATH"] = str(library_folder / "pkgconfig")
        os.environ["LD_LIBRARY_PATH"] = str(library_folder)
        for package, file in ONE_FILE:
            compiler = ["cc", "-std=c99", "-pedantic"] if file.endswith(".c") else ["gfortran"]
            if compiler == ["gfortran"] and not fortran:
                continue
            flags = call("pkg-config", "--cflags", "--libs", package).split()
            made = folder / f"{package}-{pathlib.Path(file).stem}"
            call(*compiler, "-Wall", "-Wextra", "-Werror", hosts / file, *flags, "-lm", "-o", made)
            said = call(made) if made.exists() else "was not built"
            if file == "never_opened.c":
                check(said == "chamomile: g6_set_ti: cl: 0: not open: call g6_open first; open: 32673: results are NaN\n", said)
    else:
        print("pkg-config: skipped: not here")
if faults:
    sys.exit("\n".join(faults))
