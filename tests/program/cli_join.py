#!/usr/bin/env python3
"""Tests joined, moved, rotated and thinned snapshots: positions, orbits, units, ids and refusals, against sums by hand."""
import math

from program import chamomile, check, energies, refused, rows, run_parts

MASS, X, Y, Z, VX, VY, VZ, ID = range(8)
G = 43007.1057317  # in kpc, 1e10 Msun, km/s


def particles(folder, name):
    chamomile(folder, "convert", name, "read.txt", "-q", "--overwrite")
    return rows((folder / "read.txt").read_text())


def types(folder, name):
    text = chamomile(folder, "info", name)
    return {int(words[0]): int(words[2]) for words in map(str.split, text.partition("\ntype ")[2].splitlines()[1:]) if len(words) > 5 and words[0].isdigit()}


def center(parts):
    mass = sum(p[MASS] for p in parts)
    return mass, [sum(p[MASS] * p[k] for p in parts) / mass for k in range(X, VZ + 1)]


def close(a, b, tolerance=1e-9):
    return all(abs(x - y) <= tolerance * (1 + abs(y)) for x, y in zip(a, b))


def makes_inputs(folder):
    chamomile(folder, "model", "galaxy", "-n", 300, "--physical", "-o", "a.hdf5", "-q")
    chamomile(folder, "convert", "a.hdf5", "b.hdf5", "--units", "pc,Msun,km/s", "--shift", "1kpc,2kpc,3kpc", "--velocity", "0,10,0", "-q")
    chamomile(folder, "model", "plummer", "-n", 50, "-o", "nbody.hdf5", "-q")
    chamomile(folder, "model", "cosmology", "--n", 4, "--box", 50, "-o", "box.hdf5", "-q")
    chamomile(folder, "model", "cosmology", "--n", 4, "--box", 50, "--omega-m", 0.25, "--seed", 2, "-o", "other.hdf5", "-q")


def puts_at_places(folder):
    out = chamomile(folder, "join", "a.hdf5", "b.hdf5", "--at", "0,0,0", "--at", "30kpc,0,0", "--velocity", "0,0,0;0,-20,5", "-o", "both.hdf5")
    check("a.hdf5: 300 particles, ids 1 to 300" in out and "b.hdf5: 300 particles, ids 301 to 600" in out and "--at 0,0,0;30kpc,0,0 = 0,0,0;30,0,0" in out, f"join: {out}")
    a, both = particles(folder, "a.hdf5"), particles(folder, "both.hdf5")
    check(len(both) == 600 and sorted(int(p[ID]) for p in both) == list(range(1, 601)), "ids of the two files overlap")
    by_id = {int(p[ID]): p for p in both}
    check(all(by_id[int(p[ID])] == p for p in a), "the first file is changed")
    check(all(close(by_id[int(p[ID]) + 300], [p[MASS], p[X] + 31, p[Y] + 2, p[Z] + 3, p[VX], p[VY] - 10, p[VZ] + 5]) for p in a), "the second file has wrong positions in the units of the first")
    one, two = types(folder, "a.hdf5"), types(folder, "both.hdf5")
    check(len(one) == 3 and two == {type: 2 * count for type, count in one.items()}, f"wrong types: {one}, {two}")
    chamomile(folder, "join", "a.hdf5", "both.hdf5", "b.hdf5", "--units", "stellar", "-o", "three.hdf5", "-q")
    three = particles(folder, "three.hdf5")
    check(len({p[ID] for p in three}) == 1200 and close([center(three)[0]], [4e10 * center(a)[0]]), "joining three files in other units fails")
    chamomile(folder, "run", "both.hdf5", "--t-end", "1Myr", "--dt", "1Myr", "--eps", "1kpc", "-o", "ran", "-q")


