#!/usr/bin/env python3
"""Checks that C++, CUDA and C files match .clang-format, with the clang-format version used to format them."""
import pathlib
import re
import shutil
import subprocess
import sys

VERSION = "14"  # other versions break lines differently
FOREIGN = ("tests/hosts/", "interfaces/grape5/gp5util.h", "interfaces/grape6/gp6util.h")  # in the style of other codes

root = pathlib.Path(sys.argv[1]).resolve()
program = shutil.which(f"clang-format-{VERSION}") or shutil.which("clang-format")
version = subprocess.run([program, "--version"], capture_output=True, text=True).stdout if program else "none"
if f"version {VERSION}." not in version:
    print(f"skipped: clang-format {VERSION} is needed, found: {version.strip()}")
    sys.exit(77)
files = [path for ending in ("cpp", "hpp", "cu", "cuh", "c", "h") for path in root.rglob(f"*.{ending}")
         if not path.relative_to(root).parts[0] in ("build", "out") and not any(word in str(path.relative_to(root)) for word in FOREIGN)
         and "/build/" not in str(path)]
done = subprocess.run([program, "--dry-run", "--Werror", *files], capture_output=True, text=True, cwd=root)
wrong = sorted(set(re.findall(r"^(\S+?):\d+:\d+: error", done.stderr, re.MULTILINE)))
print("\n".join(f"{name}: clang-format -i changes it" for name in wrong) or f"{len(files)} files are formatted")
sys.exit(done.returncode != 0 or len(files) < 100)
