#!/usr/bin/env python3
"""Tests `chamomile plot`: plots of an isolated run and a box, with axes, units and legends; tables for --profile and
--halos; faults in one line.
"""
import importlib
import re
import sys
import types

from program import ROOT, as_text, chamomile, check, need, picture, refused, run_parts, table

need("h5py", "numpy", "matplotlib")


def plot(folder, *words):
    """Draws with this test's Python and matplotlib."""
    return chamomile(folder, "plot", *words, "--python", sys.executable)


def texts(path):
    """Returns the texts in an SVG picture: matplotlib keeps each as a comment next to its outlines."""
    return set(re.findall(r"<!-- (.*?) -->", path.read_text()))


def isolated(folder):
    chamomile(folder, *"model galaxy -n 3000 --physical -o galaxy.hdf5 -q".split())
    out = chamomile(folder, *"run galaxy.hdf5 --t-end 20Myr --dt 2Myr --eps 100pc --snapshot-every 10Myr --profile -o run".split())
    check("3 profiles profile_NNN.csv" in out, f"a run does not print its profiles: {out}")
    chamomile(folder, *"profile run/snapshot_002.hdf5 -o again.csv -q".split())
    check((folder / "again.csv").read_bytes() == (folder / "run/profile_002.csv").read_bytes(), "a run's profile differs from 'profile'")
    check({row["type"] for row in table(folder / "run/profile_000.csv")} == {"all", "1", "2", "3"}, "a run's profile does not contain all types")
    said = plot(folder, "run")
    names = {f"{name}.{end}" for name in ("energies", "radii", "steps", "profiles") for end in ("svg", "png")}
    check({path.name for path in (folder / "run/plots").iterdir()} == names and "wrote 8 plots to run/plots" in said, f"plots of a run: {said}")
    for name, wanted in (("energies", {"time [Myr]", "energy [1e10 Msun (km/s)$^{2}$]", "kinetic", "potential", "total"}),
                         ("radii", {"Lagrangian radius [kpc]", "50 %", "virial ratio", "equilibrium", "time [Myr]"}),
                         ("steps", {"step [Myr]", "interactions per target", "time per step [ms]"}),
                         ("profiles", {"radius [kpc]", "density [1e10 Msun/kpc$^{3}$]", "circular speed [km/s]", "radial dispersion [km/s]", "t = 20 Myr"})):
        found = texts(folder / f"run/plots/{name}.svg")
        check(wanted <= found, f"{name}.svg: has not {wanted - found}")
        pixels = {pixel for row in picture_rows(folder / f"run/plots/{name}.png") for pixel in row}
        check(len(pixels) > 20, f"{name}.png: has {len(pixels)} colours")


def picture_rows(path):
    """Returns the pixels of a matplotlib PNG; the common reader does not support alpha."""
    import matplotlib.image
    return [[tuple(pixel) for pixel in row] for row in (matplotlib.image.imread(path)[::7, ::7, :3] * 255).astype(int)]


def box(folder):
    chamomile(folder, *"model cosmology --n 16 --box 50 --z-start 4 -o box.hdf5 -q".split())
    out = chamomile(folder, *"run box.hdf5 --z-end 0 --outputs-z 1 --eps 100 --dlna-max 0.1 --power --halos --set halos.min-members=5 -o cosmic".split())
    check("3 halo catalogues halos_NNN.hdf5 with mass_function_NNN.txt" in out, f"a run in a box does not print its mass functions: {out}")
    chamomile(folder, *"halos cosmic/snapshot_002.hdf5 --min-members 5 --mass-function again.txt -q".split())
    same = [[line for line in path.read_text().splitlines() if not line.startswith("#")] for path in (folder / "again.txt", folder / "cosmic/mass_function_002.txt")]
    check(same[0] == same[1] != [], "a run's mass function differs from 'halos'")
    plot(folder, *"cosmic -o drawn --format svg --plots energies,power,mass-function".split())
    check({path.name for path in (folder / "drawn").iterdir()} == {"energies.svg", "power.svg", "mass-function.svg"}, "chosen plots")
    for name, wanted in (("energies", {"scale factor a", "|residue of Layzer-Irvine|"}), ("power", {"k [h/Mpc]", "z = 0", "z = 1"}), ("mass-function", {"z = 0"})):
        found = texts(folder / f"drawn/{name}.svg")
        check(wanted <= found, f"{name}.svg: has not {wanted - found}: {found}")
    check(any("mass of a halo" in text and "[Msun/h]" in text for text in texts(folder / "drawn/mass-function.svg")), "mass-function.svg: units")
    first = (folder / "drawn/power.svg").read_bytes()
    plot(folder, *"cosmic -o drawn --format svg --plots power --overwrite".split())
    check((folder / "drawn/power.svg").read_bytes() == first, "the same tables give different files")


