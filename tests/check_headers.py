#!/usr/bin/env python3
"""Each public header (cmake/public_headers.txt) compiles by itself without a warning, those for C in both languages, and what
documents and examples include is one of them."""
import concurrent.futures
import json
import pathlib
import re
import shutil
import subprocess
import sys

root, build = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve().parent

THROWN = "static_assert(sizeof(chamomile::Error) > 0);\n"  # is declared where it is thrown


def compiler():
    """The one of the build: it knows where the standard library is."""
    commands = build / "compile_commands.json"
    if commands.exists():
        for command in json.loads(commands.read_text()):
            if command["file"].endswith(".cpp"):
                words = [word for word in command["command"].split() if not word.endswith("ccache")]
                return words[0]
    return "c++"


def compiled(header, language):
    """Nothing, or what a compiler says of a file that includes the header twice and nothing else."""
    standard = {"c++": "c++20", "c": "c11"}[language]
    words = [compiler()]
    if "<mpi.h>" in (root / header).read_text():  # it lies beside chamomile.h where it is installed
        words = [{"c++": "mpicxx", "c": "mpicc"}[language], "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX", f"-I{root / 'clients/c'}"]
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
