#!/usr/bin/env python3
"""`chamomile power`, `halos` and periodic `render`: tables and catalogues against sums written out here."""
import cmath
import functools
import importlib.util
import math
import pathlib
import random
import tempfile

from program import check, end, need, refused as refused_in, rows as rows_of, run

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
    """Clumps, some across faces, and field particles: rows of position and velocity."""
    dice = random.Random(7)
    particles = []
    while len(particles) < NUMBER // 2:
        centre = [dice.choice([0, dice.uniform(0, SIDE)]) for _ in range(3)]
        for _ in range(dice.randrange(3, 40)):
            particles.append([(c + dice.gauss(0, 300)) % SIDE for c in centre] + [dice.gauss(0, 100) for _ in range(3)])
    while len(particles) < NUMBER:
        particles.append([dice.uniform(0, SIDE) for _ in range(3)] + [dice.gauss(0, 100) for _ in range(3)])
    particles = particles[:NUMBER]
    dice.shuffle(particles)
    return particles


def nearest(d):
    return d - SIDE * round(d / SIDE)


def groups_of(particles, length):
    """Sets of linked particles by a search over all pairs, the largest first."""
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
    check([int(r[1]) for r in found] == [len(g) for g in wanted], "halos: numbers of members")
    for row, members in zip(found, wanted):
        first = particles[members[0]]
        place = [[nearest(particles[i][k] - first[k]) for k in range(3)] for i in members]
        centre = [sum(p[k] for p in place) / len(members) for k in range(3)]
        for k in range(3):
            check(abs(nearest(row[6 + k] - centre[k] - first[k])) < 1e-3, "halos: centre of mass")
        near(row[2], MASS * len(members), 1e-8, "halos: mass")
        velocity = [sum(particles[i][3 + k] for i in members) / len(members) for k in range(3)]
        check(max(abs(row[9 + k] - velocity[k]) for k in range(3)) < 1e-4, "halos: velocity")
    numbers = rows("numbers.txt")
    check(sum(int(r[3]) for r in numbers) == len(wanted), "mass function: number of halos")
    for row in numbers:
        near(row[4], row[3] / (50**3 * math.log(row[1] / row[0])) if row[3] else 0, 1e-4, "mass function: dn/dlnM")
        check(len(row) == 17, "mass function: columns")
        corrected = [MASS * 1e10 * len(g) * (1 - len(g) ** -0.6) for g in wanted]
        check(int(row[6]) == sum(row[0] <= m < row[1] for m in corrected), "mass function: corrected masses")
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
            check((group[name][:] == again["Group"][name][:]).all(), f"halos.hdf5: {name} with other threads")
        # 200 critical densities of the comoving coordinates: 3 H^2 / (8 pi G) a^3, H0 = 0.1 km/s/(kpc/h)
        density = 200 * 3 * 0.01 * (0.3 / A**3 + 0.7) * A**3 / (8 * math.pi * 43007.1)
        for mass, radius in zip(group["Group_M_Crit200"], group["Group_R_Crit200"]):
            near(mass, density * 4 * math.pi / 3 * radius**3, 1e-4, "halos.hdf5: Group_M_Crit200")


def check_types(particles, length):
    """Friends are of the chosen types, spheres of all."""
    types = [1 + (i % 3 == 0) for i in range(NUMBER)]
    runs = "# types: " + " ".join(f"{kind}*1" for kind in types) + "\n"
    (folder / "types.txt").write_text(runs + (folder / "box.txt").read_text())
    result = chamomile("halos", "types.txt", "--types", 1, "--length", length, "--min-members", 5, "-o", "of_type.txt", "--mass-function", "of_type_numbers.txt", "--fits")
    check("the chosen types alone" in result.stdout, f"halos --types: {result.stdout}{result.stderr}")
    found = rows("of_type.txt")
    chosen = [p for p, kind in zip(particles, types) if kind == 1]
    wanted = [g for g in groups_of(chosen, length) if len(g) >= 5]
    check([int(r[1]) for r in found] == [len(g) for g in wanted], "halos --types: numbers of members")
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


def check_run():
    """What a run writes is what the commands find in its snapshots, after a restart too."""
    chamomile("model", "cosmology", "--n", 8, "--box", 20, "--z-start", 9, "-o", "start.hdf5")
    result = chamomile("run", "start.hdf5", "--cosmology", "--adaptive", "--outputs-z", 8, "--z-end", 7, "--checkpoint-every", 5,
                       "--power", "--power-mesh", 32, "--halos", "--min-members", 2, "-o", "run")
    check(result.returncode == 0, f"run: {result.stderr}")
    names = sorted(path.name for path in (folder / "run").iterdir() if path.name.startswith(("power", "halos")))
    check(len(names) >= 4 and len(names) % 2 == 0, f"run: files {names}")
    check(f"wrote {len(names) // 2} snapshots, {len(names) // 2} power spectra power_NNN.txt, {len(names) // 2} halo catalogues halos_NNN.hdf5 with mass_function_NNN.txt, energy.csv" in
          result.stdout, f"run: files told: {result.stdout}")
    last = names[-1].removeprefix("power_").removesuffix(".txt")
    told = chamomile("power", f"run/snapshot_{last}.hdf5", "--mesh", 32, "-o", "again.txt").stdout
    check("note" not in told, f"power: a file of our own leaves no doubt: {told}")
    check(rows("again.txt") == rows(f"run/power_{last}.txt") != [], "run: power spectrum of the last snapshot")
    before = [(folder / "run" / name).read_bytes() for name in names]
    for name in names[-1], f"halos_{last}.hdf5":
        (folder / "run" / name).unlink()
    oldest = min(path.name for path in (folder / "run").glob("*.chk"))
    check(chamomile("run", "--restart", f"run/{oldest}").returncode == 0, "run: restart")
    check(before == [(folder / "run" / name).read_bytes() for name in names], "run: the same files after a restart")


with tempfile.TemporaryDirectory() as scratch:
    folder = pathlib.Path(scratch)
    chamomile, refused = (functools.partial(function, folder) for function in (run, refused_in))
    box = make_box()
    (folder / "box.txt").write_text(HEADER + "".join(f"{MASS} {' '.join(map(repr, p))} {i + 1}\n" for i, p in enumerate(box)))
    (folder / "open.txt").write_text("1 0 0 0\n1 0.01 0 0\n1 5 5 5\n")
    check_halos(box)
    check_power(box)
    check_run()
    check(chamomile("render", "box.txt", "-o", "box.png", "--size", 64, "--slice", 20000, "--data", "box.npy").returncode == 0, "render: slice")
    check((folder / "box.npy").stat().st_size == 128 + 64 * 64 * 8, "render: size of the array")
    result = chamomile("halos", "open.txt", "--length", 0.1, "--min-members", 2, "-o", "open_halos.txt")
    check(result.returncode == 0 and len(rows("open_halos.txt")) == 1, f"halos of isolated particles: {result.stderr}")
    check(chamomile("halos", "box.txt", "--min-members", 400, "-o", "none.hdf5").returncode == 0, "halos: none found")

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
    refused(2, "--power-mesh", "run", "open.txt", "--t-end", 1, "--dt", 0.1, "--eps", 0.1, "-o", "out", "--power-mesh", 32)

end("power, halos and periodic render do as they say")
