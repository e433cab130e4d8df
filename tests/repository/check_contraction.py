#!/usr/bin/env python3
"""Checks that code with bitwise reproducible results is compiled without fused multiply-adds.

Sources with SIMD packs (folders named simd) and CUDA sources state at the top `// Contraction: fused` or `//
Contraction: none`. Headers with arithmetic that must not be fused state `none`; no fused source may include them,
directly or indirectly. The recorded compile commands must match these lines; all other library sources are not fused.
(cmake/ChamomileContraction.cmake)
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys

LIBRARY = ("core", "tree", "mesh", "force", "pairs", "integrate", "io", "cosmology", "run", "clients", "gpu")
# Files that must state `none`; without them the rules below would check nothing.
PROMISED = ("tree/cell_moments.hpp", "tree/higher_moments.hpp", "tree/simd/walk_kernel.cpp", "gpu/tree/device_tree.cu", "gpu/motion/store_kernels.cuh")


def said(path):
    found = re.search(r"^//.*\bContraction: (\w+)", path.read_text(), re.MULTILINE)
    return found[1] if found else None


def sources_of(path, build):
    """Returns the sources that a recorded file compiles: those that a unit includes (cmake/ChamomileUnits.cmake), or itself."""
    if path.parent != build / "units":
        return [path]
    return [(path.parent / name).resolve() for name in re.findall(r'^#include "([^"]+)"', path.read_text(), re.MULTILINE)]


def says_itself(path):
    return path.suffix == ".cu" or path.suffix == ".cpp" and path.parent.name == "simd"


def included(root, path, known):
    """Adds to `known` all library files that `path` includes, with the including file."""
    for name in re.findall(r'^\s*#\s*include\s*"chamomile/([^"]+)"', path.read_text(), re.MULTILINE):
        if name not in known and (root / name).exists():
            known[name] = path
            included(root, root / name, known)
    return known


def of_sources(root):
    for name in PROMISED:
        if not (root / name).exists() or said(root / name) != "none":
            yield f"{name}: does not say 'Contraction: none'"
    for folder in LIBRARY:
        for path in sorted((root / folder).rglob("*")):
            if not says_itself(path):
                continue
            if said(path) not in ("fused", "none"):
                yield f"{path.relative_to(root)}: '{said(path)}': 'Contraction: fused' or 'Contraction: none' is needed at its head"
            elif said(path) == "fused":
                for name, by in included(root, path, {}).items():
                    if said(root / name) == "none":
                        yield f"{path.relative_to(root)}: is fused and includes {name} (from {by.relative_to(root)}), which must not be"


def of_commands(root, commands):
    judged = 0
    for command in json.loads(commands.read_text()):
        for path in sources_of(pathlib.Path(command["file"]), commands.parent):
            if path.suffix not in (".cpp", ".cu") or not path.is_relative_to(root) or path.relative_to(root).parts[0] not in LIBRARY:
                continue
            judged += 1
            name, off = ("-fmad", "false") if path.suffix == ".cu" else ("-ffp-contract", "off")
            told = re.findall(rf" {name}=(\w+)", command["command"])  # the last counts
            is_fused = not told or told[-1] != off
            ought_to_be = says_itself(path) and said(path) == "fused"
            if is_fused != ought_to_be:
                yield f"{path.relative_to(root)}: is compiled {'with' if is_fused else 'without'} fused multiply-adds"
    if judged < 100:
        yield f"{commands}: {judged} commands of the library's sources"


def of_objects(root, commands):
    """GCC 12 emits vfmaddsub for sums and differences despite -ffp-contract=off, so this disassembles objects that
    could contain fused instructions.
    """
    if not shutil.which("objdump"):
        return
    for command in json.loads(commands.read_text()):
        words, path = command["command"].split(), pathlib.Path(command["file"])
        if path.suffix != ".cpp" or "-mfma" not in words or not says_itself(path) or said(path) != "none":
            continue
        made = pathlib.Path(command["directory"], words[words.index("-o") + 1])
        if made.exists() and (found := re.search(r"\bvfn?m(add|sub)\w*", subprocess.run(["objdump", "-d", made], capture_output=True, text=True).stdout)):
            yield f"{made}: has {found[0]}"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    complaints = list(of_sources(root))
    commands = pathlib.Path(sys.argv[2]).resolve().parent / "compile_commands.json"
    if commands.exists():
        complaints += of_commands(root, commands)
        complaints += of_objects(root, commands)
    print("\n".join(complaints) or "every source is compiled as it says")
    return bool(complaints)


sys.exit(main())
