#!/usr/bin/env python3
"""Tests every option of every command in each mode without use for it: one line with its name, status 2, and no file."""
import pathlib
import re
import subprocess
import tempfile

from bad_inputs import space
from program import PROGRAM, end, failures

COMMON = set("config threads quiet verbose help help-all set help-settings".split())

# All options of each command. Add a new option here, and to every mode below without use for it.
FORCES = "solver eps eps-type eps-rule softening G precision tree.decorrelate tree.batch-size criterion tolerance theta order local-order tree.group-size tree.cluster-size tree.leaf-size tree device instruction-set " \
         "box periodic.long-range periodic.mesh periodic.split periodic.cut accuracy accuracy.percentile"
SOURCE = "model particles seed"
THEORY = "fits sigma8 n-s omega-b linear-power transfer-table"
GALAXY = "particles seed disk-part bulge-part disk-mass disk-scale disk-height toomre-q bulge-mass bulge-scale halo-mass halo-scale halo-taper halo-profile bulge-profile physical kpc mass " \
         "output overwrite files"
STARS = "imf imf-min imf-max segregated binaries periods period-min period-max eccentricities mass-ratios"
SPHERE = f"{STARS} particles seed mass scale r-half anisotropy-radius type b-to-a c-to-a physical output overwrite files"
VIRIAL = "m200 concentration hubble"
COMMANDS = {
    "run": f"{SOURCE} {FORCES} collisionless-gas potential tracers parameters box-length h t-start duration t-end dt adaptive eta dt-min dt-max integrator resident block-steps block-scheme step-criterion blocks.rungs blocks.rebuild-above blocks.host-below "
           "hermite.shared-steps hermite.eta-start hermite.iterations hermite.final-evaluation hermite.count-short-steps cosmology z-end a-end outputs-z outputs-a dlna-max eps-max cosmology.omega-m cosmology.omega-l cosmology.omega-r "
           "cosmology.w0 cosmology.wa cosmology.hubble units tune accuracy.every restart checkpoint-every checkpoint-walltime max-walltime max-energy-error energy-error.action on-device-error view output "
           "overwrite snapshot-every output-times energy-every steps.every track track.every track.blocks check-forces check-forces.every power power.mesh halos halos.min-members halos.types fits profile light-cone light-cone.observer light-cone.sky bound bound.every bound.ids cluster cluster.every cluster.mass-groups cluster.binaries cluster.encounters frames frames.every frames.width frames.height frames.fov "
           "frames.size frames.center frames.follow frames.mark frames.path frames.box frames.slice frames.azimuth frames.inclination frames.orbit frames.types frames.quantity frames.components frames.min frames.max frames.colour-map frames.axes frames.no-labels frames.no-colour-bar frames.movie "
           "ranks ranks.share-gpu ranks.peer-timeout files",
    "force": f"{FORCES} ids potential output overwrite files",
    "accuracy": f"{SOURCE} {FORCES} sample reference repeat units box-length h compare scan gradient format python csv hdf5 overwrite",
    "bench": f"{SOURCE} {FORCES} tune ranks ranks.share-gpu ranks.peer-timeout threads repeat potential sample reference phases ceiling csv overwrite",
    "render": "ids size width height fov center follow mark path box slice azimuth inclination orbit types quantity components min max colour-map axes no-labels no-colour-bar output data movie rate "
              "overwrite",
    "power": f"types box mesh assignment interlacing fold fold-factor bins linear {THEORY} ranks ranks.share-gpu ranks.peer-timeout output overwrite",
    "plot": "plots output format overwrite python",
    "profile": "ids types center r-min r-max bins cylinders height output overwrite",
    "bound": f"{FORCES} ids types potential bound-ids output overwrite",
    "halos": f"types box linking-length length min-members overdensity device {THEORY} ranks ranks.share-gpu ranks.peer-timeout output mass-function mass-bins overwrite",
    "pairs": "law parameter sources targets no-self cutoff period precision device instruction-set repeat output overwrite",
    "convert": "units box-length h ids types retype sphere thin recenter rotate shift velocity orbit potential overwrite files",
    "orbit": "potential position velocity orbit radii duration rows units output overwrite",
    "join": "at velocity rotate recenter orbit units output overwrite files",
    "info": "units box-length h check",
    "devices": "",
    "model plummer": f"{STARS} particles seed mass r-half truncation exact-energy-limit output overwrite files",
    "model hernquist": f"{SPHERE} {VIRIAL} truncation",
    "model nfw": f"{SPHERE} {VIRIAL}",
    "model einasto": f"{SPHERE} {VIRIAL} alpha",
    "model king": f"{SPHERE} w0 r-tidal",
    "model exponential": SPHERE,
    "model spheres": "particles seed b-to-a c-to-a physical hubble output overwrite files",
    "model cold-sphere": "particles seed mass r-half output overwrite files",
    "model cube": "particles seed mass r-half output overwrite files",
    "model two-body": "mass semi-major-axis eccentricity mass-ratio output overwrite files",
    "model disk": "particles seed mass r-half height truncation output overwrite files",
    "model galaxy": GALAXY,
    "model merger": f"mass-ratio eccentricity pericenter separation inclination1 omega1 inclination2 omega2 {GALAXY}",
    "model cosmology": "box n z-start lpt seed fixed paired load glass Mpc eps softening eps-max omega-m omega-l omega-r w0 wa hubble omega-b n-s sigma8 A-s "
                       "transfer table ranks ranks.share-gpu ranks.peer-timeout output overwrite files",
}

