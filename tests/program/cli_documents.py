#!/usr/bin/env python3
"""Tests that documents match the program: the page of commands, every output column, and all commands in README,
tutorials and examples page.
"""
import re
import subprocess
import sys

from program import PROGRAM, ROOT, call, chamomile, check, children, run_parts

OUTPUTS = (ROOT / "docs/reference/output_files.md").read_text()


def commands(top):
    """The page of commands equals the program's output."""
    call(sys.executable, ROOT / "docs/scripts/make_commands.py", PROGRAM, top / "commands.md")
    check((top / "commands.md").read_text() == (ROOT / "docs/reference/commands.md").read_text(),
          "docs/reference/commands.md is not what docs/scripts/make_commands.py PROGRAM writes")


def options(top):
    """Options in the pages exist in their commands."""
    def names(*words):
        text = chamomile(top, *words, "--help-all")
        settings = chamomile(top, *words, "--help-settings") if "\n  --help-settings" in text else ""
        return set(re.findall(r"(?<![\w-])--[a-z][\w-]*", text) + re.findall(r"^  ([a-z-]+\.[\w-]+)", settings, re.M)), children(text, "Models")

    known = {}
    for command in children(chamomile(top, "--help"), "Commands"):
        known[command], models = names(command)
        known[command].update({"--help", "--help-all"}, *(names(command, model)[0] for model in models))
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "examples").rglob("*.md"))]
    told = 0
    for page_of in pages:
        text = page_of.read_text()
        for span in re.findall(r"`([^`\n]+)`", text) + re.findall(r"^(?:\$ |    )?(chamomile .*(?:\\\n.*)*)", text, re.M):
            for command, rest in re.findall(r"\bchamomile (\w[\w-]*)((?: [^;|&#`]*)?)", span):
                given = re.findall(r"(?<![\w-])--[a-z][\w-]*|(?<=--set )[a-z-]+\.[\w-]+", rest) if command in known else []
                told += len(given)
                for option in given:
                    check(option in known[command], f"{page_of.name}: {span[:100]}: {command} has no {option}")
    check(told > 300, f"{told} options were found in the pages: at least 300")


def explained(title):
    """Returns the names explained in a section of the output files page."""
    part = re.search(rf"^## {re.escape(title)}$(.*?)(?=^## |\Z)", OUTPUTS, re.M | re.S)
    check(part, f"output_files.md: no section {title}")
    names = [name.replace(r"\|", "|").replace("&#124;", "|") for name in re.findall(r"(?:`|<code>)([^`]+?)(?:`|</code>)", part[1] if part else "")]
    return {word for name in names for word in (name, *name.split())}


def columns(top):
    """Every column written by commands is explained."""
    chamomile(top, *"model cosmology --n 8 --box 50 --z-start 9 --seed 1 -o ics.hdf5 -q".split())
    chamomile(top, *"run ics.hdf5 --outputs-z 5,3 --dt 0.1 --power --halos -o box -q".split())
    chamomile(top, *"run --model plummer -n 500 --eps 0.1 --dt 0.1 --t-end 0.1 --accuracy 1e-2 --check-forces 50 -o run -q".split())
    chamomile(top, *"run --model plummer -n 500 --eps 0.1 --block-steps --t-end 0.1 --potential plummer,M=1,a=1 -o blocks -q".split())
    chamomile(top, *"run --model plummer -n 100 --eps 0 --integrator hermite --t-end 0.1 --bound --cluster --set cluster.binaries --set cluster.encounters=1 --set cluster.mass-groups=0.005 -o stars -q".split())
    chamomile(top, *"run --model plummer -n 500 --eps 0.1 --solver direct --dt 0.1 --t-end 0.1 -o direct -q".split())
    chamomile(top, *"profile run/snapshot_001.hdf5 --center 0,0,0 -o shells.csv".split())
    chamomile(top, *"profile run/snapshot_001.hdf5 --center 0,0,0 --cylinders -o rings.csv".split())
    chamomile(top, *"bound run/snapshot_001.hdf5 -o bound.csv".split())
    chamomile(top, *"accuracy --model plummer -n 500 --eps 0.01 --sample 50 --csv errors.csv".split())
    chamomile(top, *"bench -n 500 --repeat 2 --phases --ceiling --csv times.csv --sample 50".split())
    chamomile(top, *"power box/snapshot_000.hdf5 --fits -o power.txt".split())
    chamomile(top, *"halos box/snapshot_000.hdf5 --linking-length 0.9 --min-members 2 -o halos.txt --mass-function numbers.txt --fits".split())
    steps = explained("steps.csv")
    for file, title in (("box/energy.csv", "energy.csv"), ("run/energy.csv", "energy.csv"), ("blocks/energy.csv", "energy.csv"), ("stars/energy.csv", "energy.csv"), ("run/forces.csv", "forces.csv"),
                        *((f"{name}/steps.csv", "steps.csv") for name in ("box", "run", "blocks", "stars", "direct")), ("shells.csv", "`chamomile profile`"),
                        ("rings.csv", "`chamomile profile`"), ("stars/bound.csv", "bound.csv, `chamomile bound`"), ("bound.csv", "bound.csv, `chamomile bound`"),
                        *((f"stars/{name}.csv", "Tables of a cluster") for name in ("cluster", "escapers", "binaries", "encounters")), ("errors.csv", "`chamomile accuracy --csv`"), ("times.csv", "`chamomile bench --csv`"),
                        ("power.txt", "power_NNN.txt, `chamomile power`"),
                        ("halos.txt", "halos_NNN.hdf5, `chamomile halos`"), ("numbers.txt", "halos_NNN.hdf5, `chamomile halos`")):
        lines = (top / file).read_text().splitlines()
        if file.endswith(".csv"):
            names = [name.partition(" [")[0].replace("_group2", "_group1") for name in lines[0].split(",")]
        else:
            names = [line for line in lines if line.startswith("#")][-1][2:].split()
        known = explained(title)
        if file == "times.csv":  # settings and phases belong to other tables
            known |= steps | explained("`chamomile accuracy --csv`")
        lacking = [name for name in names if name not in known]
        check(not lacking, f"output_files.md: {title}: columns of {file} without description: {lacking}")


    # The columns of energy.csv are in the order of the first table.
    order = re.findall(r"`([^`]+)`", " ".join(re.findall(r"^\| (`.*?) \|", re.search(r"^## energy.csv$(.*?)^Of comoving", OUTPUTS, re.M | re.S)[1], re.M)))
    for file in ("run/energy.csv", "blocks/energy.csv"):
        names = (top / file).read_text().partition("\n")[0].split(",")
        check(names == [name for name in order if name not in ("external", "internal") or file.startswith("blocks")], f"output_files.md: energy.csv: {file} has {names}")


