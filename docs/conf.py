# The site: sphinx-build -n -W docs site. It needs Sphinx, myst-parser and furo, and no network.
import os
import re

project = "Chamomile"
author = "the Chamomile developers"
project_copyright = "2024-2026 The Chamomile developers"
release = re.search(r"project\(chamomile VERSION (\S+)", open(os.path.join(os.path.dirname(__file__), "../CMakeLists.txt")).read())[1]
extensions = ["myst_parser"]
html_theme = "furo"
html_title = f"Chamomile {release}"
exclude_patterns = ["data", "scripts"]
myst_heading_anchors = 4
myst_enable_extensions = ["dollarmath"]
suppress_warnings = ["myst.header"]

# Markdown as GitHub shows it has anchors `<a id="d20"></a>`; MyST has labels `(d20)=`.
ANCHOR = re.compile(r'<a id="([\w-]+)"></a>')


def labels_for_anchors(app, name, source):
    lines = []
    for line in source[0].split("\n"):
        for anchor in ANCHOR.findall(line):
            lines.append(f"({anchor})=")
        lines.append(ANCHOR.sub("", line).rstrip() if ANCHOR.search(line) else line)
    text = "\n".join(lines)
    for anchor in app.anchors:
        text = re.sub(rf"\]\([\w./]*#{anchor}\)", f"]({anchor})", text)
    # Files of the repository are not on the site: they are named.
    here = os.path.dirname(name)

    def outside(link):
        path = os.path.normpath(os.path.join(here, link[2]))
        return f"{link[1]} (`{path.removeprefix('../')}`)" if path.startswith("../") else link[0]

    source[0] = re.sub(r"(?<!!)\[([^\]]+)\]\(([\w./-]+)\)", outside, text)


def setup(app):
    app.anchors = set()
    for folder, _, files in os.walk(app.srcdir):
        for file in files:
            if file.endswith(".md"):
                app.anchors.update(ANCHOR.findall(open(os.path.join(folder, file)).read()))
    app.connect("source-read", labels_for_anchors)
