#!/usr/bin/env python3
"""Tests `chamomile plot`: plots of an isolated run, a box and several runs, with axes, units and legends, and the numbers
of the tables; tables for --profile and --halos; faults in one line.
"""
import importlib
import math
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
    for name, wanted in (("energies", {"time [Myr]", "energy [Msun (km/s)$^{2}$]", "kinetic", "potential", "total"}),
                         ("radii", {"Lagrangian radius [kpc]", "50 %", "virial ratio", "equilibrium", "time [Myr]"}),
                         ("steps", {"step [Myr]", "interactions per target", "time per step [ms]"}),
                         ("profiles", {"radius [kpc]", "density [Msun/kpc$^{3}$]", "circular speed [km/s]", "radial dispersion [km/s]", "t = 20 Myr"})):
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
    out = chamomile(folder, *"run box.hdf5 --z-end 0 --outputs-z 1 --eps 100 --dlna-max 0.1 --power --halos --fits --set halos.min-members=5 -o cosmic".split())
    check("3 halo catalogues halos_NNN.hdf5 with mass_function_NNN.txt" in out, f"a run in a box does not print its mass functions: {out}")
    chamomile(folder, *"halos cosmic/snapshot_002.hdf5 --min-members 5 --fits --mass-function again.txt -q".split())
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
    (made / "energy.csv").write_text("time [kpc/(0.977792 km/s)],kinetic [1],potential [1],total [1],energy_error,r50,virial_ratio,external [1],internal [1]\n"
                                     "0,2,-1,-6,0,0,1,-7,1\n1,3,-1,-6,1e-6,1,1,-8,2\n2,3,-1,-6,1e-6,2,1,-8,2\n")
    spectrum = lambda noise, rows: f"# shot noise {noise}, in total but not in P; Nyquist\n# k in radians per Mpc/h, P in the cube of this length\n# k P total error linear\n" + rows
    (made / "power_000.txt").write_text("# redshift 49, h 0.7\n" + spectrum(8, "0.5 -7 1 0.1 1.5\n1 -7.5 0.5 0.1 0.6\n2 400 408 5 0.1\n"))  # pi / 2: Nyquist
    (made / "power_001.txt").write_text("# redshift 0, h 0.7\n" + spectrum(8, "0.5 90 98 9 95\n1 0.5 8.5 1 50\n2 10 18 1 9\n"))
    (made / "mass_function_000.txt").write_text("# redshift 0, h 0.7\n# M in Msun/h, dn/dlnM per cubic Mpc/h\n# M_low M_high M halos dn_dlnM error sheth_tormen warren\n"
                                                "8e11 2e12 1e12 9 0.9 0.3 1 1.1\n2e12 5e12 3e12 0 0 0 0.6 0.7\n5e12 2e13 1e13 1 0.1 0.1 0.2 0.3\n5e13 9e13 7e13 4 0.4 0.2 0.02 0.03\n")
    for unit, last, wanted in (("AU/(29.7847 km/s)", 5, (0.1591579, "yr")), ("AU/(29.7847 km/s)", 5e4, (0.1591579e-3, "kyr")), ("pc/(km/s)", 0.1, (977.792, "kyr")),
                               ("pc/h/(km/s)", 9, (0.977792, "Myr/h")), ("kpc/(0.977792 km/s)", 1, (1, "Gyr")), ("", 5, (1, ""))):
        (made / "times.csv").write_text(f"time [{unit}]\n0\n{last}\n" if unit else f"time\n0\n{last}\n")
        factor, word = module.Table(made / "times.csv").clock()
        check(word == wanted[1] and abs(factor / wanted[0] - 1) < 1e-5, f"the clock of {last} {unit}: {factor} {word}, not {wanted}")
    for unit, largest, factor, word in (("kpc", 0.02, 1e3, "pc"), ("kpc", 3, 1, "kpc"), ("Mpc/h", 0.01, 1e3, "kpc/h"), ("pc", 4e5, 1e-6, "Mpc"), ("AU", 5, 1, "AU"), ("cm", 5, 1, "cm")):
        (made / "lengths.csv").write_text(f"r10 [{unit}],r90 [{unit}]\n{largest / 8},{largest}\n")
        lengths = module.Table(made / "lengths.csv")
        lengths.fit_units(["r10", "r90"])
        check(lengths.units["r90"] == word and abs(lengths["r90"][0] / (factor * largest) - 1) < 1e-9, f"{largest} {unit} in {lengths.units}: {lengths['r90']}")
    from matplotlib.figure import Figure
    lines, noted = {}, ""
    for name, make in (("energies", module._energies), ("power", module._power), ("mass", module._mass_function), ("radii", module._radii)):
        figure = Figure()
        make(made, figure)
        noted = figure.axes[0].get_title("left") if name == "power" else noted
        axes_of_radii = figure.axes
        lines[name] = {line.get_label(): (list(line.get_xdata()), [float(y) for y in line.get_ydata()]) for line in figure.axes[0].lines}
        lines[name + " points"] = [(list(line.get_xdata()), [float(y) for y in line.get_ydata()]) for line in figure.axes[0].lines]
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
    check(len(axes_of_radii) == 1, "a virial ratio with an external potential")
    check(same(lines["energies"]["external"][1], [-7, -8, -8]) and same(lines["energies"]["internal"][1], [1, 2, 2]) and abs(lines["energies"]["total"][0][1] - 1.0) < 1e-5, f"energies: external, internal, Gyr: {lines['energies']}")
    check(not math.isfinite(figure.axes[0].yaxis.get_transform().transform([0.0])[0]), "a radius of 0 is a line to the edge, not a gap")
    check(same(lines["power"]["z = 49, total"][1], [1, 0.5, nan]), f"power before shell crossing: {lines['power']}")
    check(same(lines["power"]["z = 0"][1], [90, nan, 10]) and same(lines["power"]["linear theory"][1], [95, 50, 9]), f"power with a gap, and its fit: {lines['power']}")
    check(same(lines["mass"]["Warren et al. 2006"][1], [1.1, 0.7, 0.3, 0.03]), f"the fits of a mass function: {lines['mass']}")
    counted = lines["mass points"]
    check(any(same(x, [1e12, nan, 1e13, nan, 7e13]) and same(y, [0.9, nan, 0.1, nan, 0.4]) for x, y in counted), f"bins without halos are no gaps: {counted}")
    check("P is negative" in noted, f"a spectrum with shot noise is not explained: {noted}")
    ends = [[point[1] for point in segment] for segment in lines["mass bars"][0] if len(segment)]  # Gehrels (1986), tables 1 and 2: 1 has 0.173
                                                                                   # to 3.3, 9 has 6.1 to 13.1
    check(all(abs(a - b) < 0.02 * b for found, wanted in zip([e for e in ends if e[0] == e[0]], ([0.606, 1.31], [0.0173, 0.33], [0.207, 0.717])) for a, b in zip(found, wanted)), f"errors of counts: {ends}")


