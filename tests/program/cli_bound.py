#!/usr/bin/env python3
"""Tests `chamomile bound`, `run --bound` and `--cluster`, and --ids: bound mass against an unbinding in
numpy, orbits against Kepler's, the core of a King model, restarts, ranks, and refusals.
"""
import math

from program import chamomile, check, need, refused, run_parts, table

need("numpy")
import numpy  # noqa: E402

EPS = 0.02
FEW = ("--eps", EPS, "--dt", 0.0078125)


def read(folder, name):
    """Returns id, mass, position and velocity."""
    chamomile(folder, "convert", name, "read.txt", "-q", "--overwrite")
    rows = numpy.array([line.split() for line in (folder / "read.txt").read_text().splitlines() if not line.startswith("#")])
    numbers = rows[:, :7].astype(float)
    return rows[:, 7].astype(int), numbers[:, 0], numbers[:, 1:4], numbers[:, 4:7]


def write(path, mass, x, v, first=1):
    with open(path, "w") as file:
        for k in range(len(mass)):
            file.write(" ".join(map(repr, map(float, (mass[k], *x[k], *v[k])))) + f" {first + k}\n")


def potential(mass, x, eps):
    phi = numpy.zeros(len(mass))
    for i in range(len(mass)):
        r = numpy.sqrt(((x - x[i]) ** 2).sum(1) + eps * eps)
        r[i] = numpy.inf
        phi[i] = -(mass / r).sum()
    return phi


