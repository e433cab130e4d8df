#!/usr/bin/env python3
"""Fails when a folder includes from a folder that the dependency table of docs/explanation/one_step.md forbids."""
import pathlib
import re
import sys

MAY_INCLUDE = {
    "core": set(),
    "tree": {"core"},
    "parallel": {"core"},
    "domain": {"core", "tree", "parallel"},
    "force": {"core", "tree", "parallel", "domain", "mesh"},
    "pairs": {"core", "tree", "force"},
    "gpu": {"core", "tree", "parallel", "domain", "force", "mesh", "pairs", "integrate"},
    "mesh": {"core"},
    "cosmology": {"core", "mesh"},
    "clients": {"core", "tree", "parallel", "force", "pairs", "integrate"},
    "integrate": {"core", "parallel", "force", "mesh", "pairs", "cosmology"},
    "io": {"core"},
    "view": {"core", "io"},
    "run": {"core", "force", "cosmology", "integrate", "io", "view"},
    "python": {"core", "tree", "parallel", "force", "pairs", "integrate", "io", "view", "run"},
    "app": {"core", "tree", "parallel", "force", "pairs", "gpu", "mesh", "cosmology", "integrate", "io", "view", "run"},
}
THIRD_PARTY = {  # header -> folders allowed to include it
    r"<hdf5\.h>": {"io"},
    r"<png\.h>": {"io"},
    r"<zlib\.h>": {"io"},
    r"<fftw3\.h>": {"mesh"},
    r"<kissfft/": {"mesh"},
    r"<mpi\.h>": {"parallel", "clients"},
    r"<boost/(?!preprocessor)": {"app", "view"},
    r"<boost/preprocessor": {"clients"},
    r"<(nanobind/|Python\.h)": {"python"},
    r"<(thrust|cub|cuda|nvtx3)": {"gpu"},
    r"<omp\.h>": {"tree", "mesh", "cosmology", "force", "pairs", "gpu", "integrate"},
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
                elif own and not own[1] and not own[2] and own[3] in set(MAY_INCLUDE) - {"app", "python"}:
                    yield f'{path}:{number}: headers of the library are included as "chamomile/{own[3]}/..."'
                for header, folders in THIRD_PARTY.items():
                    if re.match(r"\s*#\s*include\s*" + header, line) and folder not in folders:
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