def plots_module():
    """Returns the package's plots without its compiled module."""
    package = types.ModuleType("plots_of_chamomile")
    package.__path__ = [str(ROOT / "interfaces/python/chamomile")]
    sys.modules[package.__name__] = package
    return importlib.import_module(f"{package.__name__}._plots")


def from_python(folder):
    module = plots_module()
    paths = module.plot(folder / "run", folder / "python", plots=["radii"], formats=["png"])
    check([path.name for path in paths] == ["radii.png"] and paths[0].exists(), "from Python")
    try:
        module.plot(folder / "run", plots=["colours"])
        check(False, "from Python: an unknown plot raises no error")
    except ValueError as error:
        check("plots: colours: must be one of energies" in str(error), f"from Python: {error}")


def drawn(folder):
    """Compares matplotlib's lines with numbers in hand-made tables."""
    made, module = folder / "made", plots_module()
    made.mkdir()
    (made / "energy.csv").write_text("time [kpc/(0.977792 km/s)],kinetic [1],potential [1],total [1],energy_error,r50,virial_ratio,external [1]\n"
                                     "0,2,-1,-6,0,1,1,-7\n1,3,-1,-6,1e-6,1,1,-8\n")
    spectrum = lambda noise, rows: f"# shot noise {noise}, in total but not in P; Nyquist\n# k in radians per Mpc/h, P in the cube of this length\n# k P total error linear\n" + rows
    (made / "power_000.txt").write_text("# redshift 49, h 0.7\n" + spectrum(8, "0.5 -7 1 0.1 1.5\n1 -7.5 0.5 0.1 0.6\n2 400 408 5 0.1\n"))  # pi / 2: Nyquist
    (made / "power_001.txt").write_text("# redshift 0, h 0.7\n" + spectrum(8, "0.5 90 98 9 95\n1 0.5 8.5 1 50\n2 10 18 1 9\n"))
    (made / "mass_function_000.txt").write_text("# redshift 0, h 0.7\n# M in Msun/h, dn/dlnM per cubic Mpc/h\n# M halos dn_dlnM error sheth_tormen warren\n1e12 9 0.9 0.3 1 1.1\n1e13 1 0.1 0.1 0.2 0.3\n")
    from matplotlib.figure import Figure
    lines = {}
    for name, make in (("energies", module._energies), ("power", module._power), ("mass", module._mass_function)):
        figure = Figure()
        make(made, figure)
        lines[name] = {line.get_label(): (list(line.get_xdata()), [float(y) for y in line.get_ydata()]) for line in figure.axes[0].lines}
        lines[name + " bars"] = [bar.get_segments() for bar in figure.axes[0].collections if hasattr(bar, "get_segments")]
    same = lambda found, wanted: all(a == b or (a != a and b != b) for a, b in zip(found, wanted)) and len(found) == len(wanted)
    nan = float("nan")
    for low, high, wanted in ((0.3, 52, "0.5 1 2 5 10 20 50"), (3.1e-3, 6.6e-3, "0.004 0.005 0.006"), (2e-8, 3e-7, "2e-08 5e-08 1e-07 2e-07"),
                              (8e12, 5e14, "1e+13 2e+13 5e+13 1e+14 2e+14 5e+14"), (0.02, 3e3, "0.1 1 10 100 1000")):
        axes = Figure().subplots()
        axes.set(yscale="log", ylim=(low, high))
        module._finish(axes, "", "")
        ticks = [(tick, text.get_text()) for tick, text in zip(axes.get_yticks(), axes.get_yticklabels()) if low <= tick <= high]
        read = lambda text: float(re.sub(r"^e", "1e", text.replace(r" $\times$ 10$^{", "e").replace("10$^{", "e").replace("}$", "")))
        check([f"{tick:g}" for tick, _ in ticks if tick > 0.03 or high < 1e3] == wanted.split() and all(abs(read(text) / tick - 1) < 1e-9 for tick, text in ticks) and
              all("times" not in text for tick, text in ticks if 1e-3 <= tick < 1e4) and not any(axes.yaxis.get_minorticklabels()[k].get_text() for k in range(3)),
              f"ticks from {low} to {high}: {ticks}")
    check(same(lines["energies"]["external"][1], [-7, -8]) and abs(lines["energies"]["total"][0][1] - 1.0) < 1e-5, f"energies: external, Gyr: {lines['energies']}")
    check(same(lines["power"]["z = 49, total"][1], [1, 0.5, nan]), f"power before shell crossing: {lines['power']}")
    check(same(lines["power"]["z = 0"][1], [90, nan, 10]) and same(lines["power"]["linear"][1], [95, 50, 9]), f"power with a gap, and its fit: {lines['power']}")
    check(same(lines["mass"]["Warren"][1], [1.1, 0.3]), f"the fits of a mass function: {lines['mass']}")
    ends = [[point[1] for point in segment] for segment in lines["mass bars"][0]]  # Gehrels (1986), tables 1 and 2: 1 has 0.173
                                                                                   # to 3.3, 9 has 6.1 to 13.1
    check(all(abs(a - b) < 0.02 * b for found, wanted in zip(ends, ([0.606, 1.31], [0.0173, 0.33])) for a, b in zip(found, wanted)), f"errors of counts: {ends}")


