#!/usr/bin/env python3
"""`chamomile power`, `halos` and periodic `render`: tables and catalogues against sums written out here."""
import cmath
import functools
import importlib.util
import math
import pathlib
import random
import re
import struct
import tempfile

from program import check, end, need, refused as refused_in, rows as rows_of, run, table

need("h5py", skip=False)
h5py = __import__("h5py") if importlib.util.find_spec("h5py") else None

SIDE, MASS, NUMBER, A = 50000.0, 3.0, 400, 0.5
HEADER = f"""# time: {A}
# scale_factor: {A}
# omega_matter: 0.3
# omega_lambda: 0.7
# hubble: 0.7
# unit_length_in_cm: 3.085678e21
# unit_mass_in_g: 1.989e43
# unit_velocity_in_cm_per_s: 1e5
# units_per_h: 1
# box_size: {SIDE}
# columns: mass x y z vx vy vz id
"""


def near(found, wanted, relative, what):
    check(abs(found - wanted) <= relative * abs(wanted), f"{what}: {found!r} instead of {wanted!r}")


def rows(name):
    return rows_of((folder / name).read_text())


def make_box():
    """Returns rows of position and velocity: clumps, some across faces, and field particles."""
    dice = random.Random(7)
    particles = []
    while len(particles) < NUMBER // 2:
        center = [dice.choice([0, dice.uniform(0, SIDE)]) for _ in range(3)]
        for _ in range(dice.randrange(3, 40)):
            particles.append([(c + dice.gauss(0, 300)) % SIDE for c in center] + [dice.gauss(0, 100) for _ in range(3)])
    while len(particles) < NUMBER:
        particles.append([dice.uniform(0, SIDE) for _ in range(3)] + [dice.gauss(0, 100) for _ in range(3)])
    particles = particles[:NUMBER]
    dice.shuffle(particles)
    return particles


def nearest(d):
    return d - SIDE * round(d / SIDE)


def groups_of(particles, length):
    """Returns sets of linked particles from a search over all pairs, largest first."""
    left, groups = set(range(len(particles))), []
    while left:
        queue, members = [min(left)], set()
        while queue:
            i = queue.pop()
            if i not in left:
                continue
            left.discard(i)
            members.add(i)
            queue += [j for j in left if math.dist([nearest(a - b) for a, b in zip(particles[i][:3], particles[j][:3])], (0, 0, 0)) <= length]
        groups.append(sorted(members))
    return sorted(groups, key=lambda g: (-len(g), g[0]))


