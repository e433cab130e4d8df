#!/usr/bin/env python3
"""Compares the bits of what two programs write: same_bits.py OLD NEW [--gpu] [--only WORD] [--jobs N]

A table of cases runs through both: accelerations, potentials, snapshots, energies, steps, checkpoints that OLD wrote and
NEW goes on from, sums of pair laws, spectra, halos, models and file formats. A case is the same, differs by so
much of the largest value of a column, or is refused by NEW. The exit status is 0 if all are the same; a checkpoint of OLD
that NEW refuses in one line is told and put up with. Words of times and versions are not looked at.
"""
import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import zlib

SCREENED = """target position x y z, charge
source position x y z, charge
sum fx fy fz, energy
parameter length = 0.5
parameter cutoff = 4
dx = target.x - source.x
dy = target.y - source.y
dz = target.z - source.z
r2 = dx^2 + dy^2 + dz^2
ri = rsqrt(r2)
u = target.charge*source.charge * exp(-r2*ri/length) * ri
seen = r2 <= cutoff^2
w = select(seen, u*ri*(ri + 1/length), 0)
fx += w*dx
fy += w*dy
fz += w*dz
energy += select(seen, u, 0)
"""


@dataclasses.dataclass
class Case:
    """A row of the table: a command's words, with `{out}` for its output, and words for a restart."""
    words: str
    restart: str = ""
    where: str = "any"  # or: cpu, gpu


RUN = "run {in}/plummer.hdf5 --eps 0.05 --t-end 0.125 --snapshot-every 0.0625 --energy-every 0.015625"
BLOCKS = RUN + " --block-steps --dt-max 0.03125"
BOX = "run {in}/plummer.hdf5 --eps 0.05 --t-end 0.0625 --snapshot-every 0.03125 --box 16 --set periodic.mesh=32"
COMOVING = "run {in}/box.hdf5 --z-end 8 --snapshot-every 0.05"
HERMITE = "run {in}/few.hdf5 --eps 0.01 --t-end 0.0625 --snapshot-every 0.03125 --integrator hermite"
GOAL = "--accuracy 1e-2 --criterion moments --order 2 --local-order 4 --set tree.group-size=64 --set tree.leaf-size=16"