def tables(folder):
    """The lines of the plots of a cluster are the columns of its tables."""
    made, module = folder / "cluster", plots_module()
    made.mkdir()
    (made / "bound.csv").write_text("time,particles,mass,half_mass_radius,tidal_radius,step\n0,9,0.9,1.5,,0\n2,7,0.7,1.25,3,8\n")
    (made / "cluster.csv").write_text("time [pc/(km/s)],core_radius [pc],r1 [pc],r5_group2 [pc],core_particles,core_relaxation_time,half_mass_relaxation_time\n0,0.1,0.2,,5,3,30\n1,0.05,0.15,0.4,6,2,20\n")
    (made / "escapers.csv").write_text("time,id,mass,distance,speed,step\n1.5,17,0.1,30,2.5,4\n")
    (made / "binaries.csv").write_text("time,id_1,id_2,semi_major_axis,eccentricity,hardness\n0,1,2,0.01,0.5,7\n0,3,4,0.02,0,3\n")
    (made / "encounters.csv").write_text("time,id_1,id_2,pericenter,speed\n")
    from matplotlib.figure import Figure
    drawn = {}
    for name in ("bound", "cluster", "escapers", "binaries"):
        figure = Figure()
        module.MAKERS[name][0](made, figure)
        check(all((line.get_linestyle() == "None") == (name in ("escapers", "binaries")) for axes in figure.axes for line in axes.lines), f"{name}: lines between points")
        drawn[name] = [{line.get_label(): (list(line.get_xdata()), list(map(float, line.get_ydata()))) for line in axes.lines} for axes in figure.axes]
    nan = float("nan")
    same = lambda found, wanted: repr(list(map(float, found))) == repr(list(map(float, wanted)))
    for name, panel, column, wanted in (("bound", 1, "half mass radius", [1.5, 1.25]), ("bound", 1, "tidal radius", [nan, 3]), ("cluster", 0, "core radius", [0.1, 0.05]),
                                        ("cluster", 0, "r5 group2", [nan, 0.4]), ("cluster", 1, "half mass relaxation time", [30, 20])):
        check(column in drawn[name][panel] and same(drawn[name][panel][column][1], wanted), f"{name}: {column}: {drawn[name]}, not {wanted}")
    alone = lambda name, panel: list(drawn[name][panel].values())
    for name, panel, wanted in (("bound", 0, [0.9, 0.7]), ("escapers", 0, [2.5]), ("binaries", 0, [0.01, 0.02]), ("binaries", 1, [0.5, 0]), ("binaries", 2, [7, 3])):
        check(len(alone(name, panel)) == 1 and same(alone(name, panel)[0][1], wanted), f"{name}: {panel}: {drawn[name]}, not {wanted}")
    check(same(alone("escapers", 0)[0][0], [1.5]) and abs(drawn["cluster"][0]["r1"][0][1] - 0.977792) < 1e-5, f"times: {drawn}")
    said = plot(folder, "cluster", "-o", "of-cluster", "--format", "svg")
    check("wrote 4 plots" in said and "encounters" not in said, f"a table without rows: {said}")
    found = texts(folder / "of-cluster/cluster.svg")
    check({"radius [pc]", "time [Myr]", "core radius", "relaxation time"} <= found, f"cluster.svg: {found}")
    refused(folder, 3, "cluster: encounters: encounters.csv has no rows", "plot", "cluster", "--plots", "encounters", "--python", sys.executable)
    refused(folder, 3, "run: bound: needs bound.csv, which 'run --bound' writes", "plot", "run", "--plots", "bound", "--python", sys.executable)


