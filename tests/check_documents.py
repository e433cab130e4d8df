#!/usr/bin/env python3
"""Checks that all files named in CONTRIBUTING.md exist, that it lists every folder, and that versions agree.

Also checks the pages: lines, paragraphs and sentences of user pages are short, no page tells its history, and the
documents have a limited number of words.
"""
import json
import pathlib
import re
import subprocess
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
settings = (root / "CMakeLists.txt").read_text()
version = re.search(r"project\(chamomile VERSION (\S+)", settings)[1]
date = re.search(r"set\(chamomile_release_date (\S+)\)", settings)[1]
for name, said in (("CITATION.cff", f"\nversion: {version}\ndate-released: {date}\n"), ("CHANGELOG.md", f"\n## {version}, {date}\n"),
                   ("codemeta.json", f'"version": "{version}",\n    "datePublished": "{date}"'), ("clients/amuse/amuse_chamomile/pyproject.toml", f'\nversion = "{version}"\n'),
                   ("clients/c/chamomile.h", f'such as "{version}"'), ("core/version.hpp", f'such as "{version} ('), ("packaging/spack/package.py", f'version("{version}", tag="v{version}")'),
                   ("packaging/conda/recipe.yaml", f'version: "{version}"'), ("docs/howto/install.md", f"./chamomile_{version}_amd64.deb"),
                   ("docs/howto/install.md", f"install chamomile-{version}-cp311"), ("docs/howto/licences.md", f"\nchamomile {version}\n")):
    if said not in (root / name).read_text():
        complaints.append(f"{name}: has no {said.strip()!r}")
json.loads((root / "codemeta.json").read_text())
# Wheel and site read the version from CMakeLists.txt.
for name, pattern in (("pyproject.toml", r"^regex = '(.*)'$"), ("docs/conf.py", r'^release = re\.search\(r"(.*?)", open')):
    asked = re.search(pattern, (root / name).read_text(), re.M)
    found = re.search(asked[1], settings) if asked else None
    if not found or found[1] != version:
        complaints.append(f"{name}: takes {found and found[1]} for the version, which is {version}")
# A tag on this commit has the name in the Spack recipe.
tags = subprocess.run(["git", "-C", root, "tag", "--points-at", "HEAD"], capture_output=True, text=True).stdout.split()
complaints += [f"the tag {tag} of this commit is not v{version}" for tag in tags if re.match(r"v?\d", tag) and tag != f"v{version}"]
release = re.search(r"^\*\*A release\.\*\*(.*?)(?=^\*\*|^## |\Z)", guide, re.M | re.S)
for word in ("CMakeLists.txt", "chamomile_release_date", "CHANGELOG.md", "CITATION.cff", "codemeta.json", "vVERSION", "packaging/try_clean"):
    if not release or f"`{word}" not in release[1]:
        complaints.append(f"CONTRIBUTING.md: a release: has no {word}")
# User projects in the documents request this version.
for path in sorted(path for folder in ("clients", "docs", "examples", "python", "tests") for path in (root / folder).rglob("*") if path.suffix in (".md", ".txt")):
    for asked in re.findall(r"find_package\(chamomile (\d+\.\d+)", path.read_text()):
        if asked != version.rpartition(".")[0]:
            complaints.append(f"{path.relative_to(root)}: find_package(chamomile {asked}) is not of version {version}")
# Every third-party package used by the build has a licence entry.
works = (root / "THIRD_PARTY.md").read_text()
text = "".join(path.read_text() for path in (root / "CMakeLists.txt", root / "cmake/ChamomileFourier.cmake", root / "cmake/ChamomileCuda.cmake", root / "python/CMakeLists.txt",
                                             root / "tests/CMakeLists.txt"))
said = {"PNG": "libpng", "CUDAToolkit": "CUDA", "OpenMP": "OpenMP", "Python": None, "Python3": None, "Git": None, "chamomile": None}
for name in sorted(set(re.findall(r"find_package\((\w+)", text))):
    if (word := said.get(name, name)) and word.lower() not in works.lower():
        complaints.append(f"THIRD_PARTY.md: says nothing of {name}")
for name in ("CONTRIBUTING.md", "CHANGELOG.md", "CITATION.cff", "THIRD_PARTY.md"):
    if f"({name})" not in (root / "README.md").read_text():
        complaints.append(f"README.md: does not point to {name}")