def check_halos(particles):
    length = 0.2 * SIDE / NUMBER ** (1 / 3)
    wanted = [g for g in groups_of(particles, length) if len(g) >= 5]
    result = chamomile("halos", "box.txt", "--min-members", 5, "-o", "halos.txt", "--mass-function", "numbers.txt", "--fits", "--sigma8", 0.8)
    check(result.returncode == 0, f"halos: {result.stderr}")
    found = rows("halos.txt")
    check([int(r[1]) for r in found] == [len(g) for g in wanted], "halos: wrong numbers of members")
    for row, members in zip(found, wanted):
        first = particles[members[0]]
        place = [[nearest(particles[i][k] - first[k]) for k in range(3)] for i in members]
        center = [sum(p[k] for p in place) / len(members) for k in range(3)]
        for k in range(3):
            check(abs(nearest(row[6 + k] - center[k] - first[k])) < 1e-3, "halos: wrong center of mass")
        near(row[2], MASS * len(members), 1e-8, "halos: mass")
        velocity = [sum(particles[i][3 + k] for i in members) / len(members) for k in range(3)]
        check(max(abs(row[9 + k] - velocity[k]) for k in range(3)) < 1e-4, "halos: velocity")
    numbers = rows("numbers.txt")
    check(sum(int(r[3]) for r in numbers) == len(wanted), "mass function: wrong number of halos")
    for row in numbers:
        near(row[4], row[3] / (50**3 * math.log(row[1] / row[0])) if row[3] else 0, 1e-4, "mass function: dn/dlnM")
        check(len(row) == 17, "mass function: wrong columns")
        corrected = [MASS * 1e10 * len(g) * (1 - len(g) ** -0.6) for g in wanted]
        check(int(row[6]) == sum(row[0] <= m < row[1] for m in corrected), "mass function: wrong corrected masses")
    check_types(particles, length)
    (folder / "bare.txt").write_text((folder / "box.txt").read_text().replace("# omega_matter: 0.3\n", ""))
    result = chamomile("halos", "bare.txt", "--min-members", 5, "-o", "bare_halos.txt")
    check("no spheres of critical densities" in result.stdout, f"halos without Omega_m: {result.stdout}")
    heading = next(line for line in (folder / "bare_halos.txt").read_text().splitlines() if line.startswith("# number"))
    check("M_Mean200" in heading and "Crit" not in heading and "TopHat" not in heading, f"halos without Omega_m: {heading}")
    refused(2, "Omega_m", "halos", "bare.txt", "--mass-function", "x.txt", "--fits")
    if not h5py:
        return
    check(chamomile("halos", "box.txt", "--min-members", 5, "-o", "halos.hdf5", "--threads", 1).returncode == 0, "halos: HDF5")
    check(chamomile("halos", "box.txt", "--min-members", 5, "-o", "again.hdf5", "--threads", 3).returncode == 0, "halos: HDF5")
    with h5py.File(folder / "halos.hdf5") as file, h5py.File(folder / "again.hdf5") as again:
        header, group, ids = file["Header"].attrs, file["Group"], file["IDs/ID"][:]
        check(header["Ngroups_Total"] == len(wanted) == header["Ngroups_ThisFile"], "halos.hdf5: Ngroups")
        check(header["Nids_ThisFile"] == len(ids), "halos.hdf5: Nids")
        near(header["Redshift"], 1, 1e-12, "halos.hdf5: Redshift")
        for h, members in enumerate(wanted):
            start = group["GroupOffset"][h]
            listed = ids[start : start + group["GroupLen"][h]]
            check(list(listed) == [i + 1 for i in members], "halos.hdf5: members")
            check(group["GroupLenType"][h][1] == len(members), "halos.hdf5: GroupLenType")
            near(group["GroupVel"][h][0], A * found[h][9], 1e-6, "halos.hdf5: GroupVel")
        for name in "GroupMass", "GroupPos", "GroupCM", "Group_M_Mean200", "Group_R_Crit200", "Group_M_TopHat200":
            check((group[name][:] == again["Group"][name][:]).all(), f"halos.hdf5: {name} depends on the number of threads")
        # 200 critical densities in comoving coordinates: 3 H^2 / (8 pi G) a^3, H0 = 0.1 km/s/(kpc/h)
        density = 200 * 3 * 0.01 * (0.3 / A**3 + 0.7) * A**3 / (8 * math.pi * 43007.1)
        for mass, radius in zip(group["Group_M_Crit200"], group["Group_R_Crit200"]):
            near(mass, density * 4 * math.pi / 3 * radius**3, 1e-4, "halos.hdf5: Group_M_Crit200")


def check_types(particles, length):
    """Friends have the chosen types; spheres contain all types."""
    types = [1 + (i % 3 == 0) for i in range(NUMBER)]
    runs = "# types: " + " ".join(f"{kind}*1" for kind in types) + "\n"
    (folder / "types.txt").write_text(runs + (folder / "box.txt").read_text())
    result = chamomile("halos", "types.txt", "--types", 1, "--length", length, "--min-members", 5, "-o", "of_type.txt", "--mass-function", "of_type_numbers.txt", "--fits")
    check("count only the chosen types" in result.stdout, f"halos --types: {result.stdout}{result.stderr}")
    found = rows("of_type.txt")
    chosen = [p for p, kind in zip(particles, types) if kind == 1]
    wanted = [g for g in groups_of(chosen, length) if len(g) >= 5]
    check([int(r[1]) for r in found] == [len(g) for g in wanted], "halos --types: wrong numbers of members")
    density = 200 * MASS * NUMBER / SIDE**3
    for row in found:
        mass, radius = row[17:19]
        inside = MASS * sum(math.dist([nearest(a - b) for a, b in zip(p[:3], row[3:6])], (0, 0, 0)) <= radius * (1 + 1e-6) for p in particles)
        near(mass, density * 4 * math.pi / 3 * radius**3, 1e-4, "halos --types: density of a sphere")
        check(abs(inside - mass) <= MASS * 1.001, f"halos --types: a sphere of {mass} holds {inside}")