MYR = 977.7922216807891  # kpc/(km/s)


def drawings(folders):
    """Returns the axes of each plot of these runs."""
    from matplotlib.figure import Figure
    module, found = plots_module(), {}
    module._runs[:] = folders
    for name, _, make, _ in module._run_jobs(folders, None):
        figure = Figure()
        make(figure)
        found[name] = figure.axes
    module._runs.clear()
    return found


def equal(line, x, y):
    """Whether the values of the line are those of the table; gaps in the line do not count."""
    drawn = [(a, b) for a, b in zip(map(float, line.get_xdata()), map(float, line.get_ydata())) if b == b]
    return len(drawn) > 1 and len(drawn) >= 0.6 * len(x) and all(any(abs(a - c) <= 1e-9 * abs(c) and abs(b - d) <= 1e-9 * abs(d) for c, d in zip(x, y)) for a, b in drawn)


def tables_drawn(folder):
    """Compares the lines of all plots with the files of the runs, read here in another way."""
    def csv_columns(path):
        rows = table(path)
        return lambda name: [float(row[next(key for key in row if key.partition(" [")[0] == name)] or "nan") for row in rows if row.get("type", "all") == "all"]
    def text_columns(path):
        lines = path.read_text().splitlines()
        names = [line for line in lines if line.startswith("#")][-1].split()[1:]
        return lambda name: [float(line.split()[names.index(name)]) for line in lines if not line.startswith("#")]
    expected = []  # run, plot, panel, label, x, y
    energy, steps, profile = (csv_columns(folder / "run" / name) for name in ("energy.csv", "steps.csv", "profile_002.csv"))
    times, step_times = ([MYR * t for t in column("time")] for column in (energy, steps))
    for name in ("kinetic", "potential", "total"):
        expected.append(("run", "energies", 0, name, times, [1e10 * e for e in energy(name)]))
    expected.append(("run", "energies", 1, None, times, list(map(abs, energy("energy_error")))))
    expected += [("run", "radii", 0, f"{part} %", times, energy(f"r{part}")) for part in (10, 25, 50, 75, 90)]
    expected.append(("run", "radii", 1, "-K/W", times, energy("virial_ratio")))
    expected.append(("run", "steps", 0, None, step_times, [MYR * t for t in steps("dt")]))
    expected.append(("run", "steps", 1, "with cells", step_times, steps("cells")))
    expected.append(("run", "steps", 2, "walk", step_times, steps("walk ms")))
    middle = [math.sqrt(a * b) for a, b in zip(profile("r_low"), profile("r_high"))]
    for panel, name in enumerate(("density", "circular_speed", "sigma_r", "anisotropy")):
        expected.append(("run", "profiles", panel, "t = 20 Myr" if panel == 0 else None, profile("r_high") if panel == 1 else middle, [(1e10 if panel == 0 else 1) * y for y in profile(name)]))
    cosmic = csv_columns(folder / "cosmic/energy.csv")
    expected += [("cosmic", "energies", 0, name, cosmic("scale_factor"), [1e10 * e for e in cosmic(name)]) for name in ("kinetic", "potential", "total")]
    power, masses = text_columns(folder / "cosmic/power_002.txt"), text_columns(folder / "cosmic/mass_function_002.txt")
    expected += [("cosmic", "power", 0, label, power("k"), power(name)) for label, name in (("z = 0", "P"), ("linear theory", "linear"), ("Halofit (Takahashi et al. 2012)", "halofit"))]
    expected += [("cosmic", "mass-function", 0, label, masses("M"), masses(name)) for label, name in ((None, "dn_dlnM"), ("Sheth & Tormen 1999", "sheth_tormen"), ("Warren et al. 2006", "warren"))]
    found = {run: drawings([folder / run]) for run in ("run", "cosmic")}
    for run, plot_name, panel, label, x, y in expected:
        lines = [line for line in found[run][plot_name][panel].lines if label in (None, line.get_label())]
        check(any(equal(line, x, y) for line in lines), f"{run}: {plot_name}: {label or panel}: {[(list(line.get_xdata())[:3], list(line.get_ydata())[:3]) for line in lines]}: not {x[:3]} {y[:3]}")