def recipes(top):
    """Runs the commands by example in page order, with few particles and steps."""
    folder = top / "recipes"
    folder.mkdir()
    lines = re.findall(r"^\| [^|]*\| `(chamomile .*?)` \|", (ROOT / "docs/howto/recipes.md").read_text(), re.M)
    check(len(lines) > 15, f"recipes.md: {len(lines)} commands were found")
    for line in lines:
        small = re.sub(r" -n \S+", " -n 500", re.sub(r" --n \d+", " --n 12", line))
        done = subprocess.run(["bash", "-c", f"{PROGRAM} {small.removeprefix('chamomile ')}"], cwd=folder, capture_output=True, text=True, timeout=600)
        if "needs matplotlib" in done.stderr:
            print("no matplotlib: the plots were not tested")
            continue
        check(done.returncode == 0, f"recipes.md: {line}: {done.stderr}")
        for name in re.findall(r"(?:-o|--mass-function|--csv) (\S+)", small):
            check((folder / name).exists(), f"recipes.md: {line}: {name} was not made")


def page(path):
    """Runs a page's commands in order in a separate folder; files named by -o and similar options, and files named in a
    tutorial, must exist afterwards. Also runs `console` blocks with the program, shortened: pages that open a browser.
    """
    def part(top):
        folder = top / path.stem
        folder.mkdir()
        (folder / "bin").mkdir()
        (folder / "bin/chamomile").symlink_to(PROGRAM)
        text = path.read_text()
        blocks = re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S)
        shown = re.findall(r"^\$ (.*)", "".join(re.findall(r"^```console\n(.*?)^```", text, re.M | re.S)), re.M)
        for command in shown:
            words = command.split()
            if words[0] == "chamomile":
                blocks.append("timeout --preserve-status -s INT " + ("5 " if words[1] == "view" else "120 ") + re.sub(r" -n \S+", " -n 300", command))
            else:
                check("/" not in words[0] or (ROOT / words[0]).exists(), f"{path.name}: {words[0]}: does not exist")
        check(blocks, f"{path.name}: has no commands")
        for block in blocks:
            done = subprocess.run(["bash", "-e", "-c", f'PATH="$PWD/bin:$PATH"\n{block}'], cwd=folder, capture_output=True, text=True, timeout=600)
            check(done.returncode == 0, f"{path.name}: {block}{done.stdout[-300:]}{done.stderr}")
            for name in re.findall(r"(?:-o|--output|--mass-function|--csv|>) (\S+)", re.sub(r" \|\| true", "", block)):
                check((folder / name).exists() or "|| true" in block, f"{path.name}: {name}: was not made by {block}")
        for name in re.findall(r"`([\w/]+\.(?:png|csv|txt|hdf5|log))`", text) if path.parent.name == "tutorials" else ():
            check((folder / name).exists(), f"{path.name}: speaks of {name}, which its commands do not make")
    return part


run_parts("the documents say what the program does", commands, options, columns, recipes, page(ROOT / "README.md"),
          *(page(path) for path in sorted((ROOT / "docs/tutorials").glob("*.md")) if path.stem != "gallery" and re.search("^```(sh|console)", path.read_text(), re.M)))  # that page: cli_gallery
