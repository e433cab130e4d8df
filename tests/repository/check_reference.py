#!/usr/bin/env python3
"""Generates the reference from header comments without warnings and checks its contents."""
import pathlib
import subprocess
import sys

folder = pathlib.Path(sys.argv[2]).resolve().parent / "reference"
settings = folder / "Doxyfile"
if not settings.exists():
    print("skipped: no doxygen here when the build was configured")
    sys.exit(77)
done = subprocess.run(["doxygen", settings], capture_output=True, text=True)
warnings = (folder / "warnings.txt").read_text().splitlines()
pages = {page.name for page in (folder / "html").glob("*.html")}
missing = {"index.html", "classchamomile_1_1Solver.html", "structchamomile_1_1InteractionLists.html", "solver_8hpp.html"} - pages
print("\n".join(warnings[:20]))
print(f"{len(warnings)} warnings, {len(pages)} pages{', missing: ' + ', '.join(sorted(missing)) if missing else ''}")
sys.exit(done.returncode != 0 or bool(warnings) or bool(missing))