def check_power(particles):
    result = chamomile("power", "box.txt", "--mesh", 64, "--linear", "--fold", 0, "-o", "power.txt", "--fits")
    check(result.returncode == 0, f"power: {result.stderr}")
    side, fundamental = SIDE / 1000, 2 * math.pi / (SIDE / 1000)  # Mpc/h
    sums = {}
    for x in range(-4, 5):
        for y in range(-4, 5):
            for z in range(-4, 5):
                k = math.sqrt(x * x + y * y + z * z)
                if 0.5 <= k < 3.5:
                    mode = sum(cmath.exp(-2j * math.pi * (x * p[0] + y * p[1] + z * p[2]) / SIDE) for p in particles)
                    sums.setdefault(int(k + 0.5), []).append((k, abs(mode / NUMBER) ** 2 * side**3))
    table = rows("power.txt")
    for number, row in zip((1, 2, 3), table):
        modes = sums[number]
        near(row[0], fundamental * sum(k for k, _ in modes) / len(modes), 1e-7, "power: k")
        near(row[2], sum(p for _, p in modes) / len(modes), 1e-4, "power: total")
        near(row[2] - row[1], side**3 / NUMBER, 1e-3, "power: shot noise")
        check(int(row[4]) == len(modes), "power: modes")
    check(all(len(row) == 10 and row[8] > 0 for row in table), "power: fits")
    printed = chamomile("power", "box.txt", "--mesh", 64, "--linear", "--fold", 0, "--fits", "--threads", 1)
    check(printed.stdout.splitlines()[2:] == (folder / "power.txt").read_text().splitlines()[2:], "power: to standard output")


def cells(n, low=0.0, high=10.0, jitter=0.0):
    """Returns an n^3 lattice from low to high, in random order."""
    dice, d = random.Random(n), (high - low) / n
    places = [[low + d * (index + 0.5 + jitter * dice.uniform(-0.5, 0.5)) for index in (i, j, k)] for i in range(n) for j in range(n) for k in range(n)]
    dice.shuffle(places)
    return places


def make_files():
    """Boxes with side 10 and density 1, as (type, mass, position) per particle: one mass; other images of it; a zoom
    without a halo; gas in a dark matter lattice; few heavy particles.
    """
    one = [(1, 1000 / 12**3, p) for p in cells(12)]
    heavy = [(2, 8.0, p) for p in cells(5) if any(abs(x - 5) > 1 for x in p)]
    files = {
        "one": one, "zoom": [(1, 8 / 512, p) for p in cells(8, 4, 6, 0.2)] + heavy,
        "outside": [(t, m, [x + 10 * ((i + axis) % 5 - 2) if i % 7 == 0 else x for axis, x in enumerate(p)]) for i, (t, m, p) in enumerate(one)],
        "below": [(t, m, [-1e-9] + p[1:] if i == 3 else p) for i, (t, m, p) in enumerate(one)],
        "within": [(t, m, [10 - 1e-9] + p[1:] if i == 3 else p) for i, (t, m, p) in enumerate(one)],
        "gaszoom": [(1, 0.85 * 8 / 512, p) for p in cells(8, 4, 6, 0.2)] + [(0, 0.15 * 8 / 512, p) for p in cells(8, 3.9, 5.9)] + heavy,
        "gas": [(0, 150 / 10**3, p) for p in cells(10)] + [(1, 850 / 9**3, p) for p in cells(9)],
        "mixed": [(1, 990 / 12**3, p) for p in cells(12)] + [(1, 10 / 3, p) for p in cells(2)[:3]],
    }
    for name, particles in files.items():
        text = "# box_size: 10\n# types: " + " ".join(f"{t}*1" for t, _, _ in particles) + "\n"
        text += "".join(f"{m!r} {' '.join(map(repr, p))} 0 0 0 {i + 1}\n" for i, (_, m, p) in enumerate(particles))
        (folder / f"{name}.txt").write_text(text)
    order = sorted(range(len(one)), key=lambda i: one[i][2])
    (folder / "sorted.txt").write_text("# box_size: 10\n" + "".join(f"{one[i][1]!r} {' '.join(map(repr, one[i][2]))} 0 0 0 {i + 1}\n" for i in order))
    return files