def retyped(folder):
    chamomile(folder, *"convert galaxy.hdf5 stars.hdf5 --retype disk=stars,3=4 -q".split())
    info = chamomile(folder, *"info stars.hdf5".split())
    check(re.search(r"^ +4 +stars +1500 ", info, re.M) and not re.search(r"^ +[23] ", info, re.M), f"disk and bulge as stars: {info}")
    check(sorted(as_text(folder, "galaxy.hdf5")) == sorted(as_text(folder, "stars.hdf5")), "--retype changes more than types")


def refuses(folder):
    (folder / "empty").mkdir()
    (folder / "broken").mkdir()
    (folder / "broken/energy.csv").write_text("time,kinetic\n1,2,3\n")
    for status, line, words in ((4, "run/plots/energies.svg: exists: give --overwrite", ["run"]), (3, "none: does not exist: must be the folder of a run", ["none"]),
                                (3, "galaxy.hdf5: is a file: must be the folder of a run, or written by", ["galaxy.hdf5"]),
                                (3, "empty: no tables of a run", ["empty"]), (3, "run: power: needs power_NNN.txt, which 'run --power' writes", ["run", "--plots", "power"]),
                                (3, "cosmic: radii: a comoving run has no Lagrangian radii", ["cosmic", "--plots", "radii"]),
                                (3, "broken/energy.csv: not a complete table", ["broken"]), (2, "--plots: colours: must be one of energies", ["run", "--plots", "colours"]),
                                (2, "--format: gif: ", ["run", "--format", "gif"]), (2, "--python: no-python: No such file", ["run", "--python", "no-python"])):
        refused(folder, status, line, "plot", *([] if "--python" in words else ["--python", sys.executable]), *words)
    (folder / "bare").write_text(f"#!/bin/sh\nexec {sys.executable} -S -I \"$@\"\n")  # no packages
    (folder / "bare").chmod(0o755)
    refused(folder, 3, "needs matplotlib for Python", "plot", "run", "-o", "y", "--python", "./bare")
    refused(folder, 2, "--profile: needs isolated particles", *"run box.hdf5 --z-end 3 --profile --eps 100 -o x".split())
    refused(folder, 2, "--profile: needs at least 100 particles", *"run --model plummer -n 50 --profile --eps 0.1 --dt 0.1 --t-end 1 -o x".split())
    for text, line in (("disk", "must be TYPE=TYPE"), ("disk=dust", "dust: is no type"), ("2=4,disk=3", "type 2 is given twice"), ("=4", "a type is missing")):
        refused(folder, 2, line, "convert", "galaxy.hdf5", "x.hdf5", "--retype", text)


run_parts("runs are drawn", isolated, box, from_python, drawn, tables, retyped, refuses)
