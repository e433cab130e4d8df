#!/usr/bin/env python3
"""Every file that CONTRIBUTING.md names is there, it has a line for every folder, and the version is the same everywhere."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1]).resolve()
guide = (root / "CONTRIBUTING.md").read_text()
complaints = []
for name in sorted(set(re.findall(r"`([\w.]+(?:/[\w.*]+)+)`", guide))):
    if "NAME" in name:
        name = name.rpartition("/")[0].removesuffix("/NAME")
    if not any(root.glob(name)) and name.split("/")[0] not in ("build", "reference"):
        complaints.append(f"CONTRIBUTING.md: {name}: is not there")
for folder in sorted(path.name for path in root.iterdir() if path.is_dir() and not path.name.startswith(".") and path.name not in ("build", "out")):
    if f"| `{folder}` |" not in guide:
        complaints.append(f"CONTRIBUTING.md: no line for {folder}/")
version = re.search(r"project\(chamomile VERSION (\S+)", (root / "CMakeLists.txt").read_text())[1]
for name, said in (("CITATION.cff", f"\nversion: {version}\n"), ("CHANGELOG.md", f"\n## {version}")):
    if said not in (root / name).read_text():
        complaints.append(f"{name}: has no version {version}")
for name in ("CONTRIBUTING.md", "CHANGELOG.md", "CITATION.cff"):
    if f"({name})" not in (root / "README.md").read_text():
        complaints.append(f"README.md: does not point to {name}")
print("\n".join(complaints) or "documents name what is there")
sys.exit(bool(complaints))