OUTSIDE = "particles are outside the periodic box"
PRODUCT = [  # command, expected pattern in the output, forbidden pattern
    *[(f"profile {name}.txt --center 5,5,5 --bins 4 -o {name}.csv", "shells reach at most 5, half the side", None if name == "outside" else OUTSIDE) for name in ("one", "outside", "zoom")],
    ("profile one.txt --center 5,5,5 --cylinders --bins 4 -o rings.csv", "rings reach at most 5", OUTSIDE),
    ("profile outside.txt --center 5,5,5 --bins 4 --r-max 4 -o x.csv", OUTSIDE, "reach at most"),
    ("profile one.txt --center 5,5,5 --r-max 5.1", r"--r-max: 5.1: must be at most half the side of the periodic box, 5\n", None),
    ("profile one.txt --center 5,5,5 --cylinders --height 5.1", "--height: 5.1: must be at most half the side", None),
    ("power one.txt -o one.power", "wrote", OUTSIDE),
    ("power outside.txt -o outside.power", OUTSIDE, None),
    ("power zoom.txt -o zoom.power", "wrote", OUTSIDE),
    ("halos one.txt --min-members 2", "^0 halos .* linking length 0.166667;", "masses of linked particles"),
    ("halos outside.txt --min-members 2", f"^0 halos .* linking length 0.166667;(.*\n)*.*{OUTSIDE}", "masses of linked particles"),
    ("halos zoom.txt --types 1 --min-members 2", "^0 halos with 0 of 512 particles .* linking length 0.05;", "masses of linked particles"),
    ("halos zoom.txt --types 2 --min-members 2", "^0 halos with 0 of 124 particles .* linking length 0.4;", "masses of linked particles"),
    ("halos zoom.txt --min-members 2", "note: masses of linked particles are 0.015625 to 8:", None),
    ("halos zoom.txt --length 0.2", "^0 halos", "masses of linked particles"),
    ("halos gaszoom.txt --types 1 --min-members 2", "^0 halos with 0 of 512 particles .* linking length 0.05;", "masses of linked particles"),
    ("halos gas.txt --types 1", "linking length 0.222222;", "masses of linked particles"),
    ("halos gas.txt --types gas", "linking length 0.2;", "masses of linked particles"),
    ("halos gas.txt", f"linking length {2 / 1729 ** (1 / 3):.6g};(.*\n)*.*masses of linked particles", None),
    ("run zoom.txt --dt 0.01 --t-end 0.01 --eps 0.02 --snapshot-every 0.01 --halos --set halos.min-members=2 --set halos.types=halo -o zoomed", "mass_function_NNN.txt", "masses of linked particles"),
    ("run zoom.txt --dt 0.01 --t-end 0.01 --eps 0.02 --snapshot-every 0.01 --halos -o mixed", "masses of linked particles are", None),
    ("run zoom.txt --dt 0.01 --t-end 0.01 --eps 0.02 --halos --set halos.types=gas -o x", r"--set halos.types: 0: no such particles, but 1 \(halo\), 2 \(disk\)", None),
    *[(f"render {name}.txt --size 64 -o {name}.png --data {name}.npy", "wrote", OUTSIDE) for name in ("one", "below", "within", "zoom")],
    ("render outside.txt --size 64 -o outside.png --data outside.npy", OUTSIDE, None),
    ("render one.txt --box 0 --size 64 -o isolated.png --data isolated.npy", "wrote", OUTSIDE),
    ("render one.txt --box 4 -o x.png", "--box: 4: contradicts the box of 10 in one.txt", None),
    ("render one.txt --types stars -o x.png", r"one.txt: particles: none of the chosen types, but 1 \(halo\)", None),
    ("info outside.txt", OUTSIDE, None),
    ("info below.txt", "box +10", OUTSIDE),
    *[(f"convert {name}.txt {name}_thin.txt --thin 8", "particles from", None) for name in ("one", "sorted", "zoom", "mixed")],
    ("convert one.txt x.txt --recenter", r"--recenter: particles in a periodic box of 10: cannot be centered; use --shift X,Y,Z", None),
    ("convert one.txt x.txt --rotate 1,2,3", "--rotate: particles in a periodic box of 10: cannot be rotated", None),
    ("join one.txt one.txt --orbit pericenter=1 -o x.txt", "--orbit: one.txt: particles in a periodic box of 10: cannot be centered", None),
    ("convert one.txt shifted.txt --shift 1,2,3", "particles from", None),
    ("power shifted.txt -o shifted.power", "wrote", OUTSIDE),
]


