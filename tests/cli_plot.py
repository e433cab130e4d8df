#!/usr/bin/env python3
"""`chamomile plot`: the plots of an isolated run and of a box, with axes, units and legends; the tables that --profile and --halos write for it; faults in one line."""
import importlib.util
import re
import sys

from program import ROOT, as_text, chamomile, check, need, picture, refused, run_parts, table

need("h5py", "numpy", "matplotlib")


def plot(folder, *words):
    """Draws by the Python of this test, which has matplotlib."""
    return chamomile(folder, "plot", *words, "--python", sys.executable)


def texts(path):
    """The texts of a picture in SVG: matplotlib keeps each as a comment beside its outlines."""
    return set(re.findall(r"<!-- (.*?) -->", path.read_text()))


def isolated(folder):
    chamomile(folder, *"model galaxy -n 3000 --physical -o galaxy.hdf5 -q".split())
    out = chamomile(folder, *"run galaxy.hdf5 --t-end 20Myr --dt 2Myr --eps 100pc --snapshot-every 10Myr --profile -o run".split())
    check("3 profiles profile_NNN.csv" in out, f"a run tells its profiles: {out}")
    chamomile(folder, *"profile run/snapshot_002.hdf5 -o again.csv -q".split())
    check((folder / "again.csv").read_bytes() == (folder / "run/profile_002.csv").read_bytes(), "a run's profile is that of 'profile'")
    check({row["type"] for row in table(folder / "run/profile_000.csv")} == {"all", "1", "2", "3"}, "a run's profile is of all types")
    said = plot(folder, "run")
    names = {f"{name}.{end}" for name in ("energies", "radii", "steps", "profiles") for end in ("svg", "png")}
    check({path.name for path in (folder / "run/plots").iterdir()} == names and "wrote 8 plots to run/plots" in said, f"plots of a run: {said}")
    for name, wanted in (("energies", {"time [kpc/(km/s)]", "energy [1e10 Msun (km/s)^2]", "kinetic", "potential", "total"}),
                         ("radii", {"radius of a part of the mass [kpc]", "50 %", "virial ratio", "equilibrium"}),
                         ("steps", {"step [kpc/(km/s)]", "interactions per target", "time per step [ms]"}),
                         ("profiles", {"radius [kpc]", "density [1e10 Msun/kpc^3]", "circular speed [km/s]", "radial dispersion [km/s]", "t = 0.02045 kpc/(km/s)"})):
        found = texts(folder / f"run/plots/{name}.svg")
        check(wanted <= found, f"{name}.svg: has not {wanted - found}")
        pixels = {pixel for row in picture_rows(folder / f"run/plots/{name}.png") for pixel in row}
        check(len(pixels) > 20, f"{name}.png: has {len(pixels)} colours")


def picture_rows(path):
    """The pixels of a PNG file of matplotlib's, as the tests' own reader has no alpha."""
    import matplotlib.image
    return [[tuple(pixel) for pixel in row] for row in (matplotlib.image.imread(path)[::7, ::7, :3] * 255).astype(int)]


def box(folder):
    chamomile(folder, *"model cosmology --n 16 --box 50 --z-start 4 -o box.hdf5 -q".split())
    out = chamomile(folder, *"run box.hdf5 --z-end 0 --outputs-z 1 --eps 100 --dlna-max 0.1 --power --halos --min-members 5 -o cosmic".split())
    check("3 halo catalogues halos_NNN.hdf5 with mass_function_NNN.txt" in out, f"a box tells its mass functions: {out}")
    chamomile(folder, *"halos cosmic/snapshot_002.hdf5 --min-members 5 --mass-function again.txt -q".split())
    same = [[line for line in path.read_text().splitlines() if not line.startswith("#")] for path in (folder / "again.txt", folder / "cosmic/mass_function_002.txt")]
    check(same[0] == same[1] != [], "a run's mass function is that of 'halos'")
    plot(folder, *"cosmic -o drawn --format svg --plots energies,power,mass-function".split())
    check({path.name for path in (folder / "drawn").iterdir()} == {"energies.svg", "power.svg", "mass-function.svg"}, "chosen plots")
    for name, wanted in (("energies", {"scale factor a", "|residue of Layzer-Irvine|"}), ("power", {"k [h/Mpc]", "z = 0", "z = 1"}), ("mass-function", {"z = 0"})):
        found = texts(folder / f"drawn/{name}.svg")
        check(wanted <= found, f"{name}.svg: has not {wanted - found}: {found}")
    check(any("mass of a halo" in text and "[Msun/h]" in text for text in texts(folder / "drawn/mass-function.svg")), "mass-function.svg: units")
    first = (folder / "drawn/power.svg").read_bytes()
    plot(folder, *"cosmic -o drawn --format svg --plots power --overwrite".split())
    check((folder / "drawn/power.svg").read_bytes() == first, "the same tables draw other bytes")


