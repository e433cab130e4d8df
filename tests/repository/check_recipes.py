#!/usr/bin/env python3
"""Checks the packaging recipes offline: they parse, require the packages and versions that CMake looks for, and name
existing options and files. The program commands in recipes and installation page run.
"""
import ast
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import tomllib

root, program = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
packaging = root / "cmake/packaging"
complaints = []

settings = "".join(path.read_text() for path in (root / "CMakeLists.txt", *sorted((root / "cmake").glob("*.cmake"))))
options = set(re.findall(r"(?:option\(|set\()(CHAMOMILE_\w+)", settings)) | {"BUILD_TESTING"}
# Packages found by CMake, with their names in Spack and conda-forge. OpenMP comes with compilers; conda packages it
# separately.
NAMES = {"HDF5": ("hdf5", "hdf5"), "PNG": ("libpng", "libpng"), "ZLIB": ("zlib-api", "zlib"), "Boost": ("boost", "libboost-devel"),
         "FFTW": ("fftw", "fftw"), "MPI": ("mpi", None), "CUDAToolkit": ("cuda", None), "OpenMP": (None, "libgomp")}
needed = set(re.findall(r"^ *find_package\((\w+)", settings, re.M)) - {"Git", "chamomile"}
least = {"cmake": re.search(r"cmake_minimum_required\(VERSION ([\d.]+)", settings)[1], "boost": re.search(r"find_package\(Boost ([\d.]+)", settings)[1],
         "cuda": re.search(r"No nvcc (\d+) or newer", settings)[1]}
least["libboost-devel"] = least["boost"]
complaints += [f"tests/repository/check_recipes.py: CMake looks for {name}, of which no recipe knows" for name in sorted(needed - set(NAMES))]


def number(version):
    return [int(part) for part in version.split(".")]


def compare(recipe, asked, allowed, build):
    """asked: a recipe's dependencies, with min version or ''."""
    for name in sorted(allowed - set(asked)):
        complaints.append(f"{recipe}: does not depend on {name}, which CMake looks for")
    for name in sorted(set(asked) - allowed - build):
        complaints.append(f"{recipe}: depends on {name}, which CMake does not look for")
    for name, version in asked.items():
        if name in least and (not version or number(version) < number(least[name])):
            complaints.append(f"{recipe}: {name} {version or 'of any version'}: CMake asks for {least[name]}")


def spack():
    recipe = packaging / "spack/package.py"
    tree = ast.parse(recipe.read_text())
    imported = {name.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for name in node.names}
    package = next(node for node in tree.body if isinstance(node, ast.ClassDef))
    complaints.extend(f"{recipe.name}: {base.id} is not imported" for base in package.bases if base.id not in imported)
    asked, variants = {}, {"cuda"}
    for call in (node for node in ast.walk(package) if isinstance(node, ast.Call)):
        name = getattr(call.func, "id", getattr(call.func, "attr", ""))
        words = [argument.value for argument in call.args if isinstance(argument, ast.Constant)]
        if name == "depends_on":
            found = re.match(r"([\w-]+)(?:@([\d.]+):)?", words[0])
            asked[found[1]] = found[2] or ""
        elif name == "variant":
            variants.add(words[0])
        elif name in ("define", "define_from_variant") and words[0] not in options:
            complaints.append(f"{recipe.name}: {words[0]} is no option of CMakeLists.txt")
        if name == "define_from_variant" and words[1] not in variants:
            complaints.append(f"{recipe.name}: there is no variant {words[1]}")
    compare("spack/package.py", asked, {names[0] for name, names in NAMES.items() if names[0] and name in needed}, {"c", "cxx", "fortran", "cmake"})