def check_product():
    """Runs every analysis on boxes with one mass, several masses, and particles in other images."""
    files = make_files()
    for words, said, silent in PRODUCT:
        done = chamomile(*words.split())
        text = done.stdout + done.stderr
        check((done.returncode == 2 or done.returncode == 3) == (": error: " in text) and done.returncode in (0, 2, 3), f"{words}: status {done.returncode}: {text}")
        check(re.search(said, text, re.M), f"{words}: said {text!r}, not {said!r}")
        check(not (silent and re.search(silent, text)), f"{words}: said {silent!r}: {text!r}")

    # Density and surface density of the lattice; enclosed mass from a count of nearest images.
    places = [math.dist(p, (5, 5, 5)) for _, _, p in files["one"]]
    for row in table(folder / "one.csv"):
        low, high = float(row["r_low"]), float(row["r_high"])
        inside = sum(r < high for r in places) * 1000 / 12**3
        check(high <= 5 and abs(float(row["mass_inside"]) - inside) < 0.6, f"profile of a box: mass {row}, not {inside}")
        check(low < 2 or abs(float(row["density"]) - 1) < 0.1, f"profile of a box: density {row}")
        near(float(row["circular_speed"]), math.sqrt(float(row["mass_inside"]) / high), 1e-4, "profile of a box: circular speed")
    rings, columns = table(folder / "rings.csv"), [math.hypot(p[0] - 5, p[1] - 5) for _, _, p in files["one"]]
    for row in rings:
        low, high = float(row["r_low"]), float(row["r_high"])
        wanted = sum(low <= R < high for R in columns) * 1000 / 12**3 / (math.pi * (high**2 - low**2))
        near(float(row["surface_density"]), wanted, 1e-5, "rings in a box")
    check(float(rings[-1]["r_high"]) == 5 and abs(float(rings[-1]["surface_density"]) - 10) < 1, f"the last ring in a box: {rings[-1]}")
    check((folder / "one.csv").read_text() == (folder / "outside.csv").read_text(), "profile: depends on periodic images")
    zoom = table(folder / "zoom.csv")
    near(float(zoom[3]["mass_inside"]), sum(m for _, m, p in files["zoom"] if math.dist(p, (5, 5, 5)) < float(zoom[3]["r_high"])), 1e-5, "profile of a zoom: mass")
    for name in ("outside", "shifted"):
        check(all(abs(row[2] - other[2]) < 1e-3 * (row[2] + 1) for row, other in zip(rows("one.power"), rows(f"{name}.power"))), f"power: {name}")
    near(float(re.search(r"shot noise (\S+),", (folder / "zoom.power").read_text())[1]), sum(m * m for _, m, _ in files["zoom"]) / 1000, 1e-8, "power of a zoom: shot noise")

    # A comoving box: physical lengths, as stated in the headings.
    chamomile("profile", "box.txt", "--center", "0,0,0", "--bins", 3, "-o", "comoving.csv")
    heading = (folder / "comoving.csv").read_text().splitlines()[0]
    check("r_low [physical kpc/h]" in heading and "density [physical 1e10 Msun/h/(kpc/h)^3]" in heading and "sigma_r [km/s]" in heading, f"profile of a comoving box: {heading}")
    last = table(folder / "comoving.csv")[-1]
    near(float(last["r_high"]), A * SIDE / 2, 1e-5, "profile of a comoving box: its end")
    near(float(last["mass_inside"]), MASS * sum(math.dist([nearest(x) for x in p[:3]], (0, 0, 0)) < SIDE / 2 for p in box), 1e-5, "profile of a comoving box: mass")

    # Pictures: other images and rounding change nothing; the mean of a slice equals thickness times density.
    pictures = {name: struct.unpack("<4096d", (folder / f"{name}.npy").read_bytes()[128:]) for name in ("one", "outside", "below", "within", "zoom", "isolated")}
    apart = lambda name, other: max(abs(a - b) for a, b in zip(pictures[name], pictures[other]))
    check(apart("one", "outside") < 1e-9 and apart("one", "isolated") > 0.1, "render: depends on periodic images")
    check(apart("below", "within") < 1e-6, "render: a particle below 0 by a rounding")
    for name in ("one", "zoom"):  # few particles are smoothed beyond the picture's margin
        mass = sum(m for _, m, p in files[name] if abs(p[2] - 5) <= 0.5)
        near(sum(pictures[name]) / 4096 * 100, mass, 0.01 if name == "one" else 0.04, f"render: mass in a slice of {name}")

    # A thinned sample covers all lattice planes, independent of file order; each type keeps its mass.
    thin = {name: rows(f"{name}_thin.txt") for name in ("one", "sorted", "zoom", "mixed")}
    check(sorted(row[7] for row in thin["one"]) == sorted(row[7] for row in thin["sorted"]), "--thin: depends on the order of the file")
    check(len(thin["one"]) == 216 and all(len({row[k] for row in thin["sorted"]}) == 12 for k in (1, 2, 3)), "--thin: planes of the lattice are missing")
    check(all(abs(sum(row[k] for row in thin["sorted"]) / 216 - 5) < 4 * 10 / math.sqrt(12 * 216) for k in (1, 2, 3)), "--thin: the mean position is wrong")
    for name, kinds in (("one", ((216, 1000),)), ("zoom", ((64, 8), (16, 992))), ("mixed", ((216, 990), (1, 10)))):
        for (count, mass), own in zip(kinds, sorted({row[0] for row in thin[name]})):
            check(sum(row[0] == own for row in thin[name]) == count, f"--thin {name}: {count} of mass {own}")
            near(own * count, mass, 1e-11, f"--thin {name}: mass of a kind")
        check(len({row[0] for row in thin[name]}) == len(kinds), f"--thin {name}: wrong masses")
    if h5py:
        for path in (folder / f"zoomed/halos_00{number}.hdf5" for number in (0, 1)):
            if not check(path.exists(), f"run --set halos.types: {path.name}"):
                continue
            with h5py.File(path) as file:
                near(file["Header"].attrs["LinkingLength"], 0.05, 1e-9, "run --set halos.types: linking length")
                check(file["Header"].attrs["Ngroups_Total"] == 0, "run --set halos.types: halos reported for a zoom without halos")