# A value for each option refused by some mode; None: a flag.
VALUES = {
    "track.every": "2", "track.blocks": "2", "orbit": "pericenter=1,apocenter=2", "shift": "1,2,3", "rows": "3", "particles": "5", "seed": "9", "model": "cube", "criterion": "relative", "tolerance": "1e-9", "theta": "0.1", "order": "4", "local-order": "3",
    "tree.leaf-size": "3", "tree.group-size": "64", "tree.cluster-size": "4", "tree": "host", "tree.decorrelate": "1", "tree.batch-size": "7", "accuracy": "1e-3", "gradient": None, "accuracy.percentile": "90", "accuracy.every": "9",
    "tune": None, "periodic.long-range": "modes", "periodic.mesh": "64", "periodic.split": "1.5", "periodic.cut": "3", "box": "8", "precision": "float", "device": "gpu", "eta": "0.001",
    "hermite.eta-start": "0.1", "dt": "0.1", "dt-min": "9", "dt-max": "1e-9", "hermite.count-short-steps": None, "hermite.shared-steps": None, "hermite.iterations": "2", "hermite.final-evaluation": None,
    "blocks.rungs": "3", "blocks.rebuild-above": "0.1", "blocks.host-below": "10", "block-scheme": "hierarchical", "step-criterion": "softening", "resident": None, "adaptive": None, "block-steps": None,
    "integrator": "hermite", "t-end": "1", "dlna-max": "0.01", "snapshot-every": "0.1", "output-times": "0.1", "check-forces.every": "5", "energy-error.action": "stop",
    "on-device-error": "cpu", "frames.width": "99", "frames.height": "99", "frames.fov": "1", "frames.mark": "center", "frames.path": "good.txt", "frames.every": "1", "power.mesh": "32", "halos.min-members": "9", "halos.types": "1", "collisionless-gas": None,
    "overwrite": None, "reference": "gpu", "sample": "7", "repeat": "3", "threads": "1", "potential": None, "phases": None, "ceiling": None, "solver": "tree",
    "eps": "0.1", "eps-type": "1=0.1", "eps-rule": "larger", "softening": "spline", "G": "2", "hdf5": "e.hdf5", "width": "99", "height": "99", "bins": "7", "fold-factor": "3", "sigma8": "0.8",
    "n-s": "1", "omega-b": "0.04", "linear-power": "t.txt", "transfer-table": "t.txt", "fits": None, "mass-bins": "3", "length": "0.1", "overdensity": "100",
    "no-self": None, "checkpoint-walltime": "9", "max-walltime": "9", "at": "1,2,3", "velocity": "1,2,3", "recenter": None, "kpc": "2", "mass": "2", "table": "t.txt", "glass": "2",
    "frames.size": "99", "frames.center": "1,2,3", "frames.follow": "densest", "frames.box": "8", "frames.slice": "1", "frames.azimuth": "9", "frames.inclination": "9",
    "frames.orbit": "9", "frames.types": "1", "frames.quantity": "velocity", "frames.components": None, "frames.min": "1e-3", "frames.max": "9",
    "frames.colour-map": "grey", "frames.axes": None, "axes": None, "frames.no-labels": None, "frames.no-colour-bar": None, "frames.movie": None, "center": "1,2,3", "rate": "9", "no-colour-bar": None,
    "format": "png", "python": "python3", "compare": "good.txt", "units": "stellar", "duration": "1", "box-length": "5Mpc", "h": "0.7", "profile": None,
    "imf-min": "1", "imf-max": "2", "segregated": None, "binaries": "0.5", "periods": "flat", "period-min": "9", "period-max": "99", "eccentricities": "circular", "mass-ratios": "equal", "hubble": "0.7", "height": "1", "concentration": "5", "scale": "2", "r-half": "2", "r-tidal": "9", "ranks": "2", "ranks.peer-timeout": "9", "ranks.share-gpu": None,
    "files": "3", "light-cone": "0,1", "light-cone.observer": "1,2,3", "light-cone.sky": "octant",
    "bound": None, "cluster": None, "bound.every": "3", "bound.ids": "t.txt", "cluster.every": "3", "cluster.mass-groups": "2", "cluster.binaries": None, "cluster.encounters": "1",
}