FORCES = {  # Plummer sphere with 3000 particles unless another file is named
    "tree": "--eps 0.01",
    "order 0": "--eps 0.01 --order 0",
    "order 3": "--eps 0.01 --order 3",
    "order 4": "--eps 0.01 --order 4 --tolerance 1e-5",
    "local order 0": "--eps 0.01 --local-order 0",
    "local order 3": "--eps 0.01 --local-order 3 --tolerance 1e-2",
    "local order 4": "--eps 0.01 --local-order 4 --tolerance 1e-2",
    "local order 5": "--eps 0.01 --local-order 5 --tolerance 1e-2",
    "double": "--eps 0.01 --precision double",
    "double, order 4, local order 0": "--eps 0.01 --precision double --order 4 --local-order 0",
    "double, spline, order 3": "--eps 0.1 --precision double --softening spline --order 3",
    "spline": "--eps 0.1 --softening spline",
    "no softening": "--eps 0",
    "relative": "--eps 0.01 --criterion relative",
    "geometric": "--eps 0.01 --theta 0.8",
    "minimum distance": "--eps 0.01 --criterion minimum-distance --theta 0.5",
    "small groups and batches": "--eps 0.01 --set tree.group-size=32 --set tree.leaf-size=4 --set tree.batch-size=7",
    "decorrelated": "--eps 0.01 --set tree.decorrelate=5",
    "accuracy": "--eps 0.01 " + GOAL,
    "direct": "--eps 0.01 --solver direct",
    "direct, double": "--eps 0.01 --solver direct --precision double",
    "direct, spline": "--eps 0.1 --solver direct --softening spline",
    "direct, double, spline": "--eps 0.1 --solver direct --precision double --softening spline",
    "box, mesh": "--eps 0.05 --box 16",
    "box, mesh, other split": "--eps 0.05 --box 16 --set periodic.mesh=32 --set periodic.split=1.5 --set periodic.cut=4.5 --order 0",
    "box, mesh, double": "--eps 0.05 --box 16 --set periodic.mesh=32 --precision double",
    "box, mesh, spline": "--eps 0.3 --box 16 --set periodic.mesh=32 --softening spline --set tree.decorrelate=3",
    "box, modes": "--eps 0.05 --box 16 --set periodic.long-range=modes",
    "box, modes, double, order 0": "--eps 0.05 --box 16 --set periodic.long-range=modes --precision double --order 0",
    "box, Ewald's direct sum": "{in}/few.hdf5 --eps 0.05 --box 16 --solver direct",
    "galaxy, three types": "{in}/galaxy.hdf5 --eps 0.05 --order 3 --softening spline",
    "comoving box": "{in}/box.hdf5",
    "two clouds far apart": "{in}/apart.txt --eps 0.001",
    "two clouds far apart, direct": "{in}/apart.txt --eps 0.001 --solver direct",
    "two particles": "{in}/two.txt --eps 0",
    "GADGET-2": "{in}/plummer.gadget2 --eps 0.01",
    "Tipsy": "{in}/plummer.tipsy --eps 0.01",
    "text": "{in}/plummer.txt --eps 0.01",
}
RUNS = {
    "leapfrog": RUN + " --dt 0.0078125",
    "leapfrog, order 4, double": RUN + " --dt 0.0078125 --order 4 --precision double --tolerance 1e-4",
    "leapfrog, spline, decorrelated": RUN + " --dt 0.0078125 --softening spline --set tree.decorrelate=5",
    "leapfrog, direct": RUN + " --dt 0.0078125 --solver direct",
    "leapfrog, accuracy": RUN + " --dt 0.015625 --set accuracy.every=2 " + GOAL,
    "leapfrog, checked forces": RUN + " --dt 0.015625 --check-forces 30 --set check-forces.every=2 --frames",
    "leapfrog, three types": "run {in}/galaxy.hdf5 --eps 0.1 --dt 0.01 --t-end 0.03 --snapshot-every 0.03 --frames",
    "adaptive": RUN + " --adaptive",
    "adaptive, potential": RUN + " --adaptive --step-criterion potential --dt-max 0.01 --dt-min 1e-4",
    "blocks": BLOCKS,
    "blocks, softening": BLOCKS + " --step-criterion softening --eta 0.05",
    "blocks, few rungs": BLOCKS + " --set blocks.rungs=2 --eta 0.01",
    "blocks, trees built anew": BLOCKS + " --set blocks.rebuild-above=0",
    "blocks, trees kept by half": BLOCKS + " --set blocks.rebuild-above=0.5",
    "blocks, trees kept": BLOCKS + " --set blocks.rebuild-above=1 --order 4 --local-order 4",
    "blocks, double, relative": BLOCKS + " --precision double --criterion relative",
    "blocks, direct": BLOCKS + " --solver direct",
    "blocks, decorrelated, spline": BLOCKS + " --set tree.decorrelate=7 --softening spline",
    "blocks, accuracy": BLOCKS + " --set accuracy.every=1 " + GOAL,
    "blocks, few by the host": BLOCKS + " --set blocks.host-below=40",
    "blocks, hierarchical": BLOCKS + " --block-scheme hierarchical",
    "hermite": HERMITE,
    "hermite, shared steps": HERMITE + " --set hermite.shared-steps --eta 0.02",
    "hermite, fixed steps": HERMITE + " --dt 0.00390625 --set hermite.iterations=2 --set hermite.final-evaluation",
    "box, mesh": BOX + " --dt 0.0078125",
    "box, mesh, adaptive": BOX + " --adaptive --softening spline",
    "box, mesh, blocks": BOX + " --block-steps --dt-max 0.03125 --step-criterion softening",
    "box, mesh, blocks, hierarchical": BOX + " --block-steps --dt-max 0.03125 --step-criterion softening --block-scheme hierarchical",
    "box, mesh, blocks, trees kept": BOX + " --block-steps --dt-max 0.03125 --step-criterion softening --set blocks.rebuild-above=1",
    "box, modes": BOX.replace("--set periodic.mesh=32", "--set periodic.long-range=modes --dt 0.015625"),
    "box, modes, blocks": BOX.replace("--set periodic.mesh=32", "--set periodic.long-range=modes --block-steps --dt-max 0.03125 --step-criterion softening"),
    "box, Ewald's direct sum": BOX.replace("--set periodic.mesh=32", "--solver direct --dt 0.03125").replace("plummer", "few"),
    "comoving, adaptive": COMOVING + " --adaptive --power",
    "comoving, fixed": COMOVING + " --dt 0.02 --eps-max 0.5",
    "comoving, blocks": COMOVING + " --block-steps --set tree.decorrelate=2",
    "comoving, blocks, trees kept": COMOVING + " --block-steps --set blocks.rebuild-above=1",
    "comoving, modes": COMOVING + " --dt 0.05 --set periodic.long-range=modes",
    "comoving, other background": "run {in}/box.hdf5 --z-end 8 --outputs-z 8.5 --dt 0.05 --set cosmology.w0=-0.9 --set cosmology.wa=0.1 --set cosmology.omega-r=1e-4",
}
ON_DEVICE = {
    "direct": RUN + " --dt 0.0078125 --solver direct",
    "direct, double": RUN + " --dt 0.0078125 --solver direct --precision double",
    "tree": RUN + " --dt 0.0078125 --solver tree",
    "tree, order 4, decorrelated": RUN + " --dt 0.0078125 --solver tree --order 4 --set tree.decorrelate=5",
    "tree, adaptive, spline": RUN + " --adaptive --solver tree --softening spline",
    "tree, blocks": BLOCKS + " --solver tree",
    "tree, blocks, softening, trees kept": BLOCKS + " --solver tree --step-criterion softening --set blocks.rebuild-above=1",
    "tree, blocks, trees built anew": BLOCKS + " --solver tree --set blocks.rebuild-above=0",
    "box": BOX + " --dt 0.0078125 --solver tree",
    "box, blocks": BOX + " --block-steps --dt-max 0.03125 --step-criterion softening --solver tree",
    "comoving": COMOVING + " --adaptive --solver tree",
    "comoving, blocks": COMOVING + " --block-steps --solver tree",
}
RESTARTS = {  # by words: for OLD until its checkpoint, and for both to continue
    "leapfrog": (RUN + " --dt 0.0078125 --set tree.decorrelate=5", "--t-end 0.25"),
    "adaptive": (RUN + " --adaptive", "--t-end 0.25"),
    "direct": (RUN + " --dt 0.0078125 --solver direct", "--t-end 0.25"),
    "blocks": (BLOCKS, "--t-end 0.25"),
    "blocks, trees kept": (BLOCKS + " --step-criterion softening --set blocks.rebuild-above=1", "--t-end 0.25"),
    "accuracy": (RUN + " --dt 0.015625 --set accuracy.every=2 " + GOAL, "--t-end 0.25"),
    "hermite": (HERMITE, "--t-end 0.125"),
    "box": (BOX + " --dt 0.0078125", "--t-end 0.125"),
    "comoving": (COMOVING + " --adaptive", "--z-end 7"),
    "comoving, blocks": (COMOVING + " --block-steps", "--z-end 7"),
}
PAIRS = {
    "gravity": "gravity --sources {in}/pairs4.txt --no-self --parameter eps=0.01",
    "gravity, double": "gravity --sources {in}/pairs4.txt --no-self --precision double",
    "gravity, other targets": "gravity --sources {in}/pairs4.txt --targets {in}/pairs3.txt --parameter eps=0.01",
    "acceleration": "gravity_acceleration --sources {in}/pairs4.txt --parameter eps=0.01",
    "jerk": "gravity_jerk --sources {in}/pairs7.txt --parameter eps=0.01",
    "jerk, double": "gravity_jerk --sources {in}/pairs7.txt --parameter eps=0.01 --precision double",
    "Yukawa with a cut-off": "yukawa --sources {in}/pairs4.txt --no-self --cutoff 0.3",
    "Yukawa in a box": "yukawa --sources {in}/pairs4.txt --no-self --cutoff 0.3 --period 1",
    "Lennard-Jones in a box": "lennard_jones --sources {in}/pairs3.txt --no-self --cutoff 0.4 --period 1 --parameter sigma=0.05",
    "molecular": "molecular --sources {in}/pairs6.txt --no-self --precision double",
    "text": "{in}/screened.law --sources {in}/pairs4.txt --no-self",
    "text, double": "{in}/screened.law --sources {in}/pairs4.txt --no-self --parameter cutoff=0.4 --precision double",
}
OTHERS = {
    "power": Case("power {in}/box.hdf5 -o {out}/power.txt", where="cpu"),
    "power, folded, linear theory": Case("power {in}/box.hdf5 --fold 2 --linear --fits -o {out}/power.txt", where="cpu"),
    "halos": Case("halos {in}/box.hdf5 --min-members 2 --linking-length 0.9 -o {out}/halos.txt --mass-function {out}/masses.txt", where="cpu"),
    "halos, isolated": Case("halos {in}/plummer.hdf5 --length 0.1 -o {out}/halos.txt", where="cpu"),
    "render": Case("render {in}/galaxy.hdf5 -o {out}/galaxy.png", where="cpu"),
}
MODELS = {"plummer": "-n 500", "hernquist": "-n 500", "nfw": "-n 500", "cold-sphere": "-n 500", "cube": "-n 500", "two-body": "", "disk": "-n 500",
          "galaxy": "-n 1000", "merger": "-n 2000", "cosmology": "--n 8 --box 50"}