def several(folder):
    """Draws two runs of different length in one figure."""
    chamomile(folder, *"run galaxy.hdf5 --t-end 600Myr --dt 60Myr --eps 1kpc --snapshot-every 600Myr --profile -o longer -q".split())
    said = plot(folder, *"run longer -o both --format svg".split())
    check("wrote 4 plots to both" in said, f"two runs: {said}")
    check({"run, longer: energies", "run", "longer", "kinetic", "total", "time [Gyr]"} <= texts(folder / "both/energies.svg"), f"both runs: {texts(folder / 'both/energies.svg')}")
    check({"run, t = 0.02 Gyr", "longer, t = 0.6 Gyr"} <= texts(folder / "both/profiles.svg"), f"the last profiles: {texts(folder / 'both/profiles.svg')}")
    axes = drawings([folder / "run", folder / "longer"])["energies"][0]
    looks = {}
    for run in ("run", "longer"):
        rows = table(folder / run / "energy.csv")
        for name in ("kinetic", "potential", "total"):
            x, y = ([factor * float(row[next(key for key in row if key.startswith(name))]) for row in rows] for name, factor in (("time", MYR / 1000), (name, 1e10)))
            lines = [line for line in axes.lines if line.get_label() == name and equal(line, x, y)]
            check(len(lines) == 1, f"two runs: {run}: {name}: drawn {len(lines)} times")
            looks[run, name] = [(line.get_color(), line.get_linestyle()) for line in lines][:1] or [("none", "none")]
    looks = {key: found[0] for key, found in looks.items()}
    check(len({colour for colour, _ in looks.values()}) == 2 and len({style for _, style in looks.values()}) == 3 and
          all(looks["run", name][1] == looks["longer", name][1] for name in ("kinetic", "total")), f"colours are runs, styles are quantities: {looks}")
    chamomile(folder, *"model plummer -n 200 -o plain.hdf5 -q".split())
    chamomile(folder, *"run plain.hdf5 --t-end 0.1 --dt 0.05 --eps 0.1 -o plain -q".split())
    for status, line, words in ((2, "plot: 2 runs: need --output", "run longer"), (2, "plot: 8 runs: must be at most 7", "run " * 8 + "-o z"), (3, "galaxy.hdf5: is a file: must be the folder of a run", "run galaxy.hdf5 -o z"),
                                (3, "plain: 'energy': must be 'energy [Msun (km/s)$^{2}$]', as in run", "run plain -o z --plots energies"),
                                (3, "run/energy.csv: comoving runs and others have no common axis of time", "run cosmic -o z --plots energies"),
                                (3, "run, empty: have no table in common", "run empty -o z"), (3, "run: power: needs power_NNN.txt", "cosmic run -o z --plots power")):
        refused(folder, status, line, "plot", "--python", sys.executable, *words.split())