def check_run():
    """The structures written by a run equal the commands' results on its snapshots, also after a restart."""
    chamomile("model", "cosmology", "--n", 8, "--box", 20, "--z-start", 9, "-o", "start.hdf5")
    result = chamomile("run", "start.hdf5", "--cosmology", "--adaptive", "--outputs-z", 8, "--z-end", 7, "--checkpoint-every", 5,
                       "--power", "--set", "power.mesh=32", "--halos", "--set", "halos.min-members=2", "--fits", "-o", "run")
    check(result.returncode == 0, f"run: {result.stderr}")
    names = sorted(path.name for path in (folder / "run").iterdir() if path.name.startswith(("power", "halos")))
    check(len(names) >= 4 and len(names) % 2 == 0, f"run: files {names}")
    check(f"wrote {len(names) // 2} snapshots, {len(names) // 2} power spectra power_NNN.txt, {len(names) // 2} halo catalogues halos_NNN.hdf5 with mass_function_NNN.txt, energy.csv" in
          result.stdout, f"run: wrong files printed: {result.stdout}")
    last = names[-1].removeprefix("power_").removesuffix(".txt")
    told = chamomile("power", f"run/snapshot_{last}.hdf5", "--mesh", 32, "--fits", "-o", "again.txt").stdout
    check("note" not in told, f"power: a note on a file written by chamomile: {told}")
    check(rows("again.txt") == rows(f"run/power_{last}.txt") != [] and all(len(row) == 10 for row in rows("again.txt")), "run: power spectrum of the last snapshot, with fits")
    chamomile("halos", f"run/snapshot_{last}.hdf5", "--min-members", 2, "--mass-function", "mass.txt", "--fits")
    check(rows("mass.txt") == rows(f"run/mass_function_{last}.txt"), "run: mass function of the last snapshot, with fits")
    before = [(folder / "run" / name).read_bytes() for name in names]
    for name in names[-1], f"halos_{last}.hdf5":
        (folder / "run" / name).unlink()
    oldest = min(path.name for path in (folder / "run").glob("*.chk"))
    check(chamomile("run", "--restart", f"run/{oldest}").returncode == 0, "run: restart")
    check(before == [(folder / "run" / name).read_bytes() for name in names], "run: files differ after a restart")


