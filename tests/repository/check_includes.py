#!/usr/bin/env python3
"""Fails when a folder includes from a folder that the dependency table of docs/explanation/one_step.md forbids."""
import pathlib
import re
import sys

MAY_INCLUDE = {
    "core": set(),
    "tree": {"core"},
    "force": {"core", "tree"},
    "integrate": {"core", "force", "initial", "analysis", "io"},
    "gpu": {"core", "tree", "force", "integrate", "analysis"},
    "io": {"core"},
    "initial": {"core", "force", "io"},
    "analysis": {"core", "force"},
    "run": {"core", "force", "integrate", "initial", "analysis", "io"},
    "interfaces": {"core", "tree", "force", "integrate", "initial", "analysis", "io", "run"},
    "app": {"core", "tree", "force", "gpu", "integrate", "initial", "analysis", "io", "run"},
}
THIRD_PARTY = {  # header -> the folders that may include it
    r"<hdf5\.h>": {"io"},
    r"<png\.h>": {"io"},
    r"<zlib\.h>": {"io"},
    r"<fftw3\.h>": {"force/mesh"},
    r"<kissfft/": {"force/mesh"},
    r"<mpi\.h>": {"core/ranks", "interfaces"},
    r"<boost/preprocessor": {"interfaces"},
    r"<boost/": {"app", "run/view", "interfaces"},
    r"<(nanobind/|Python\.h)": {"interfaces/python"},
    r"<(thrust|cub|cuda|nvtx3)": {"gpu"},
    r"<omp\.h>": {"tree", "force", "gpu", "integrate", "initial", "analysis"},
}
CUDA = re.compile(r"__global__|<<<|cuda_runtime|__shared__")


def complaints(root):
    for folder, allowed in MAY_INCLUDE.items():
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in {".hpp", ".cpp", ".cuh", ".cu"}:
                continue
            text = path.read_text()
            lines = text.splitlines()
            if len(lines) > 500:
                yield f"{path}: {len(lines)} lines; split it by concept (500 at most)"
            for number, line in enumerate(lines, 1):
                own = re.match(r'\s*#\s*include\s*(?:"(chamomile/)?|<(chamomile/))([^">/]+)/', line)
                if own and own[3] != folder and own[3] not in allowed:
                    yield f"{path}:{number}: {folder}/ may not include {own[3]}/"
                elif own and not own[1] and not own[2] and own[3] in set(MAY_INCLUDE) - {"app", "interfaces"}:
                    yield f'{path}:{number}: headers of the library are included as "chamomile/{own[3]}/..."'
                for header, folders in THIRD_PARTY.items():
                    if re.match(r"\s*#\s*include\s*" + header, line) and not any(path.is_relative_to(root / home) for home in folders):
                        yield f"{path}:{number}: {folder}/ may not use {header}"
            if path.suffix in {".hpp", ".cpp"} and CUDA.search(text):
                yield f"{path}: CUDA belongs in .cu and .cuh files"


def long_tests(root):
    for path in sorted((root / "tests").rglob("*.[ch]pp")):
        if (lines := len(path.read_text().splitlines())) > 500:
            yield f"{path}: {lines} lines; split it by concept (500 at most)"


root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
wrong = [*complaints(root), *long_tests(root)]
print("\n".join(wrong) or "the folders keep the dependency rule")
sys.exit(bool(wrong))