def tables(folder):
    """The lines of the plots of a cluster are the columns of its tables."""
    made, module = folder / "cluster", plots_module()
    made.mkdir()
    (made / "bound.csv").write_text("time,particles,mass,half_mass_radius,tidal_radius,step\n0,9,0.9,1.5,,0\n2,7,0.7,1.25,3,8\n")
    (made / "cluster.csv").write_text("time [pc/(km/s)],core_radius [pc],r1 [pc],r5_group2 [pc],core_particles,core_relaxation_time [pc/(km/s)],half_mass_relaxation_time [pc/(km/s)]\n0,0.1,0.2,,5,3,30\n1,0.05,0.15,0.4,6,2,20\n")
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
                                        ("cluster", 0, "r5 group2", [nan, 0.4])):
        check(column in drawn[name][panel] and same(drawn[name][panel][column][1], wanted), f"{name}: {column}: {drawn[name]}, not {wanted}")
    alone = lambda name, panel: list(drawn[name][panel].values())
    for name, panel, wanted in (("bound", 0, [0.9, 0.7]), ("escapers", 0, [2.5]), ("binaries", 0, [0.01, 0.02]), ("binaries", 1, [0.5, 0]), ("binaries", 2, [7, 3])):
        check(len(alone(name, panel)) == 1 and same(alone(name, panel)[0][1], wanted), f"{name}: {panel}: {drawn[name]}, not {wanted}")
    times = drawn["cluster"][1]["half mass relaxation time"][1]
    check(max(abs(found - 0.977792 * wanted) for found, wanted in zip(times, (30, 20))) < 1e-4, f"relaxation times in Myr: {times}")
    check(same(alone("escapers", 0)[0][0], [1.5]) and abs(drawn["cluster"][0]["r1"][0][1] - 0.977792) < 1e-5, f"times: {drawn}")
    said = plot(folder, "cluster", "-o", "of-cluster", "--format", "svg")
    check("wrote 4 plots" in said and "encounters" not in said, f"a table without rows: {said}")
    found = texts(folder / "of-cluster/cluster.svg")
    check({"radius [pc]", "time [Myr]", "core radius", "relaxation time [Myr]"} <= found, f"cluster.svg: {found}")
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


run_parts("runs are drawn", isolated, box, from_python, drawn, tables, tables_drawn, retyped, refuses, several)