TREE = "criterion tolerance theta order local-order tree.cluster-size tree.leaf-size tree tree.decorrelate tree.batch-size accuracy accuracy.percentile"
BOX = "periodic.long-range periodic.mesh periodic.split periodic.cut"
HERMITE = "hermite.shared-steps hermite.eta-start hermite.iterations hermite.final-evaluation hermite.count-short-steps"
STEPS = "eta dt-min dt-max step-criterion"
BLOCKS = "block-scheme blocks.rungs blocks.rebuild-above blocks.host-below"
RUN = "run good.txt --t-end 0.2 --eps 0.05 -o out"
OF_MODEL = "run --model cube -n 9 --t-end 0.2 --eps 0.05 -o out"
UNIVERSE = "run universe.txt --z-end 40 --eps 20 -o out"
ALONE = "track.every track.blocks light-cone.observer light-cone.sky bound.every bound.ids cluster.every cluster.mass-groups cluster.binaries cluster.encounters check-forces.every energy-error.action frames.width frames.height frames.fov frames.mark frames.path frames.every power.mesh halos.min-members halos.types fits frames.size frames.center frames.follow frames.box frames.slice frames.azimuth frames.inclination frames.orbit frames.types frames.quantity frames.components frames.min frames.max frames.colour-map frames.axes frames.no-labels frames.no-colour-bar frames.movie"  # need another option