def cases():
    table = {}
    for name, words in FORCES.items():
        file = "" if words.startswith("{in}") else "{in}/plummer.hdf5 "
        table[f"force: {name}"] = Case(f"force {file}{words} -o {{out}}/force.hdf5")
    for kind in ("avx2", "baseline"):
        table[f"force: {kind}"] = Case(f"force {{in}}/plummer.hdf5 --eps 0.01 --instruction-set {kind} -o {{out}}/force.hdf5", where="cpu")
        table[f"run: blocks, {kind}"] = Case(f"{BLOCKS} --instruction-set {kind} -o {{out}}", where="cpu")
        table[f"run: box, {kind}"] = Case(f"{BOX} --dt 0.015625 --instruction-set {kind} -o {{out}}", where="cpu")
        table[f"pairs: {kind}"] = Case(f"pairs --law {PAIRS['gravity']} --instruction-set {kind} -o {{out}}/sums.txt", where="cpu")
    for name, words in RUNS.items():
        table[f"run: {name}"] = Case(f"{words} -o {{out}}")
    for name, words in ON_DEVICE.items():
        table[f"resident: {name}"] = Case(f"{words} --resident -o {{out}}", where="gpu")
    for name, (words, more) in RESTARTS.items():
        table[f"restart: {name}"] = Case(f"{words} -o {{out}}", f"run --restart {{out}} {more}")
    for name in ("direct", "tree", "tree, blocks", "box, blocks", "comoving"):
        more = "--z-end 7" if name == "comoving" else "--t-end 0.25"
        table[f"restart, resident: {name}"] = Case(f"{ON_DEVICE[name]} --resident -o {{out}}", f"run --restart {{out}} {more}", where="gpu")
    for name, words in PAIRS.items():
        table[f"pairs: {name}"] = Case(f"pairs --law {words} -o {{out}}/sums.txt")
    table |= OTHERS
    for name, words in MODELS.items():
        table[f"model: {name}"] = Case(f"model {name} {words} -o {{out}}/model.hdf5", where="cpu")
    for ending in ("hdf5", "gadget2", "tipsy", "txt"):
        table[f"convert: {ending}"] = Case(f"convert {{in}}/galaxy.hdf5 {{out}}/galaxy.{ending}", where="cpu")
    return table


