#!/usr/bin/env python3
"""Checks that each public header (cmake/public_headers.txt) compiles alone without warnings, C headers also as C, and
that documents and examples include public headers only.
"""
import concurrent.futures
import json
import pathlib
import re
import shutil
import subprocess
import sys

root, build = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve().parent

THROWN = "static_assert(sizeof(chamomile::Error) > 0);\n"  # declared in every header that throws it


def compiler():
    """Returns the build's compiler, which can find the standard library."""
    commands = build / "compile_commands.json"
    if commands.exists():
        for command in json.loads(commands.read_text()):
            if command["file"].endswith(".cpp"):
                words = [word for word in command["command"].split() if not word.endswith("ccache")]
                return words[0]
    return "c++"


def compiled(header, language):
    """Returns compiler messages for a file that includes only this header, twice; "" if none."""
    standard = {"c++": "c++20", "c": "c11"}[language]
    words = [compiler()]
    if "<mpi.h>" in (root / header).read_text():  # installed next to chamomile.h
        words = [{"c++": "mpicxx", "c": "mpicc"}[language], "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX", f"-I{root / 'interfaces/c'}"]
        if not shutil.which(words[0]):
            print(f"{header}: skipped: no {words[0]}")
            return None
    done = subprocess.run([*words, f"-std={standard}", "-x", language, "-Wall", "-Wextra", "-Wshadow", "-Werror", "-fsyntax-only", f"-I{build / 'headers'}", "-"],
                          input=f"#include <chamomile/{header}>\n" * 2 + (THROWN if "Throws Error" in (root / header).read_text() else ""), capture_output=True, text=True)
    said = [line for line in done.stderr.splitlines() if "error" in line] or ["the compiler failed"]
    return f"{header}: as {language}: {said[0]}" if done.returncode else None


def main():
    headers = [line for line in (root / "cmake/public_headers.txt").read_text().splitlines() if line and not line.startswith("#")]
    complaints = [f"cmake/public_headers.txt: {header}: is not there" for header in headers if not (root / header).exists()]
    complaints += ["cmake/public_headers.txt: is not in order, or names a header twice"] if headers != sorted(set(headers)) else []
    for path in [root / "README.md", *(root / "docs").rglob("*.md"), *(p for p in (root / "examples").rglob("*") if p.suffix in (".cpp", ".hpp", ".c", ".h", ".md"))]:
        for name in re.findall(r"#include <chamomile/([^>]+)>", path.read_text()):
            if name not in headers:
                complaints.append(f"{path.relative_to(root)}: includes {name}, which is no public header")
    jobs = [(header, "c++") for header in headers] + [(header, "c") for header in headers if header.endswith(".h")]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        complaints += filter(None, pool.map(lambda job: compiled(*job), jobs))
    print("\n".join(complaints) or f"{len(headers)} public headers compile by themselves")
    return bool(complaints)


sys.exit(main())