# A command in a mode, and the options without effect there.
MODES = [
    (f"{RUN} --dt 0.1", f"particles seed duration box-length h light-cone {STEPS} {HERMITE} {BLOCKS} {BOX} {ALONE} adaptive block-steps accuracy.percentile accuracy.every ranks.peer-timeout ranks.share-gpu"),
    (f"{RUN} --adaptive", f"{HERMITE} {BLOCKS} {BOX} dt block-steps"),
    (f"{RUN} --block-steps", f"{HERMITE} dt adaptive {BOX}"),
    (f"{RUN} --block-steps --solver direct", f"{TREE} tune accuracy.every blocks.rebuild-above"),
    (f"{RUN} --block-steps --accuracy 1e-2", "blocks.host-below tune theta tolerance"),
    (f"{RUN} --dt 0.1 --solver direct", f"{TREE} tune accuracy.every"),
    (f"{RUN} --dt 0.1 --ranks 2", "on-device-error block-steps resident ranks.share-gpu"),
    (f"{RUN} --block-steps --ranks 2", "on-device-error resident ranks.share-gpu blocks.host-below"),
    (f"{RUN} --block-steps --block-scheme hierarchical", "blocks.rebuild-above"),
    (f"{RUN} --dt 0.1 --box 8", "bound cluster profile accuracy.percentile accuracy.every"),
    (f"{RUN} --block-steps --step-criterion softening --box 8", "blocks.host-below"),
    (f"{RUN} --dt 0.1 --box 8 --set periodic.long-range=modes", "periodic.mesh periodic.split"),
    (f"{RUN} --dt 0.1 --box 8 --solver direct", f"{TREE} {BOX} tree.group-size precision device"),
    (f"{RUN} --integrator hermite", f"{TREE} {BLOCKS} tree.group-size tune accuracy.every step-criterion resident adaptive box {BOX} ranks"),
    (f"{RUN} --integrator hermite --dt 0.1", "eta hermite.eta-start dt-min dt-max hermite.count-short-steps block-steps"),
    (f"{RUN} --integrator hermite --set hermite.shared-steps", "block-steps"),
    (f"{RUN} --dt 0.1 --resident", f"accuracy tune tree on-device-error {BOX}"),
    (f"{RUN} --block-steps --resident", "blocks.host-below"),
    (f"{OF_MODEL} --dt 0.1", "collisionless-gas"),
    (f"{RUN} --dt 0.1 --frames --set frames.size=32", "frames.width frames.height"),
    ("run periodic.txt --t-end 0.2 --eps 0.05 -o out", "integrator"),
    ("run periodic.txt --t-end 0.2 --eps 0.05 -o out --block-steps --step-criterion softening", "blocks.host-below"),
    (UNIVERSE, f"t-end duration bound cluster profile model {HERMITE} {BLOCKS} particles seed"),
    (f"{UNIVERSE} --dt 0.01", f"dlna-max {STEPS} adaptive"),
    (f"{UNIVERSE} --outputs-z 45", "snapshot-every output-times"),
    (f"{RUN} --dt 0.1 --output-times 0.1", "snapshot-every"),
    (f"{RUN} --dt 0.1 --cluster", "cluster.binaries cluster.encounters"),
    ("bound good.txt --eps 0.05", f"overwrite {BOX} accuracy.percentile"),
    ("bound good.txt --eps 0.05 --solver direct", TREE),
    ("force good.txt --eps 0.05 -o f.txt", f"{BOX} accuracy.percentile files"),
    ("force good.txt --eps 0.05 -o f.txt --solver direct", TREE),
    ("force good.txt --eps 0.05 -o f.txt --box 8", "accuracy.percentile"),
    ("force periodic.txt --eps 0.05 -o f.txt --set periodic.long-range=modes", "periodic.mesh periodic.split"),
    ("force periodic.txt --eps 0.05 -o f.txt --solver direct", f"{TREE} {BOX} tree.group-size precision device"),
    ("force periodic.txt --eps 0.05 -o f.txt --box 0", BOX),
    ("accuracy good.txt --eps 0.05", f"particles seed model {BOX} accuracy.percentile overwrite format python"),
    ("accuracy good.txt --eps 0.05 --scan theta", "accuracy"),
    ("accuracy good.txt --eps 0.05 --solver direct", TREE),
    ("accuracy good.txt --eps 0.05 --gradient", f"compare accuracy {BOX} particles seed model accuracy.percentile overwrite format python"),
    ("accuracy periodic.txt --eps 0.05", "reference"),
    ("accuracy good.txt --eps 0.05 --box 8 --solver direct", f"{TREE} {BOX} tree.group-size precision"),
    ("accuracy --model cube -n 50 --eps 0.05", f"{BOX} units box-length h compare"),
    ("bench good.txt --eps 0.05", f"particles seed model {BOX} accuracy.percentile overwrite ranks.peer-timeout ranks.share-gpu"),
    ("bench good.txt --eps 0.05 --solver direct", f"{TREE} tune"),
    ("bench good.txt --eps 0.05 --device cpu --ranks 2", "ranks.share-gpu"),
    ("bench good.txt --eps 0.05 --sample 0", "reference"),
    ("bench -n 50 --eps 0.05", BOX),
    ("render good.txt -o p.png --size 32", "width height rate"),
    ("render good.txt -o p.png --follow densest", "center"),
    ("render good.txt -o p.png --no-labels", "no-colour-bar"), ("render good.txt -o p.png --no-labels", "axes"),
    ("power periodic.txt --fold 0", "fold-factor ranks.peer-timeout ranks.share-gpu"),
    ("power periodic.txt", "overwrite sigma8 n-s omega-b linear-power transfer-table ranks.peer-timeout ranks.share-gpu"),
    ("power periodic.txt --linear", "bins ranks.peer-timeout ranks.share-gpu"),
    ("power universe.txt --fits --omega-b 0.04", "linear-power transfer-table ranks.peer-timeout ranks.share-gpu"),
    ("power universe.txt --fits --transfer-table t.txt", "linear-power ranks.peer-timeout ranks.share-gpu"),
    ("profile good.txt", "height overwrite"),
    ("halos periodic.txt", "overwrite fits mass-bins sigma8 n-s omega-b linear-power transfer-table ranks.peer-timeout ranks.share-gpu"),
    ("halos periodic.txt --linking-length 0.2", "length ranks.peer-timeout ranks.share-gpu"),
    ("halos good.txt --length 0.5", "overdensity ranks.peer-timeout ranks.share-gpu"),
    ("pairs --law gravity --sources good.txt", "repeat overwrite"),
    ("pairs --law gravity --sources good.txt --targets good.txt", "no-self"),
    ("join good.txt good.txt --orbit pericenter=1 -o j.txt", "at velocity recenter files"),
    ("convert good.txt x.txt", "orbit files"), ("model cube -n 9 -o x.gadget2", "files"),
    ("convert good.txt x.txt --potential point,M=1 --orbit pericenter=1,apocenter=2", "shift velocity recenter"),
    ("orbit --potential point,M=1 --radii 1", "rows overwrite"),
    (f"{RUN} --dt 0.1 --track 1", "track.blocks"),
    ("model galaxy -n 100 -o x.hdf5", "kpc mass"),
    ("model merger -n 100 -o x.hdf5", "kpc mass"),
    ("model nfw -n 100 -o x.hdf5", "hubble imf-min imf-max segregated binaries periods period-min period-max eccentricities mass-ratios"),
    ("model plummer -n 100 -o x.hdf5", "imf-min imf-max segregated binaries periods period-min period-max eccentricities mass-ratios"),
    ("model spheres nfw -n 100 -o x.hdf5", "hubble"),
    ("model hernquist -n 100 -o x.hdf5", "concentration hubble"),
    ("model hernquist -n 100 -o x.hdf5 --m200 10", "mass scale r-half"),
    ("model king -n 100 -o x.hdf5 --r-half 2", "scale r-tidal"),
    ("model king -n 100 -o x.hdf5 --r-tidal 2", "scale"),
    ("model cosmology --n 4 -o x.hdf5", "table glass ranks.peer-timeout ranks.share-gpu"),
    ("model cosmology --n 4 -o x.hdf5 --transfer transfer-table --table t.txt", "omega-b ranks.peer-timeout ranks.share-gpu"),
    ("model cosmology --n 4 -o x.hdf5 --transfer power-table --table t.txt", "omega-b n-s ranks.peer-timeout ranks.share-gpu"),
]