# Tables of measurements match their data files, and each table of numbers has a file. (The table of units holds
# definitions.)
done = subprocess.run([sys.executable, root / "docs/scripts/make_tables.py", "--check", root], capture_output=True, text=True)
complaints += (done.stdout + done.stderr).splitlines()
done = subprocess.run([sys.executable, root / "docs/scripts/ranks_model.py", "--check"], capture_output=True, text=True)
complaints += (done.stdout + done.stderr).splitlines()
for page in (root / "README.md", *sorted((root / "docs").rglob("*.md"))):
    text = re.sub(r"^ *<!-- table .*?^ *<!-- end of table -->", "", page.read_text(), flags=re.M | re.S)
    for rows in re.findall(r"^ *\|[-:| ]+\|\n((?: *\|.*\n)+)", text, re.M):
        cells = [cell for row in rows.splitlines() for cell in re.split(r"(?<!\\)\|", row.strip()[1:-1]) if cell.strip()]
        if len(re.findall(r"(?m)^ *[*<(~]*[-+]?\d", "\n".join(cells))) > 0.6 * len(cells) and page.name != "units.md":
            complaints.append(f"{page.relative_to(root)}: the table of {cells[0].strip()!r} has no file in docs/data (docs/scripts/make_tables.py)")
MAX_WORDS, MAX_LINE, MAX_PARAGRAPH, MAX_SENTENCE = 60000, 160, 80, 25
HISTORY = re.compile(r"was missed|on another day|\b(?:was|were|been|had) asked\b|\bas asked\b", re.IGNORECASE)
COMMIT = re.compile(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])(?!\d+e\d+\b)(?:[0-9a-f]{7,12}|[0-9a-f]{40})\b")


def paragraphs(text):
    """Yields each paragraph and list item of a page without links' addresses; no code, tables or headings."""
    text = re.sub(r"\]\([^)]*\)", "]", text)
    for block in re.split(r"\n\s*\n|\n(?=\s*(?:[-*] |\d+\. ))", text):
        if not re.match(r"\s*(?:[|#<!{]|    )", block) and block.strip():
            yield re.sub(r"^\s*(?:[-*]|\d+\.) ", "", block)


def page_faults(name, text, for_users):
    """Returns the complaints about the text of a page."""
    code = re.compile(r"^( *)```.*?^ *```", re.DOTALL | re.MULTILINE)
    plain = code.sub(lambda match: "\n" * match[0].count("\n"), text)
    faults = []
    for number, line in enumerate(re.sub(r"^ *<!-- table .*?<!-- end of table -->", lambda match: "\n" * match[0].count("\n"), plain,
                                         flags=re.DOTALL | re.MULTILINE).splitlines(), 1):
        faults += [f"{name}:{number}: {match[0]!r}: a page says what is, not what was" for match in HISTORY.finditer(line)]
        faults += [f"{name}:{number}: {match[0]}: a commit belongs into the last line of a table" for match in COMMIT.finditer(line)]
        if for_users and len(line) > MAX_LINE and not line.lstrip().startswith("|"):
            faults.append(f"{name}:{number}: {len(line)} characters: at most {MAX_LINE}")
    if for_users:
        words = sentences = 0
        for paragraph in paragraphs(re.sub(r"^ *<!-- table .*?<!-- end of table -->", "", plain, flags=re.DOTALL | re.MULTILINE)):
            count = len(paragraph.split())
            if count > MAX_PARAGRAPH:
                faults.append(f"{name}: a paragraph of {count} words: at most {MAX_PARAGRAPH}: {' '.join(paragraph.split()[:8])} ...")
            words += count
            sentences += max(1, len(re.findall(r"[.!?:][*_)\"]*(?=\s|$)", paragraph)))
        if words > MAX_SENTENCE * sentences:
            faults.append(f"{name}: {words / sentences:.1f} words a sentence: at most {MAX_SENTENCE}")
    return faults


# Each rule finds its fault in a made page.
for made, word in (("a " * 90, "characters"), ("a\n" * 81, "paragraph"), ("a " * 26 + ".\n\n", "sentence"), ("This was missed.", "what was"),
                   ("It took 3 s (1a09bfd).", "commit")):
    if not any(word in fault for fault in page_faults("made.md", made, True)):
        complaints.append(f"check_documents.py: misses {word!r} in a made page")
good = "It reads FILE.\n\n```sh\n" + "a" * 200 + "\n```\n\n<!-- table a.csv -->\n\n2026-11-22, commit 1a09bfd\n\n<!-- end of table -->\n"
complaints += page_faults("check_documents.py: a made page without a fault", good, True)

users = [root / "README.md", *(page for folder in ("tutorials", "howto", "reference") for page in sorted((root / "docs" / folder).glob("*.md"))),
         *sorted((root / "examples").glob("*/README.md"))]
documents = sorted((root / "docs").rglob("*.md"))
for page in sorted({*users, *documents}):
    complaints += page_faults(str(page.relative_to(root)), page.read_text(), page in users and page.name != "commands.md")
if (words := sum(len(page.read_text().split()) for page in documents)) > MAX_WORDS:
    complaints.append(f"docs: {words} words: at most {MAX_WORDS}")
print("\n".join(complaints) or "documents name what is there")
sys.exit(bool(complaints))