def call(program, folder, words, device=""):
    """Runs a command in `folder`; relative file names are equal for both programs."""
    names = {"in": "../../in", "out": "out"}
    words = [word.format(**names) for word in words.split()] + ["-q"]
    restarted = "--restart" in words
    if words[0] in ("force", "run", "pairs"):
        words += ["--threads", "2"]
        words += ["--device", device] if device and not restarted else []
    if device == "gpu" and "--block-steps" in words and "blocks.host-below" not in " ".join(words) and not {"--resident", "--accuracy", "--box", "../../in/box.hdf5"} & set(words):
        words += ["--set", "blocks.host-below=0"]  # otherwise the host's share would be measured
    return subprocess.run([program, *words], cwd=folder, capture_output=True, text=True, timeout=300,
                          env=os.environ | {"OMP_WAIT_POLICY": "passive"})


def make_inputs(program, top):
    """Writes particles and rows for all cases, with OLD or directly."""
    folder = top / "in"
    folder.mkdir()

    def must(*words):
        done = subprocess.run([program, *words, "-q"], cwd=folder, capture_output=True, text=True, timeout=300)
        if done.returncode:
            sys.exit(f"{' '.join(words)}: {done.stderr}")

    must("model", "plummer", "-n", "3000", "-o", "plummer.hdf5")
    must("model", "plummer", "-n", "300", "-o", "few.hdf5")
    must("model", "galaxy", "-n", "3000", "-o", "galaxy.hdf5")
    must("model", "cosmology", "--n", "12", "--box", "2", "--z-start", "9", "-o", "box.hdf5")
    for ending in ("gadget2", "tipsy", "txt"):
        must("convert", "plummer.hdf5", f"plummer.{ending}")
    (folder / "screened.law").write_text(SCREENED)
    numbers = random.Random(1)
    for width in (3, 4, 6, 7):
        (folder / f"pairs{width}.txt").write_text("".join(" ".join(repr(numbers.random()) for _ in range(width)) + "\n" for _ in range(700)))
    clouds = [[1.0, *(numbers.gauss(0, 1e-3) + (k % 2) * 1e5 for _ in range(3)), 0.0, 0.0, 0.0] for k in range(800)]
    rows = {"apart": clouds + [[1e-3, 1e9, 0.0, 0.0, 0.0, 0.0, 0.0]], "two": [[1, -0.5, 0, 0, 0, 0, 0], [2, 0.5, 0.1, 0, 0, 1, 0]]}
    for name, particles in rows.items():
        (folder / f"{name}.txt").write_text("# columns: mass x y z vx vy vz\n" + "".join(" ".join(map(repr, row)) + "\n" for row in particles))