# Must be accepted: an option next to others that seem to make it useless.
TAKEN = [
    f"{RUN} --dt 0.1 --solver direct --set tree.group-size=64",
    f"{RUN} --dt 0.1 --box 8 --solver direct --precision double",
    f"{RUN} --dt 0.1 --box 8 --set periodic.long-range=modes --set periodic.cut=4",
    f"{RUN} --dt 0.1 --box 8 --local-order 0 --order 0",
    f"{RUN} --dt 0.1 --device cpu --tree host",
    f"{RUN} --dt 0.1 --ranks 2 --tree host",
    f"{RUN} --dt 0.1 --overwrite --collisionless-gas --files 3",
    "convert good.txt x.hdf5 --files 2",
    f"{RUN} --adaptive --eta 0.1 --dt-min 1e-3 --dt-max 0.1 --step-criterion softening",
    f"{RUN} --integrator hermite --set hermite.shared-steps --set hermite.count-short-steps --dt-min 0.01 --set hermite.eta-start=0.1",
    "run periodic.txt --t-end 0.2 --eps 0.05 -o out --integrator hermite --box 0",
    "accuracy good.txt --eps 0.05 --solver tree,direct --theta 0.5 --set tree.leaf-size=8",
    "accuracy periodic.txt --eps 0.05 --solver direct --precision double --overwrite --csv e.csv",
    "accuracy periodic.txt --eps 0.05 --local-order 0 --set periodic.mesh=32",
    f"{UNIVERSE} --dlna-max 0.1 --eta 0.3 --outputs-z 45",
    f"{UNIVERSE} --dt 0.1 --set cosmology.w0=-0.9 --eps-max 1",
    "power universe.txt --fits --n-s 1",
    "power periodic.txt --fold 1 --fold-factor 2",
    "halos good.txt --length 0.5 --box 8 --overdensity 100",
]