def from_python(folder):
    spec = importlib.util.spec_from_file_location("plots", ROOT / "python/chamomile/_plots.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    paths = module.plot(folder / "run", folder / "python", plots=["radii"], formats=["png"])
    check([path.name for path in paths] == ["radii.png"] and paths[0].exists(), "from Python")
    try:
        module.plot(folder / "run", plots=["colours"])
        check(False, "from Python: an unknown plot")
    except ValueError as error:
        check("plots: colours: one of energies" in str(error), f"from Python: {error}")


def retyped(folder):
    chamomile(folder, *"convert galaxy.hdf5 stars.hdf5 --retype disk=stars,3=4 -q".split())
    info = chamomile(folder, *"info stars.hdf5".split())
    check(re.search(r"^ +4 +stars +1500 ", info, re.M) and not re.search(r"^ +[23] ", info, re.M), f"disk and bulge as stars: {info}")
    check(sorted(as_text(folder, "galaxy.hdf5")) == sorted(as_text(folder, "stars.hdf5")), "--retype changes types alone")


def refuses(folder):
    (folder / "empty").mkdir()
    (folder / "broken").mkdir()
    (folder / "broken/energy.csv").write_text("time,kinetic\n1,2,3\n")
    for status, line, words in ((4, "run/plots/energies.svg: exists: give --overwrite", ["run"]), (3, "none: no folder: that of a run is needed", ["none"]),
                                (3, "empty: holds no tables of a run", ["empty"]), (3, "run: power: needs power_NNN.txt, which 'run --power' writes", ["run", "--plots", "power"]),
                                (3, "cosmic: radii: a comoving run has no Lagrangian radii", ["cosmic", "--plots", "radii"]),
                                (3, "broken/energy.csv: is no whole table", ["broken"]), (2, "--plots: colours: is not one of energies", ["run", "--plots", "colours"]),
                                (2, "--format: gif: ", ["run", "--format", "gif"]), (2, "--python: no-python: No such file", ["run", "--python", "no-python"])):
        refused(folder, status, line, "plot", *([] if "--python" in words else ["--python", sys.executable]), *words)
    (folder / "bare").write_text(f"#!/bin/sh\nexec {sys.executable} -S -I \"$@\"\n")  # no packages
    (folder / "bare").chmod(0o755)
    refused(folder, 3, "Python's matplotlib is needed", "plot", "run", "-o", "y", "--python", "./bare")
    refused(folder, 2, "--profile: needs isolated particles", *"run box.hdf5 --z-end 3 --profile --eps 100 -o x".split())
    refused(folder, 2, "--profile: needs at least 100 particles", *"run --model plummer -n 50 --profile --eps 0.1 --dt 0.1 --t-end 1 -o x".split())
    for text, line in (("disk", "TYPE=TYPE is needed"), ("disk=dust", "dust: is no type"), ("2=4,disk=3", "type 2 is given twice"), ("=4", "a type is missing")):
        refused(folder, 2, line, "convert", "galaxy.hdf5", "x.hdf5", "--retype", text)


run_parts("runs are drawn", isolated, box, from_python, retyped, refuses)