def image(path):
    """Returns the picture without its texts."""
    data, offset, parts = path.read_bytes(), 8, b""
    while offset < len(data):
        length, kind = int.from_bytes(data[offset:offset + 4], "big"), data[offset + 4:offset + 8]
        parts += data[offset + 8:offset + 8 + length] if kind == b"IDAT" else b""
        offset += 12 + length
    return zlib.decompress(parts)


def content(path, reader):
    """Returns a file's content as (column names, word rows); None for files with timings or repeated content."""
    if path.name == "run.log" or ".chk" in path.name or re.fullmatch(r"halos_\d+\.hdf5", path.name):
        return None
    if path.suffix == ".png":
        pixels = image(path)
        return ["checksum of the pixels"], [[str(len(pixels))], [str(zlib.crc32(pixels))]]
    if path.suffix in (".hdf5", ".gadget2", ".tipsy"):
        done = subprocess.run([reader, "convert", path.name, f"{path.name}.rows.txt", "-q", "--overwrite"], cwd=path.parent, capture_output=True, text=True)
        if done.returncode:
            return ["error"], [[done.stderr]]
        path = path.with_name(f"{path.name}.rows.txt")
    lines = [line for line in path.read_text().splitlines() if not re.match(r"# (provenance|chamomile)|# .*: chamomile ", line)]
    if path.suffix == ".csv":
        rows = [line.split(",") for line in lines]
        names = [name.partition(" [")[0] for name in rows[0]]
        times = next((k for k, name in enumerate(names) if name == "GPU busy %"), None)
        return names[:times], [row[:times] for row in rows[1:]]
    heads, rows = [line for line in lines if line.startswith("#")], [line.split() for line in lines if not line.startswith("#")]
    names = next((line.split()[2:] for line in heads if line.startswith("# columns:")), [])
    return names, [[head] for head in heads[1:]] + rows


