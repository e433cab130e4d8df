#!/usr/bin/env python3
"""Checks the documents: README size, links and anchors in all pages, lines quoted in troubleshooting, and the site if
Sphinx exists.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

root = pathlib.Path(sys.argv[1]).resolve()
complaints = []

lines = (root / "README.md").read_text().splitlines()
if len(lines) > 120:
    complaints.append(f"README.md: {len(lines)} lines: at most 120")
complaints += [f"README.md: line {k}: {len(line)} characters: at most 160" for k, line in enumerate(lines, 1) if len(line) > 160]

pages = [root / "README.md", root / "CONTRIBUTING.md", root / "CHANGELOG.md", *(root / "docs").rglob("*.md"), *(root / "examples").rglob("*.md")]


def prose(page):
    """Returns a page without code blocks."""
    return re.sub(r"^( *)```.*?^ *```", "", page.read_text(), flags=re.M | re.S)


def anchors(page):
    """Returns GitHub's anchors for a page's headings, and explicit anchors."""
    text, found = prose(page), set()
    for heading in re.findall(r"^#+ (.*)$", text, re.M):
        words = re.sub(r"<[^>]*>", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)).strip().lower()
        slug = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        found.add(slug if slug not in found else slug + "-1")
    return found | set(re.findall(r'<a id="([\w-]+)"', text))


reached = {root / "README.md"}
for page in pages:
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        place = (page.parent / path).resolve() if path else page
        if not place.exists():
            complaints.append(f"{page.relative_to(root)}: {target}: is not there")
        elif anchor and place.suffix == ".md" and anchor not in anchors(place):
            complaints.append(f"{page.relative_to(root)}: {target}: has no such heading")
        if place != page:
            reached.add(place)
complaints += [f"{page.relative_to(root)}: no page leads to it" for page in pages if page.is_relative_to(root / "docs") and page not in reached and page.name != "index.md"]

# Lines quoted in troubleshooting occur in the program's sources.
sources = "".join(re.sub(r'"\s*\n\s*"', "", path.read_text()) for folder in ("app", "core", "force", "gpu", "integrate", "io", "run")
                  for path in (root / folder).rglob("*.c*"))
for quoted in re.findall(r"^\| `([^`]+)`", (root / "docs/howto/troubleshooting.md").read_text(), re.M):
    if quoted.removesuffix(" ...") not in sources:
        complaints.append(f"docs/howto/troubleshooting.md: `{quoted}`: the program never says so")

sphinx = shutil.which("sphinx-build")
if sphinx and not complaints:
    with tempfile.TemporaryDirectory() as site:
        done = subprocess.run([sphinx, "-n", "-W", "--keep-going", "-q", root / "docs", site], capture_output=True, text=True)
        if done.returncode and re.search("Could not import extension myst_parser|no theme named 'furo'", done.stderr):
            print("no myst-parser or no furo: the site was not built")
        elif done.returncode:
            complaints.append(done.stderr.strip())
        for page in pathlib.Path(site).rglob("*.html"):
            if re.search(r'(?:src|<link[^>]*href)="(?:https?:)?//', page.read_text()):
                complaints.append(f"site: {page.relative_to(site)}: asks the network")
elif not sphinx:
    print("no sphinx-build: the site was not built")
print("\n".join(complaints) or "the documents hold together")
sys.exit(bool(complaints))