def puts_on_orbits(folder):
    a = particles(folder, "a.hdf5")
    mass = center(a)[0]
    for orbit, pericenter, e, r in (("pericenter=5kpc,eccentricity=1", 5, 1, 50), ("pericenter=5,eccentricity=0.5", 5, 0.5, 15), ("pericenter=4000pc,eccentricity=1.5,separation=60kpc", 4, 1.5, 60),
                                    ("pericenter=9,eccentricity=0", 9, 0, 9)):
        chamomile(folder, "join", "a.hdf5", "b.hdf5", "--orbit", orbit, "--rotate", "0,0,0", "--rotate", "10,60,20", "-o", "pair.hdf5", "--overwrite", "-q")
        pair = sorted(particles(folder, "pair.hdf5"), key=lambda p: p[ID])
        (m1, one), (m2, two), (_, all_) = center(pair[:300]), center(pair[300:]), center(pair)
        d, v = [b - a for a, b in zip(one[:3], two[:3])], [b - a for a, b in zip(one[3:], two[3:])]
        check(close([m1, m2], [mass, mass], 1e-9) and close(all_, [0] * 6, 1e-6), f"{orbit}: the barycenter moves: {all_}")
        distance, speed2, spin = math.hypot(*d), sum(x * x for x in v), d[0] * v[1] - d[1] * v[0]
        energy = speed2 / 2 - 2 * G * mass / distance  # Kepler problem: (e - 1) G M / (2 r_p), L^2 = G M r_p (1 + e)
        check(close([distance, spin ** 2, energy / (G * mass / pericenter)], [r, 2 * G * mass * pericenter * (1 + e), e - 1], 1e-6), f"{orbit}: distance {distance}, spin {spin}, energy {energy}")
        check(sum(x * y for x, y in zip(d, v)) <= 1e-6 * distance * math.sqrt(speed2), f"{orbit}: does not start before pericenter")
    spin = [sum(p[MASS] * (p[X + (k + 1) % 3] * p[VX + (k + 2) % 3] - p[X + (k + 2) % 3] * p[VX + (k + 1) % 3]) for p in a) for k in range(3)]
    chamomile(folder, "convert", "a.hdf5", "turned.hdf5", "--rotate", "90,90,0", "-q")
    check(all(close([q[X], q[Y], q[Z], q[VX], q[VY], q[VZ]], [-p[Y], -p[Z], p[X], -p[VY], -p[VZ], p[VX]]) for p, q in zip(a, particles(folder, "turned.hdf5"))), "rotation by 90,90,0 is wrong")
    chamomile(folder, "convert", "turned.hdf5", "back.hdf5", "--rotate", "0,-90,-90", "-q")
    check(all(close(p, q) for p, q in zip(a, particles(folder, "back.hdf5"))) and spin[2] > 0, "rotation and inverse rotation do not cancel")


def adds_energies(folder):
    """For distant galaxies the energies add up, with the energy of two points; also the second galaxy's kinetic energy."""
    far, speed = 5000, 50
    chamomile(folder, "join", "a.hdf5", "b.hdf5", "--recenter", "--at", f"0,0,0;{far}kpc,0,0", "--velocity", f"0,0,0;0,{speed},0", "-o", "far.hdf5", "-q")
    total = {}
    for name in "a", "b", "far":
        chamomile(folder, "run", f"{name}.hdf5", *(["--units", "galactic"] if name == "b" else []), "--solver", "direct", "--precision", "double", "--eps", "0.1kpc", "--t-end", "1Myr",
                  "--dt", "1Myr", "-o", f"of_{name}", "-q")
        total[name] = energies(folder / f"of_{name}")[0]
    a, b = (center(particles(folder, name)) for name in ("a.hdf5", "b.hdf5"))
    own = [total["a"]["kinetic"] - a[0] * sum(v * v for v in a[1][3:]) / 2, total["b"]["kinetic"] - a[0] * sum(v * v for v in b[1][3:]) / 2]
    check(math.isclose(total["far"]["potential"], total["a"]["potential"] + total["b"]["potential"] - G * a[0] ** 2 / far, rel_tol=1e-5),
          f"potential energies do not add up: {total}")
    check(math.isclose(total["far"]["kinetic"], sum(own) + a[0] * speed ** 2 / 2, rel_tol=1e-9), f"kinetic energies do not add up: {total}")
    check(math.isclose(total["a"]["potential"], total["b"]["potential"], rel_tol=1e-6), "the copy in other units changes the energy")