def largest_difference(name, old, new):
    """Returns None for equal words, else (difference relative to the max in its column, location)."""
    if old == new:
        return None
    if len(old[1]) != len(new[1]) or old[0] != new[0]:
        return float("inf"), f"{name}: {len(new[1])} rows of {len(new[0])} columns instead of {len(old[1])} of {len(old[0])}"
    worst = (0.0, f"{name}: the sign of a zero")
    scale = {}
    for row in old[1]:
        for k, word in enumerate(row):
            try:
                scale[k] = max(scale.get(k, 0.0), abs(float(word)))
            except ValueError:
                pass
    for a, b in zip(old[1], new[1]):
        for k, (x, y) in enumerate(zip(a, b)):
            if x == y:
                continue
            try:
                difference = abs(float(x) - float(y)) / scale[k]
            except (ValueError, KeyError, ZeroDivisionError):
                return float("inf"), f"{name}: '{y}' instead of '{x}'"
            if not difference <= worst[0]:
                worst = (difference, f"{name}: {old[0][k] if k < len(old[0]) else f'column {k}'}")
        if len(a) != len(b):
            return float("inf"), f"{name}: a row of {len(b)} words instead of {len(a)}"
    return worst


def judge(name, case, programs, top, device):
    """Returns (verdict, text) for a case."""
    folder = top / re.sub(r"\W+", "_", name)
    folders = [folder / which for which in ("old", "new")]
    for place in folders:
        (place / "out").mkdir(parents=True)
    words = case.words
    if case.restart:
        begun = call(programs[0], folders[0], words, device)
        if begun.returncode:
            return "FAULT", f"OLD does not begin: {begun.stderr.strip()}"
        shutil.rmtree(folders[1])
        shutil.copytree(folders[0], folders[1])
        words = case.restart
    done = [call(program, place, words, device) for program, place in zip(programs, folders)]
    if done[0].returncode:
        return "FAULT", f"OLD ends with status {done[0].returncode}: {done[0].stderr.strip()}"
    if done[1].returncode:
        said = done[1].stderr.strip()
        fine = case.restart and done[1].returncode > 0 and len(said.splitlines()) == 1
        return "refused" if fine else "REFUSED", f"status {done[1].returncode}: {said}"
    if done[0].stdout != done[1].stdout:
        return "DIFFERS", f"it prints '{done[1].stdout.strip()}' instead of '{done[0].stdout.strip()}'"
    names = [{path.name for path in (place / "out").iterdir() if ".chk" not in path.name} for place in folders]
    if names[0] != names[1]:
        return "DIFFERS", f"other files: {', '.join(sorted(names[0] ^ names[1]))}"
    compared, worst = 0, None
    for file in sorted(names[0]):
        old, new = (content(place / "out" / file, programs[0]) for place in folders)
        if old is None:
            continue
        compared += len(old[1])
        found = largest_difference(file, old, new)
        worst = max(worst, found) if worst and found else worst or found
    shutil.rmtree(folder)
    if worst:
        return "DIFFERS", f"by {worst[0]:.2e} in {worst[1]}"
    return ("same", f"{compared} rows") if compared > 1 else ("FAULT", "nothing was compared")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", metavar="OLD")
    parser.add_argument("new", metavar="NEW")
    parser.add_argument("--gpu", action="store_true", help="run on a GPU, including cases with GPU-resident particles")
    parser.add_argument("--only", default="", metavar="WORD", help="only cases whose name matches this regular expression")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="number of cases run at once [2]")
    asked = parser.parse_args()
    programs = [str(pathlib.Path(program).resolve()) for program in (asked.old, asked.new)]
    device = "gpu" if asked.gpu else "cpu"
    table = {name: case for name, case in cases().items() if case.where in ("any", device) and re.search(asked.only, name)}
    if not table:
        sys.exit(f"--only: {asked.only}: matches no case")
    counts = {}
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
        top = pathlib.Path(name)
        make_inputs(programs[0], top)
        verdicts = [pool.submit(judge, name, case, programs, top, device) for name, case in table.items()]
        for name, verdict in zip(table, verdicts):
            word, says = verdict.result()
            counts[word] = counts.get(word, 0) + 1
            print(f"{name:44}  {word:8} {says}", flush=True)
    print(f"{len(table)} cases: " + ", ".join(f"{count} {word}" for word, count in sorted(counts.items())))
    return 0 if counts.keys() <= {"same", "refused"} else 1


if __name__ == "__main__":
    sys.exit(main())