def unbound_removed(mass, x, v, eps, center):
    """Another unbinding: direct sums over the members in each round, one tenth of the unbound removed at a time, the worst first."""
    near = numpy.argsort(((x - center) ** 2).sum(1))[:100]
    speed = numpy.average(v[near], axis=0, weights=mass[near])
    members = numpy.arange(len(mass))
    while True:
        phi = potential(mass[members], x[members], eps)
        for _ in range(20):
            energy = 0.5 * ((v[members] - speed) ** 2).sum(1) + phi
            speed = numpy.average(v[members][energy < 0], axis=0, weights=mass[members][energy < 0])
        wrong = (energy >= 0).sum()
        if wrong == 0:
            return members, speed
        members = members[numpy.sort(numpy.argsort(energy)[:len(members) - max(1, wrong // 2)])]


def stream(folder):
    """A sphere that moves, a stream through it, and fast particles within it."""
    chamomile(folder, *"model plummer -n 1500 --seed 3 -o sphere.hdf5 -q --overwrite".split())
    _, mass, x, v = read(folder, "sphere.hdf5")
    random = numpy.random.default_rng(5)
    along = numpy.stack([random.uniform(-12, 12, 900), random.normal(0, 0.5, 900), random.normal(0, 0.5, 900)], 1)
    with_along = numpy.stack([0.15 * along[:, 0], random.normal(0, 0.2, 900), random.normal(0, 0.2, 900)], 1)
    fast = random.normal(0, 2.5, (100, 3))
    mass = numpy.concatenate([mass, numpy.full(1000, mass[0])])
    x = numpy.concatenate([x, along, random.normal(0, 0.7, (100, 3))]) + (7, -2, 3)
    v = numpy.concatenate([v, with_along, fast]) + (3, 0.5, -1)
    write(folder / "stream.txt", mass, x, v, 10)
    return mass, x, v


def bound_mass(folder):
    mass, x, v = stream(folder)
    members, speed = unbound_removed(mass, x, v, EPS, numpy.array((7, -2, 3)))
    check(1500 < len(members) < 2400, f"a poor case: {len(members)} bound")
    for words, limit in ((("--solver", "direct", "--precision", "double"), 2), ((), 6)):
        chamomile(folder, "bound", "stream.txt", "--eps", EPS, *words, "-o", "bound.csv", "--bound-ids", "ids.txt", "--overwrite", "-q")
        row, = table(folder / "bound.csv")
        found = numpy.array((folder / "ids.txt").read_text().split(), int) - 10
        wrong = set(found) ^ set(members)
        check(len(wrong) <= limit, f"{words}: {len(wrong)} of {len(members)} particles are bound in one unbinding only")
        check(abs(float(row["mass"]) / mass[members].sum() - 1) < 1e-3 * limit and int(row["particles"]) == len(found), f"{words}: bound mass {row}")
        check(max(abs(float(row[f"velocity_{axis}"]) - speed[k]) for k, axis in enumerate("xyz")) < 2e-3, f"{words}: velocity {row}, not {speed}")
        center = numpy.array([float(row[f"center_{axis}"]) for axis in "xyz"])
        r = numpy.sqrt(((x[found] - center) ** 2).sum(1))
        order = numpy.argsort(r)
        half = r[order][numpy.searchsorted(numpy.cumsum(mass[found][order]), 0.5 * mass[found].sum())]
        check(abs(float(row["half_mass_radius"]) / half - 1) < 2e-3 and numpy.abs(center - (7, -2, 3)).max() < 0.2, f"{words}: half-mass radius {row}, not {half}")
        check(row["tidal_radius"] == "", f"{words}: a tide without a field: {row}")
    # a sphere that has lost its balance, so that one removal calls for the next
    torn = 1.5 * (v[:1500] - (3, 0.5, -1))
    members, _ = unbound_removed(mass[:1500], x[:1500], torn, EPS, numpy.array((7, -2, 3)))
    check(200 < len(members) < 1200, f"a poor case: {len(members)} of 1500 bound")
    write(folder / "torn.txt", mass[:1500], x[:1500], torn)
    chamomile(folder, "bound", "torn.txt", "--eps", EPS, "-o", "torn.csv", "-q")
    row, = table(folder / "torn.csv")
    check(abs(int(row["particles"]) - len(members)) <= 6, f"a torn sphere: {row['particles']} bound, not {len(members)}")
    # nothing is bound
    write(folder / "loose.txt", mass[:300], x[:300], 100 * v[:300])
    chamomile(folder, "bound", "loose.txt", "--eps", EPS, "-o", "loose.csv", "-q")
    row, = table(folder / "loose.csv")
    check(row["particles"] == "0" and row["mass"] == "0" and row["center_x"] == "" == row["half_mass_radius"], f"nothing is bound: {row}")


def chosen_ids(folder):
    count = len((folder / "ids.txt").read_text().split())
    chamomile(folder, *"convert stream.txt chosen.txt --ids ids.txt -q".split())
    check(len(read(folder, "chosen.txt")[0]) == count, "convert --ids")
    chamomile(folder, "force", "stream.txt", "--eps", EPS, "--ids", "ids.txt", "-o", "force.hdf5", "-q")
    check(len(read(folder, "force.hdf5")[0]) == count, "force --ids")
    chamomile(folder, *"profile stream.txt --ids ids.txt --r-min 0.001 --r-max 1000 --bins 1 -o p.csv -q".split())
    check(int(table(folder / "p.csv")[0]["particles"]) == count, f"profile --ids: {table(folder / 'p.csv')}")
    for name, words in (("all", ()), ("some", ("--ids", "ids.txt")), ("kept", ())):
        chamomile(folder, "render", "chosen.txt" if name == "kept" else "stream.txt", "--size", 64, "--fov", 6, "--center", "7,-2,3", "--data", f"{name}.npy",
                  "-o", f"{name}.png", "-q", *words)
    data = {name: numpy.load(folder / f"{name}.npy") for name in ("all", "some", "kept")}
    check((data["some"] == data["kept"]).all() and (data["some"] != data["all"]).any(), "render --ids")
    again = chamomile(folder, "bound", "stream.txt", "--eps", EPS, "--ids", "ids.txt")
    check(f"stream.txt,0,{count}," in again, f"bound --ids: {again}")
    (folder / "wrong.txt").write_text("12 x3\n")
    (folder / "missing.txt").write_text("12 # one\n99999,13\n")
    for command in (("convert", "stream.txt", "n.txt"), ("profile", "stream.txt"), ("render", "stream.txt", "-o", "n.png"), ("force", "stream.txt", "--eps", 1, "-o", "n.hdf5"),
                    ("bound", "stream.txt", "--eps", 1)):
        refused(folder, 3, "wrong.txt: line 1: 'x3': must be an id", *command, "--ids", "wrong.txt")
        refused(folder, 3, "missing.txt: id 99999: must be the id of a particle", *command, "--ids", "missing.txt")


def runs(folder):
    """A run's table is that of its snapshots, with a field; restarts and ranks keep its bytes."""
    field = ("--potential", "point,M=50")
    words = ("run", "sphere.hdf5", *FEW, *field, "--bound", "--cluster", "--set", "bound.every=8", "--set", "cluster.every=8")
    chamomile(folder, "convert", "sphere.hdf5", "placed.hdf5", "--shift", "8,0,0", "--velocity", "0,2,0", "-q")
    words = ("run", "placed.hdf5", *words[2:])
    chamomile(folder, *words, "--t-end", 0.25, "--snapshot-every", 0.125, "-o", "whole")
    rows = table(folder / "whole/bound.csv")
    check([int(row["step"]) for row in rows] == [0, 8, 16, 24, 32], f"rows at {[row['step'] for row in rows]}")
    chamomile(folder, "bound", *(f"whole/snapshot_00{k}.hdf5" for k in range(3)), *field, "-o", "snapshots.csv", "-q")
    for one, other in zip(rows[::2], table(folder / "snapshots.csv")):
        for name in ("time", "particles", "mass", "half_mass_radius", "tidal_radius", "center_x", "velocity_y"):
            check(abs(float(one[name]) - float(other[name])) <= (5 if name == "particles" else 5e-3 * abs(float(other[name]))), f"{name}: {one} and {other}")
        x, v = (numpy.array([float(one[f"{what}_{axis}"]) for axis in "xyz"]) for what in ("center", "velocity"))
        R = numpy.linalg.norm(x)
        W = numpy.linalg.norm(numpy.cross(x, v)) / R**2
        tidal = (float(one["mass"]) / (W**2 + 2 * 50 / R**3)) ** (1 / 3)
        check(abs(float(one["tidal_radius"]) / tidal - 1) < 1e-5, f"tidal radius {one['tidal_radius']}, not {tidal}")
    names = ("bound.csv", "cluster.csv", "escapers.csv")
    chamomile(folder, *words, "--t-end", 0.125, "--snapshot-every", 0.125, "-o", "parts")
    chamomile(folder, "run", "--restart", "parts", "--t-end", 0.25)
    chamomile(folder, *words, "--t-end", 0.25, "--snapshot-every", 0.125, "--ranks", 2, "-o", "ranks")
    for other in ("parts", "ranks"):
        for name in names:
            check((folder / "whole" / name).read_bytes() == (folder / other / name).read_bytes(), f"{other}: {name} differs")


def escapers(folder):
    _, mass, x, v = read(folder, "sphere.hdf5")
    x[:3], v[:3] = ((6, 0, 0), (0, 7, 0), (0, 0, 30)), ((40, 0, 0), (0, 30, 0), (0, 0, 1))
    write(folder / "leaving.txt", mass, x, v)
    chamomile(folder, "run", "leaving.txt", "--eps", EPS, "--block-steps", "--t-end", 0.25, "--cluster", "--set", "cluster.mass-groups=0.0006", "-o", "leaving")
    rows = table(folder / "leaving/escapers.csv")
    check([row["id"] for row in rows] == ["3", "1", "2"] and rows[0]["time"] == "0" and 0 < float(rows[1]["time"]) <= float(rows[2]["time"]), f"escapers: {rows}")
    check(abs(float(rows[1]["speed"]) - 40) < 0.5 and float(rows[1]["distance"]) > 7, f"an escaper: {rows[1]}")
    last = table(folder / "leaving/cluster.csv")[-1]
    check(last["escapers"] == "3" and abs(float(last["escaped_mass"]) - 3 / 1500) < 1e-9, f"cluster.csv: {last}")
    n, m = int(last["bound_particles"]), float(last["bound_mass"])
    time = 0.138 * n * math.sqrt(float(last["r50"]) ** 3 / m) / math.log(0.11 * n)
    check(abs(float(last["half_mass_relaxation_time"]) / time - 1) < 1e-9, f"relaxation time: {last}, not {time}")
    check(float(last["r1"]) < float(last["r5"]) < float(last["r50"]) and int(last["particles_group1"]) == 0 and last["r5_group2"] == last["r5"] and last["r5_group1"] == "",
          f"radii: {last}")


def king(folder):
    """The core radius of a King model over its half-mass radius, against integrals over King's profile."""
    chamomile(folder, *"model king --w0 6 -n 30000 --seed 2 -o king.hdf5 -q".split())
    chamomile(folder, *"run king.hdf5 --eps 0.01 --dt 0.001 --t-end 0.001 --cluster -o king".split())
    density = lambda w: math.exp(w) * math.erf(math.sqrt(w)) - math.sqrt(4 * w / math.pi) * (1 + 2 * w / 3) if w > 0 else 0
    w, slope, r, h, shells = 6.0, 0.0, 1e-6, 1e-3, []
    while w > 0:  # w'' + 2 w'/r = -9 rho/rho_0
        middle = slope + 0.5 * h * (-9 * density(w) / density(6) - 2 * slope / r)
        slope += h * (-9 * density(w + 0.5 * h * slope) / density(6) - 2 * middle / (r + 0.5 * h))
        w += h * middle
        r += h
        shells.append((r, density(w)))
    r, rho = numpy.array(shells).T
    mass = numpy.cumsum(rho * r**2)
    half = r[numpy.searchsorted(mass, mass[-1] / 2)]
    core = (rho**2 * r**3).sum() / (rho**2 * r**2).sum()
    row = table(folder / "king/cluster.csv")[0]
    found = float(row["core_radius"]) / float(row["r50"])
    check(abs(found / (core / half) - 1) < 0.05, f"core radius over half-mass radius: {found}, not {core / half}")
    central = (rho**3 * r**2).sum() / (rho**2 * r**2).sum() * half**3 / (mass[-1] * h)  # in the mass over 4 pi r50^3
    check(abs(float(row["core_density"]) * 4 * math.pi * float(row["r50"]) ** 3 / central - 1) < 0.08, f"core density {row}, not {central}")


def placed_pair(mass, a, e, phase):
    """Returns positions and velocities of two bodies at this true anomaly; a < 0 for e > 1."""
    p, total = a * (1 - e * e), sum(mass)
    r = p / (1 + e * math.cos(phase))
    x = r * numpy.array((math.cos(phase), 0.6 * math.sin(phase), 0.8 * math.sin(phase)))
    v = math.sqrt(total / p) * numpy.array((-math.sin(phase), 0.6 * (e + math.cos(phase)), 0.8 * (e + math.cos(phase))))
    return [-mass[1] / total * x, mass[0] / total * x], [-mass[1] / total * v, mass[0] / total * v]


def binaries(folder):
    chamomile(folder, *"model plummer -n 1500 --seed 3 -o sphere.hdf5 -q --overwrite".split())
    random = numpy.random.default_rng(8)
    _, mass, x, v = read(folder, "sphere.hdf5")
    mass, x, v = mass[:200] * 7.5, x[:200], v[:200]
    made = (((0.004, 0.002), 0.003, 0.7, 2.0), ((0.003, 0.0005), 0.001, 0.05, 4.0))
    for pair, a, e, phase in made:
        xs, vs = placed_pair(pair, a, e, phase)
        middle, motion = random.normal(0, 0.3, 3), random.normal(0, 0.2, 3)
        mass, x, v = numpy.append(mass, pair), numpy.concatenate([x, xs + middle]), numpy.concatenate([v, vs + motion])
    write(folder / "binaries.txt", mass, x, v)
    hermite = ("--integrator", "hermite", "--eps", 0)
    chamomile(folder, "run", "binaries.txt", *hermite, "--t-end", 0.001, "--cluster", "--set", "cluster.binaries", "--bound", "-o", "binaries")
    rows = {(row["id_1"], row["id_2"]): row for row in table(folder / "binaries/binaries.csv") if row["step"] == "0"}
    stars = numpy.concatenate([mass[:200] * ((v[:200] - numpy.average(v, axis=0, weights=mass)) ** 2).sum(1)])
    for k, (pair, a, e, phase) in enumerate(made):
        row = rows.get((str(201 + 2 * k), str(202 + 2 * k)))
        if not check(row, f"binary {k} is not among {list(rows)}"):
            continue
        for name, wanted in (("semi_major_axis", a), ("eccentricity", e), ("period", 2 * math.pi * math.sqrt(a**3 / sum(pair))), ("mass_1", pair[0])):
            check(abs(float(row[name]) / wanted - 1) < 1e-9, f"binary {k}: {name} {row[name]}, not {wanted}")
        hardness = pair[0] * pair[1] / (2 * a) / (stars.mean() / 3)
        check(abs(float(row["hardness"]) / hardness - 1) < 0.1, f"binary {k}: hardness {row['hardness']}, not {hardness}")
    later = [row for row in table(folder / "binaries/binaries.csv") if row["id_1"] == "203" and row["step"] != "0"]
    check(later and abs(float(later[-1]["semi_major_axis"]) / 0.001 - 1) < 1e-3, f"later: {later}")
    # a passage, and a bound pair that is none
    xs, vs = placed_pair((0.5, 0.25), -0.4, 1.3, -1.9)
    far, still = placed_pair((0.5, 0.25), 0.05, 0.6, 3.0)
    write(folder / "passage.txt", (0.5, 0.25, 1e-3, 5e-4), [*xs, *(numpy.array(far) + 500)], [*vs, *(numpy.array(still) * math.sqrt(1.5e-3 / 0.75))])
    chamomile(folder, "run", "passage.txt", *hermite, "--t-end", 3, "--cluster", "--set", "cluster.encounters=0.2", "-o", "passage")
    rows = table(folder / "passage/encounters.csv")
    check(len(rows) == 1 and (rows[0]["id_1"], rows[0]["id_2"]) == ("1", "2"), f"passages: {rows}")
    for name, wanted in (("pericenter", 0.12), ("eccentricity", 1.3), ("speed", math.sqrt(0.75 / 0.4)), ("mass_2", 0.25)):
        check(rows and abs(float(rows[0][name]) / wanted - 1) < 1e-4, f"a passage: {name}: {rows}, not {wanted}")
    chamomile(folder, "run", "passage.txt", *hermite, "--t-end", 3, "--cluster", "--set", "cluster.encounters=0.1", "-o", "none")
    check(table(folder / "none/encounters.csv") == [], "a passage beyond the distance")


def refuses(folder):
    chamomile(folder, *"model cosmology --n 8 --box 50 --z-start 4 -o box.hdf5 -q".split())
    start, cosmic = ("run", "sphere.hdf5", *FEW, "--t-end", 0.1, "-o", "no"), ("run", "box.hdf5", "--z-end", 3, "--eps", 100, "-o", "no")
    for line, words in (("--bound: needs isolated particles in plain time", (*cosmic, "--bound")), ("--cluster: needs isolated", (*cosmic, "--cluster")),
                        ("bound: box.hdf5: needs isolated particles", ("bound", "box.hdf5", "--eps", 1)),
                        ("--set cluster.binaries: needs --eps 0", (*start, "--cluster", "--set", "cluster.binaries")),
                        ("--set cluster.encounters: needs --eps 0", (*start, "--cluster", "--set", "cluster.encounters=0.1")),
                        ("--set cluster.encounters: needs --integrator hermite", ("run", "sphere.hdf5", "--eps", 0, "--dt", 0.01, "--t-end", 0.1, "--cluster", "--set", "cluster.encounters=0.1", "-o", "no")),
                        ("--bound: contradicts a rotating", (*start, "--bound", "--potential", "rotation,omega=1")),
                        ("--set bound.every: needs --bound", (*start, "--set", "bound.every=5")),
                        ("--set bound.ids: needs --bound or --cluster", (*start, "--set", "bound.ids=ids.txt")),
                        ("--set cluster.every: needs --cluster", (*start, "--bound", "--set", "cluster.every=5")),
                        ("--set cluster.mass-groups: must ascend", (*start, "--cluster", "--set", "cluster.mass-groups=2,1")),
                        ("--bound: needs particles with mass", ("run", "--tracers", "sphere.hdf5", *FEW, "--t-end", 0.1, "--potential", "point,M=1", "--bound", "-o", "no"))):
        refused(folder, 2, line, *words)
    refused(folder, 3, "missing.txt: id 99999", *start, "--bound", "--set", "bound.ids=missing.txt")
    refused(folder, 4, "ids.txt", "bound", "stream.txt", "--eps", EPS, "--bound-ids", "ids.txt")
    check("--bound" not in chamomile(folder, "run", "--help") and "--bound" in chamomile(folder, "run", "--help-all"), "run --help has grown")


run_parts("what is bound is found", bound_mass, chosen_ids, runs, escapers, king, binaries, refuses)
