#!/usr/bin/env python3
"""Checks the CUDA architectures of a build: local GPUs, a default without GPU, or all on request."""
import os
import pathlib
import subprocess
import sys
import tempfile

source = pathlib.Path(sys.argv[1]).resolve()
ALL = "75-real;80-real;86-real;89-real;90-real;100-real;120-real;120-virtual"
CASES = [  # CHAMOMILE_CUDA_ARCHITECTURES, nvidia-smi output (None: fails), architectures
    ("auto", "9.0", "90-real"),
    ("auto", "8.6\n8.6\n9.0", "86-real;90-real"),
    ("auto", "12.0", "120-real"),
    ("auto", "", "80"),
    ("auto", "6.1", "80"),  # no longer supported by nvcc
    ("auto", "[N/A]", "80"),
    ("auto", None, "80"),
    ("common", "9.0", ALL),
    ("common", None, ALL),
    ("90-real", "8.0", "90-real"),
    ("80;90", None, "80;90"),
]


def write_program(path, text):
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)


wrong = []
with tempfile.TemporaryDirectory() as folder:
    place = pathlib.Path(folder)
    (place / "known").write_text("".join(f"sm_{k}\n" for k in (75, 80, 86, 87, 89, 90, 100, 120)))
    write_program(place / "nvcc", f"cat {place}/known\n")
    (place / "script.cmake").write_text(f"""
set(CHAMOMILE_CUDA OFF)
include({source}/cmake/ChamomileCuda.cmake)
set(CMAKE_CUDA_COMPILER {place}/nvcc)
chamomile_choose_architectures(found)
message("found: ${{found}}")
""")
    for asked, answer, expected in CASES:
        (place / "cards").write_text("" if answer is None else answer + "\n")
        write_program(place / "nvidia-smi", f"cat {place}/cards\nexit {int(answer is None)}\n")
        done = subprocess.run(["cmake", f"-DCHAMOMILE_CUDA_ARCHITECTURES={asked}", "-P", place / "script.cmake"],
                              capture_output=True, text=True, env=dict(os.environ, PATH=f"{place}:{os.environ['PATH']}"))
        if done.returncode or f"found: {expected}\n" not in done.stderr:
            wrong.append(f"{asked}, GPUs {answer!r}: {(done.stdout + done.stderr).strip()}, should be {expected}")
print("\n".join(wrong) or f"{len(CASES)} cases")
sys.exit(bool(wrong))