def conda():
    try:
        import yaml
    except ImportError:
        print("no yaml: the conda recipe was not checked")
        return
    recipe = yaml.safe_load((packaging / "conda/recipe.yaml").read_text())
    build = [words.split() for words in recipe["requirements"]["build"] + recipe["requirements"]["host"]]
    asked = {words[0]: (words + [">="])[1].removeprefix(">=") for words in build if words[0] != "${{"}
    compare("conda/recipe.yaml", asked, {names[1] for name, names in NAMES.items() if names[1] and name in needed}, {"cmake", "ninja", "pkg-config"})
    for file in recipe["about"]["license_file"]:
        if not (root / file).exists():
            complaints.append(f"conda/recipe.yaml: {file}: is not there")
    try:
        import rattler_build
    except ImportError:
        print("no rattler_build (PyPI: py-rattler-build): the conda recipe was parsed only")
        return
    variants = rattler_build.VariantConfig({"c_stdlib": ["sysroot"], "c_stdlib_version": ["2.17"]})
    if len(rattler_build.Stage0Recipe.from_file(packaging / "conda/recipe.yaml").render(variants)) != 1:
        complaints.append("conda/recipe.yaml: does not make one package")


def files_and_options():
    """Checks CMake options and files of the tree named in recipes."""
    for recipe in (path for path in packaging.rglob("*") if path.is_file() and path.suffix != ".in"):
        text = recipe.read_text()
        name = recipe.relative_to(root)
        for option in re.findall(r"-D(CHAMOMILE_\w+|BUILD_\w+)", text):
            if option not in options:
                complaints.append(f"{name}: -D{option}: is no option of CMakeLists.txt")
        for file in re.findall(r"\b(?:cmake|docs|packaging|examples|tests)/[\w./-]*[\w]", text):
            if not (root / file).exists():
                complaints.append(f"{name}: {file}: is not there")
        if "cmake -S" in text and "-DCHAMOMILE_MPI=" not in text:
            complaints.append(f"{name}: lets the machine decide about MPI, which a package must not need")
        if re.match(r"#!.*(bash|sh)\n", text) and (done := subprocess.run(["bash", "-n", recipe], capture_output=True, text=True)).returncode:
            complaints.append(done.stderr)
    project = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["scikit-build"]
    for override in project["overrides"]:
        if "define" in override.get("cmake", {}) and override.get("inherit", {}).get("cmake", {}).get("define") != "append":
            complaints.append("pyproject.toml: an override of cmake.define takes the place of all definitions: inherit.cmake.define = \"append\" adds to them")
        fft = override.get("if", {}).get("env", {}).get("CHAMOMILE_FFT")
        if fft and "GPL" in override["metadata"]["license"]["result"]:
            complaints.append(f"pyproject.toml: a wheel with {fft} is said to be under the GPL")
    if project["metadata"]["license"]["result"] != "GPL-3.0-or-later":
        complaints.append("pyproject.toml: a wheel that links FFTW is under GPL-3.0-or-later")
    for definition in project["cmake"]["define"]:
        if definition not in options:
            complaints.append(f"pyproject.toml: {definition}: is no option of CMakeLists.txt")
    for line in (packaging / "Containerfile").read_text().splitlines():
        words = line.split()
        if words[:1] == ["COPY"] and not words[1].startswith("--from") and not (root / words[1]).exists():
            complaints.append(f"cmake/packaging/Containerfile: {words[1]}: is not there")


def commands():
    """Runs the recipes' program commands, without leading shell words."""
    pages = [*(path for path in packaging.rglob("*") if path.is_file()), root / "docs/howto/install.md"]
    found = dict.fromkeys(line for page in pages for line in re.findall(r"\bchamomile (run --model .*|--version)\b", page.read_text()))
    if len(found) < 3:
        complaints.append(f"packaging: {len(found)} commands of the program were found: at least 3")
    for line in found:
        with tempfile.TemporaryDirectory() as folder:
            words = shlex.split(re.split(r"[;#]", line)[0])
            done = subprocess.run([program, *words], cwd=folder, capture_output=True, text=True)
            if done.returncode or ("--frames" in words and not (pathlib.Path(folder) / words[words.index("-o") + 1] / "frame_000.png").exists()):
                complaints.append(f"chamomile {line}: {done.returncode}: {done.stderr}")


for check in (spack, conda, files_and_options, commands):
    check()
print("\n".join(complaints) or "the recipes hold together")
sys.exit(bool(complaints))