with tempfile.TemporaryDirectory() as scratch:
    folder = pathlib.Path(scratch)
    chamomile, refused = (functools.partial(function, folder) for function in (run, refused_in))
    box = make_box()
    (folder / "box.txt").write_text(HEADER + "".join(f"{MASS} {' '.join(map(repr, p))} {i + 1}\n" for i, p in enumerate(box)))
    (folder / "open.txt").write_text("1 0 0 0\n1 0.01 0 0\n1 5 5 5\n")
    check_halos(box)
    check_power(box)
    check_run()
    check_product()
    check(chamomile("render", "box.txt", "-o", "box.png", "--size", 64, "--slice", 20000, "--data", "box.npy").returncode == 0, "render: slice")
    check((folder / "box.npy").stat().st_size == 128 + 64 * 64 * 8, "render: wrong size of the array")
    result = chamomile("halos", "open.txt", "--length", 0.1, "--min-members", 2, "-o", "open_halos.txt")
    check(result.returncode == 0 and len(rows("open_halos.txt")) == 1, f"halos of isolated particles: {result.stderr}")
    check(chamomile("halos", "box.txt", "--min-members", 400, "-o", "none.hdf5").returncode == 0, "halos: none found")

    (folder / "far.txt").write_text("1 0 0 0\n1 0.01 0 0\n1 1e9 0 0\n")
    (folder / "heavy.txt").write_text("# box_size: 1\n" + "".join(f"1e300 {k / 4} 0 0\n" for k in range(4)))
    check(chamomile("halos", "open.txt", "--length", 0.1, "--min-members", 2, "-q").stdout.startswith("1 halos with 2 of 3"), "halos -q without -o does not print its table")
    refused(2, r"linking length: 0.1: .*the farthest particle, number 3, is at 1e\+09,0,0", "halos", "far.txt", "--length", 0.1)
    refused(3, r"total mass: 4e\+300: its square", "power", "heavy.txt")
    refused(3, r"run: file: a folder: must be a file, such as run/snapshot_\d+.hdf5", "halos", "run")
    refused(3, "run: file: a folder: must be a file, such as run/snapshot", "render", "run", "-o", "x.png")
    refused(2, "--box", "power", "open.txt")
    refused(2, "--length", "halos", "open.txt")
    refused(2, "extension", "halos", "box.txt", "-o", "halos.foo")
    refused(4, "--overwrite", "halos", "box.txt", "-o", "halos.txt")
    refused(4, "--overwrite", "power", "box.txt", "-o", "power.txt")
    refused(2, "mesh", "power", "box.txt", "--mesh", 63)
    refused(2, "--fits", "power", "open.txt", "--box", 10, "--fits")
    refused(2, "--fits", "halos", "box.txt", "--fits")
    refused(2, "--mass-function", "halos", "open.txt", "--length", 0.1, "--mass-function", "x.txt")
    refused(2, "200: is given twice", "halos", "box.txt", "--overdensity", "200,500,200")
    refused(2, "half the side", "halos", "box.txt", "--linking-length", 9)
    refused(3, "types", "power", "box.txt", "--types", 4)
    refused(3, "absent", "power", "absent.hdf5")
    refused(2, ".npy", "render", "box.txt", "-o", "y.png", "--data", "y.txt")
    refused(2, "--power", "run", "open.txt", "--t-end", 1, "--dt", 0.1, "--eps", 0.1, "-o", "out", "--power")
    refused(2, "--fits: .*comoving", "run", "zoom.txt", "--t-end", 1, "--dt", 0.1, "--eps", 0.1, "-o", "out", "--power", "--fits")
    refused(2, "--set power.mesh: needs --power", "run", "open.txt", "--t-end", 1, "--dt", 0.1, "--eps", 0.1, "-o", "out", "--set", "power.mesh=32")

end("power, halos and periodic render do as they say")