def reduces(folder):
    a = particles(folder, "a.hdf5")
    for words, kept in ((["--types", "disk"], None), (["--sphere", "0,0,0,5000pc"], [p for p in a if math.hypot(*p[X:VX]) <= 5]), (["--sphere", "1,2,0,4"], [p for p in a if math.dist(p[X:VX], (1, 2, 0)) <= 4])):
        chamomile(folder, "convert", "a.hdf5", "part.hdf5", "--overwrite", "-q", *words)
        part = particles(folder, "part.hdf5")
        check(part == kept if kept else types(folder, "part.hdf5") == {2: types(folder, "a.hdf5")[2]}, f"wrong count after convert {words}: {len(part)}")
    chamomile(folder, "convert", "a.hdf5", "thin.hdf5", "--thin", 7, "-q")
    before, after = types(folder, "a.hdf5"), types(folder, "thin.hdf5")
    check(after == {type: math.ceil(count / 7) for type, count in before.items()} and close([center(particles(folder, "thin.hdf5"))[0]], [center(a)[0]]), f"--thin changes the mass: {before}, {after}")
    chamomile(folder, "convert", "b.hdf5", "still.hdf5", "--recenter", "-q")
    check(close(center(particles(folder, "still.hdf5"))[1], [0] * 6, 1e-6), "--recenter")
    chamomile(folder, "convert", "box.hdf5", "shifted.hdf5", "--shift", "30Mpc/h,0,0", "-q")
    check(all(math.isclose((p[X] + 30000) % 50000, q[X], abs_tol=1e-6) for p, q in zip(particles(folder, "box.hdf5"), particles(folder, "shifted.hdf5"))), "a shift in a periodic box is wrong")
    chamomile(folder, "join", "box.hdf5", "shifted.hdf5", "-o", "boxes.hdf5", "-q")


def refuses(folder):
    join = ["join", "a.hdf5", "b.hdf5", "-o", "x.hdf5"]
    for status, words, line in (
            (2, ["join", "a.hdf5", "-o", "x.hdf5"], "join: missing: a second FILE"), (2, [*join, "--at", "0,0,0"], "--at: 1 value for 2 files: give one for each"),
            (2, [*join, "--at", "0,0", "--at", "1,2,3"], "--at: 0,0: must be three numbers"), (2, [*join, "--at", "0,0,3Gyr;1,2,3"], "is a time: must be a length"),
            (2, [*join, "--rotate", "1,2,x;0,0,0"], "--rotate: x: must be a number"), (2, [*join, "--orbit", "pericenter=0"], "--orbit: pericenter: 0: must be a number > 0"),
            (2, [*join, "--orbit", "pericentr=5"], "--orbit: pericentr=5: is not pericenter=X, .*did you mean 'pericenter'"), (2, [*join, "--orbit", "eccentricity=1"], "needs pericenter=X"),
            (2, [*join, "--orbit", "pericenter=5Gyr"], "--orbit: pericenter: 5Gyr: is a time"), (2, [*join, "--orbit", "pericenter=5,separation=1"], "separation|distance"),
            (2, [*join, "--orbit", "pericenter=5", "--at", "0,0,0;1,1,1"], "--at: contradicts --orbit"), (2, [*join, "--orbit", "pericenter=5", "--recenter"], "--recenter: --orbit does it"),
            (2, ["join", "a.hdf5", "b.hdf5", "a.hdf5", "--orbit", "pericenter=5", "-o", "x.hdf5"], "--orbit: takes two files"),
            (2, ["join", "a.hdf5", "nbody.hdf5", "-o", "x.hdf5"], "nbody.hdf5: N-body units .*: must be in units of the first file, kpc, 1e10 Msun, km/s, or converted by --units"),
            (2, ["join", "a.hdf5", "nbody.hdf5", "--units", "galactic", "-o", "x.hdf5"], "nbody.hdf5: particles in N-body units"),
            (2, ["join", "box.hdf5", "other.hdf5", "-o", "x.hdf5"], "other.hdf5: Omega_m: 0.25: must be equal to the first file, 0.3089"),
            (2, ["join", "a.hdf5", "box.hdf5", "-o", "x.hdf5"], "box.hdf5: .*(comoving|no h)"), (4, ["join", "a.hdf5", "b.hdf5", "-o", "a.hdf5", "--overwrite"], "a.hdf5"),
            (2, ["convert", "a.hdf5", "x.hdf5", "--sphere", "0,0,0"], "--sphere: 3 numbers: must be 4"), (2, ["convert", "a.hdf5", "x.hdf5", "--sphere", "0,0,0,0"], "--sphere: 0: the radius must be > 0"),
            (2, ["convert", "a.hdf5", "x.hdf5", "--shift", "1,2"], "--shift: 1,2: must be three numbers"), (2, ["convert", "box.hdf5", "x.hdf5", "--rotate", "1,2,3"], "--rotate: particles in a periodic box"),
            (3, ["convert", "a.hdf5", "x.hdf5", "--types", "gas"], "a.hdf5: particles: none is left"), (2, ["convert", "a.hdf5", "x.hdf5", "--thin", 0], "--thin: 0: must be a whole number >= 1")):
        refused(folder, status, line, *words)


run_parts("what is put together is what it was", makes_inputs, puts_at_places, puts_on_orbits, adds_energies, reduces, refuses)