def write_inputs(folder):
    rows = "".join(f"0.05 {i % 3} {i % 5} {i % 7} 0 0 0 {i + 1}\n" for i in range(20))
    (folder / "good.txt").write_text(rows)
    (folder / "periodic.txt").write_text("# box_size: 8\n" + rows)
    (folder / "universe.txt").write_text(space())
    (folder / "t.txt").write_text("".join(f"{10 ** (k / 10):.6g} 1\n" for k in range(-40, 21)))


def run(folder, command):
    arguments = [PROGRAM, *command.split()]
    try:
        return subprocess.run(arguments, cwd=folder, capture_output=True, text=True, timeout=20)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(arguments, "none in 20 s", "", "")


def complaints(folder):
    there = set(folder.iterdir())
    for command, names in COMMANDS.items():
        options = set(re.findall(r"^  (?:-\w, )?--([\w-]+)", run(folder, command + " --help-all").stdout, re.M))
        if "set" in options:
            options |= set(re.findall(r"^  ([a-z-]+\.[\w-]+)", run(folder, command + " --help-settings").stdout, re.M))
        options -= COMMON
        options |= {"threads"} if command == "bench" else set()
        for name in options ^ set(names.split()):
            yield f"{command} --{name}: is not in both --help and this table; which modes use it?"
    for command, names in MODES:
        for name in names.split():
            value = VALUES[name]
            option = f"--set {name}" if "." in name else f"--{name}"
            line = f"{command} {option}" + ("" if value is None else f"={value}" if "." in name else f" {value}")
            done = run(folder, line)
            if done.returncode != 2 or done.stderr.count("\n") != 1 or not re.search(rf"{re.escape(option)}\b", done.stderr):
                yield f"{line}: status {done.returncode}: {done.stderr or done.stdout[:200]}"
            if wrote := set(folder.iterdir()) - there:
                yield f"{line}: wrote files"
                subprocess.run(["rm", "-rf", *wrote], check=True)
    for line in TAKEN:
        if (done := run(folder, line)).returncode != 0:
            yield f"{line}: status {done.returncode}: {done.stderr}"
        for path in set(folder.iterdir()) - there:
            subprocess.run(["rm", "-rf", path], check=True)


with tempfile.TemporaryDirectory() as name:
    write_inputs(pathlib.Path(name))
    failures += complaints(pathlib.Path(name))
end(f"{sum(len(names.split()) for _, names in MODES)} options that nothing would use, in {len(MODES)} modes")
