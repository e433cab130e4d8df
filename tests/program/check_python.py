#!/usr/bin/env python3
"""Installs the package with pip into a separate environment and runs interfaces/python/tests and the examples.

Uses an installation of this build. CHAMOMILE_WHOLE_WHEEL=1 compiles it again like a plain `pip install .`. Environment
and build stay in the build folder, so a later run recompiles changes only. Exits with status 77 if pip cannot install
packages.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

from processes import ENVIRONMENT, LAUNCH, MPIRUN
from program import SYSTEM_PYTHON, installed

source, program = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
folder = program.parent / "python_check"
python = folder / "venv/bin/python"


def call(*words, **more):
    print("$", *words, flush=True)
    return subprocess.run([str(w) for w in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)


def skip(reason, done):
    print(f"{done.stdout}\nskipped: no {reason}")
    sys.exit(77)


def need(done):
    if done.returncode:
        sys.exit(done.stdout)
    return done.stdout


if sys.version_info < (3, 10):
    print("skipped: no Python 3.10 or newer")
    sys.exit(77)
if not python.exists() and (done := call(sys.executable, "-m", "venv", folder / "venv")).returncode:
    shutil.rmtree(folder, ignore_errors=True)
    skip("venv (Debian: python3-venv)", done)
done = call(python, "-m", "pip", "install", "--quiet", "--retries", "1", "scikit-build-core>=0.11.2", "nanobind>=2.4", "numpy")
if done.returncode:
    skip("packages from PyPI", done)
others = call(python, "-m", "pip", "install", "--quiet", "--retries", "1", "pytreegrav==1.5.0")
if others.returncode:
    print("pytreegrav cannot be installed: comparison skipped")
for name, where in (("jax", ()), ("torch", ("--index-url", "https://download.pytorch.org/whl/cpu"))):  # for processors
    if call(python, "-m", "pip", "install", "--quiet", "--retries", "1", name, *where).returncode:
        print(f"{name} cannot be installed: its gradients skipped")

environment = dict(os.environ, CMAKE_GENERATOR=os.environ.get("CMAKE_GENERATOR", "Ninja" if shutil.which("ninja") else "Unix Makefiles"))
environment.setdefault("CMAKE_BUILD_PARALLEL_LEVEL", str(len(os.sched_getaffinity(0))))
if shutil.which("ccache"):
    environment.setdefault("CMAKE_CXX_COMPILER_LAUNCHER", "ccache")
prefix = None if os.environ.get("CHAMOMILE_WHOLE_WHEEL") else installed(folder)
if not prefix:
    how = [f"--config-settings=build-dir={folder / 'whole'}", "--config-settings=cmake.define.CHAMOMILE_CUDA=OFF"]
else:
    # At least configures the whole project.
    need(call("cmake", "-S", source, "-B", folder / "configured", "-DCHAMOMILE_PYTHON=ON", "-DCHAMOMILE_PROGRAM=OFF", "-DBUILD_TESTING=OFF",
              "-DCHAMOMILE_CUDA=OFF", f"-DPython_EXECUTABLE={python}", env=environment))
    how = ["--config-settings=" + setting for setting in (f"build-dir={folder / 'module'}", "cmake.source-dir=interfaces/python", f"cmake.define.CMAKE_PREFIX_PATH={prefix}")]
print(need(call(python, "-m", "pip", "install", "--no-build-isolation", "--no-deps", "--force-reinstall", source, *how,
                cwd=folder, env=environment)).splitlines()[-1])

# Installed files: package and types only.
listing = need(call(python, "-m", "pip", "show", "--files", "chamomile", cwd=folder))
files = re.findall(r"^  (\S+)", listing.partition("Files:")[2], re.M)
for wanted in ("chamomile/py.typed", "chamomile/_chamomile.pyi", "chamomile/__init__.py", "chamomile/pytreegrav.py"):
    if wanted not in files:
        sys.exit(f"the wheel lacks {wanted}")
if foreign := [f for f in files if not f.startswith(("chamomile/", "chamomile-"))]:
    sys.exit(f"the wheel installs {foreign[:5]}")
version = re.search(r"VERSION ([0-9.]+)", (source / "CMakeLists.txt").read_text().partition("project(chamomile")[2])[1]
told = need(call(python, "-c", "import chamomile; print(chamomile.__version__)", cwd=folder)).strip()
if told != version or f"Version: {version}\n" not in listing:
    sys.exit(f"version {told}, should be {version}")

if library := prefix and next(prefix.glob("lib*/**/libchamomile_c.so"), None):
    environment["CHAMOMILE_LIBRARY"] = str(library)
environment["CHAMOMILE_PROGRAM"] = str(program)
tests = call(python, source / "interfaces/python/tests/run.py", cwd=folder, env=environment)
print(tests.stdout)
if tests.returncode:
    sys.exit(tests.returncode)
told = need(call(python, source / "examples/python/field.py", cwd=folder, env=environment))
print(told)
for notebook in ("tutorial", "stream", "box", "gradient"):
    print(need(call(python, source / f"examples/python/{notebook}.py", cwd=folder, env={**environment, "CHAMOMILE": str(program)})))

# Particles on mpi4py processes, with the system's Python if it can import the package.
(folder / "alone").mkdir(exist_ok=True)
if not (package := folder / "alone/chamomile").exists():
    package.symlink_to(next((folder / "venv/lib").glob("python3*/site-packages/chamomile")))
several = {**environment, **ENVIRONMENT, "PYTHONPATH": str(folder / "alone")}
if not MPIRUN:
    print("mpi4py: skipped: no mpirun")
elif (done := call(SYSTEM_PYTHON, "-c", "import mpi4py.MPI, chamomile", env=several)).returncode:
    print(f"mpi4py: skipped: {SYSTEM_PYTHON} has no mpi4py (Debian: python3-mpi4py), or is not the Python of the package: {done.stdout.splitlines()[-1]}")
else:
    for number in (1, 2, 3):
        for script in ("solver.py", "simulation.py"):
            shutil.rmtree(folder / "shared", ignore_errors=True)
            if (said := need(call(*LAUNCH, "-n", number, SYSTEM_PYTHON, source / "tests/mpi" / script, folder / "shared", env=several))) != "all is right\n":
                sys.exit(f"{number} processes of Python: {script}: {said}")

# Python in README and tutorials runs unchanged, with arrays under these names, in the folders it names.
# (docs/tutorials/python.md is tutorial.py.)
arrays = "import numpy\npositions, velocities = numpy.random.default_rng(1).normal(size=(2, 500, 3))\nmasses = numpy.full(500, 1e-3)\n"
for page in ("README.md", *(f"docs/tutorials/{path.name}" for path in sorted((source / "docs/tutorials").glob("*.md")) if path.name != "python.md")):
    for block in re.findall(r"^```python\n(.*?)^```", (source / page).read_text(), re.M | re.S):
        shutil.rmtree(folder / "page", ignore_errors=True)
        (folder / "page").mkdir()
        need(call(python, "-c", arrays + block, cwd=folder / "page", env=environment))
        if made := [name for name in re.findall(r"run\(\"(\w+)\"", block) if not (folder / "page" / name / "energy.csv").exists()]:
            sys.exit(f"{page}: {made} was not made by {block}")

# C++ gives bitwise equal accelerations for equal particles (docs/howto/embedding.md).
if prefix:
    need(call("cmake", "-S", source / "examples/cpp_api", "-B", folder / "cpp_api", f"-DCMAKE_PREFIX_PATH={prefix}", env=environment))
    need(call("cmake", "--build", folder / "cpp_api", env=environment))
    others = need(call(folder / "cpp_api/field"))
    hashes = [re.search(r"accelerations (\w{16})", text)[1] for text in (told, others)]
    print("from Python and C++:", *hashes)
    if hashes[0] != hashes[1]:
        sys.exit("accelerations differ from C++")
