#!/usr/bin/env python3
"""Tests `accuracy --compare`: forces by numpy with planted errors, in the files of other codes, are judged as what they are."""
import shutil
import struct
import zipfile

from program import chamomile, check, need, refused, run_parts, table

need("h5py", "numpy")
import h5py  # noqa: E402
import numpy as np  # noqa: E402

N, EPS = 1500, 0.05
rng = np.random.default_rng(1)


def sphere():
    radius = 1 / np.sqrt(rng.uniform(0.001, 0.999, N) ** (-2 / 3) - 1)
    direction = rng.normal(size=(N, 3))
    return radius[:, None] * direction / np.linalg.norm(direction, axis=1)[:, None], rng.uniform(0.5, 1.5, N) / N, rng.permutation(N) * 3 + 7


def spline(r, h):
    """Force over r and potential of GADGET-2's kernel (Springel 2005), integrated here from its density by Gauss's law."""
    u = np.linspace(0, 1, 20001)
    density = 8 / np.pi * np.where(u < 0.5, 1 - 6 * u ** 2 + 6 * u ** 3, 2 * (1 - u) ** 3)
    shell = 4 * np.pi * u ** 2 * density
    mass = np.concatenate([[0], np.cumsum((shell[1:] + shell[:-1]) / 2 * np.diff(u))])
    mass /= mass[-1]
    inside = np.divide(mass, u ** 2, out=np.zeros_like(u), where=u > 0)
    potential = -1 - np.concatenate([np.cumsum(((inside[1:] + inside[:-1]) / 2 * np.diff(u))[::-1])[::-1], [0]])
    q = np.minimum(r / h, 1)
    return np.where(r < h, np.interp(q, u, mass), 1) / r ** 3, np.where(r < h, np.interp(q, u, potential) / h, -1 / r)


def plummer(r, eps):
    return (r * r + eps * eps) ** -1.5, -(r * r + eps * eps) ** -0.5


def forces(x, m, law, length, single=False):
    x, m = (x.astype("f4"), m.astype("f4")) if single else (x, m)
    acceleration, potential = np.empty_like(x), np.empty_like(m)
    for i in range(len(x)):
        d = x - x[i]
        r = np.sqrt((d * d).sum(1))
        r[i] = 1
        force, pot = law(r, length)
        force[i] = pot[i] = 0
        acceleration[i], potential[i] = (m * force.astype(x.dtype)) @ d, m @ pot
    return acceleration, potential


x, m, ids = sphere()
a, phi = forces(x, m, spline, 2.8 * EPS)
size = np.linalg.norm(a, axis=1)[:, None]


def noisy(values, error=1e-3):
    return values + error / np.sqrt(3) * np.linalg.norm(values, axis=1)[:, None] * rng.normal(size=values.shape)


def write_particles(folder):
    head = f"softening_kind: spline\nsoftening_length: {EPS}\ncolumns: mass x y z vx vy vz id"
    np.savetxt(folder / "p.txt", np.c_[m, x, 0 * x, ids], fmt=["%.17g"] * 7 + ["%d"], header=head)
    chamomile(folder, "convert", "p.txt", "p.hdf5", "-q")


def judged(folder, *words, particles="p.hdf5", **arrays):
    """Returns the lines on one file, and the rows of its table."""
    if arrays:
        np.savez(folder / "other.npz", **arrays)
    out = chamomile(folder, "accuracy", particles, "--compare", "other.npz", "--csv", "out.csv", "--overwrite", "-v", *words)
    return out, table(folder / "out.csv")


def says(folder, name, *wanted, words=(), rows=None, **arrays):
    out, found = judged(folder, *words, **arrays)
    lines = out.split("particles by", 1)[-1].split("net force")[0].split("errors:")[0].rstrip()
    for text in wanted or ("no systematic error",):
        check(text in lines, f"{name}: says {lines!r}, not {text!r}")
    check(lines.count("\n  ") == (len(wanted) or 1), f"{name}: says too much: {lines!r}")
    check(rows is None or len(found) == rows, f"{name}: {len(found)} rows")
    return found


def planted(folder):
    """One planted error at a time, named alone; errors in the table are those that numpy measures."""
    write_particles(folder)
    says(folder, "nothing", acceleration=a, potential=phi, rows=1)
    errors = noisy(a)
    rows = says(folder, "noise", acceleration=errors, potential=phi, rows=1)
    wanted = np.sort(np.linalg.norm(errors - a, axis=1) / size[:, 0])
    check(abs(float(rows[0]["median"]) / wanted[N // 2] - 1) < 1e-2 and abs(float(rows[0]["max"]) / wanted[-1] - 1) < 1e-2, f"errors of noise: {rows[0]}")
    check(rows[0]["forces of"] == "other.npz" and rows[0]["sampled"] == str(N) and rows[0]["solver"] == "-", f"row: {rows[0]}")
    rows = says(folder, "factor", "all accelerations are 1.01 times the exact ones: another G", acceleration=1.01 * noisy(a), potential=1.01 * phi, rows=2)
    check(abs(float(rows[0]["median"]) - 0.01) < 1e-3 and float(rows[1]["median"]) < 2e-3 and rows[1]["forces of"].startswith("other.npz / 1.0"), "rows of a factor")
    says(folder, "constants", "1.00034472 times the exact ones: G of 6.6743e-8 in place of GADGET's 6.672e-8", acceleration=a * 6.6743 / 6.672)
    for name, law, length, wanted in (("h for eps", spline, 2.8 * 2.8 * EPS, "spline, eps = 0.14, not spline, eps = 0.05: 2.8 times the stated"),
                                      ("eps for h", spline, EPS, "0.0178571, not spline, eps = 0.05: the stated length, taken for the radius h"),
                                      ("Plummer", plummer, EPS, "fits Plummer, eps = 0.05, not spline, eps = 0.05"), ("none", plummer, 0, "forces fit no softening"),
                                      ("another length", plummer, 0.031, "fits Plummer, eps = 0.031, not")):
        b, psi = forces(x, m, law, length)
        says(folder, name, wanted, acceleration=noisy(b, 1e-4), potential=psi)
    one = noisy(a)
    one[1234] *= 1.7
    says(folder, "one particle", f"1 particle far worse than all others: it, with index 1234, id {ids[1234]}", acceleration=one, potential=phi)
    says(folder, "one particle beyond the sample", f"1 particle far worse than all others: it, with index 1234, id {ids[1234]}", words=("--sample", 300), acceleration=one, potential=phi)
    says(folder, "axes", "accelerations along x y z are in columns y x z", acceleration=noisy(a)[:, [1, 0, 2]], potential=phi, rows=2)
    says(folder, "one sign", "are in columns x y -z", acceleration=noisy(a) * [1, 1, -1])
    says(folder, "signs", "all accelerations have the opposite sign", "all potentials are -1 times", acceleration=-noisy(a), potential=-phi)
    says(folder, "constant", "a constant acceleration (0.0", acceleration=noisy(a) + [0.05, 0, -0.02])
    says(folder, "self energy", "potentials include the particle itself", acceleration=a, potential=phi - m / EPS)
    says(folder, "offset", "a constant of 3 is added to all potentials", acceleration=a, potential=phi + 3)
    says(folder, "trend", "trend with radius: accelerations are 0.9", acceleration=a * (1 - 0.1 * np.exp(-np.linalg.norm(x, axis=1) / 0.3))[:, None])
    says(folder, "strangers", "do not belong to these particles", acceleration=rng.normal(size=a.shape))


def own_lengths(folder):
    """Softening of each particle: the stated lengths, and the same taken for radii of the spline."""
    length = rng.uniform(0.02, 0.1, N)
    b, psi = np.empty_like(a), np.empty_like(phi)
    for name, factor, wanted in (("lengths", 2.8, ()), ("radii", 1, ("the stated length, taken for the radius h = 2.8 eps of the spline",))):
        for i in range(N):
            d = x - x[i]
            r = np.sqrt((d * d).sum(1))
            r[i] = 1
            h = factor * np.maximum(length, length[i])
            u = np.minimum(r / h, 1)
            force = np.where(u < 0.5, 32 / 3 + u * u * (32 * u - 38.4), 64 / 3 - 48 * u + 38.4 * u * u - 32 / 3 * u ** 3 - 1 / (15 * u ** 3)) / h ** 3
            force = np.where(r < h, force, r ** -3)
            force[i] = 0
            b[i] = (m * force) @ d
        shutil.copy(folder / "p.hdf5", folder / "own.hdf5")
        with h5py.File(folder / "own.hdf5", "r+") as file:
            file["PartType1/SofteningLength"] = length
        np.savez(folder / "other.npz", acceleration=b)
        out = chamomile(folder, *"accuracy own.hdf5 --compare other.npz".split())
        found = out.split("by order", 1)[1].split("net force")[0]
        check(all(text in found for text in wanted or ("no systematic error",)), f"softening of {name}: {found}")


def orders(folder):
    """Other orders, ids and positions, half of the particles."""
    order, half = rng.permutation(N), rng.permutation(N)[:N // 2]
    says(folder, "order of ids", "rows are in the order of ids", acceleration=noisy(a)[np.argsort(ids)])
    says(folder, "another order", "the same accelerations in another order", acceleration=noisy(a)[order])
    says(folder, "ids", acceleration=noisy(a)[order], id=ids[order])
    says(folder, "positions", acceleration=noisy(a)[order], position=x[order].astype("f4"))
    says(folder, "wrong ids, right positions", acceleration=noisy(a)[order], position=x[order], id=rng.permutation(ids))
    rows = says(folder, "half of the ids", acceleration=noisy(a)[half], id=ids[half])
    check(rows[0]["sampled"] == str(N // 2), f"half: {rows[0]['sampled']} compared")
    some, pots = forces(x[half], m[half], spline, 2.8 * EPS)
    says(folder, "half of the sources", f"only the particles in this file attract, not all {N}", acceleration=some, potential=pots, id=ids[half])
    np.savez(folder / "other.npz", acceleration=some)
    refused(folder, 3, "other.npz: rows: 750: must be 1500 in the order", *"accuracy p.hdf5 --compare other.npz".split())
    one, _ = forces(x, m, spline, 2.8 * EPS, single=True)
    rows = says(folder, "single precision", acceleration=one, rows=1)
    check(1e-8 < float(rows[0]["median"]) < 1e-5, f"single precision: {rows[0]['median']}")


def given(folder):
    """Options fix G and softening; own forces are measured beside."""
    b, _ = forces(x, m, plummer, EPS)
    out, rows = judged(folder, "--softening", "spline", "--eps", EPS, acceleration=b)
    check("softening fits" not in out and len(rows) == 1, f"a given softening is not kept: {out[:600]}")
    out, rows = judged(folder, "--G", 1, acceleration=1.01 * a)
    check(len(rows) == 1 and abs(float(rows[0]["median"]) - 0.01) < 1e-6, "a given G is not kept")
    out, rows = judged(folder, "--tolerance", "0.01,0.001", "--hdf5", "own.hdf5", acceleration=a)
    with h5py.File(folder / "own.hdf5") as file:
        check([key for key in file if key.startswith("Sample")] == ["Sample_000"], "the same sample is stored twice")
    check([row["tolerance"] for row in rows] == ["-", "0.01", "0.001"], f"own forces: {rows}")
    chamomile(folder, *"accuracy p.hdf5 --compare other.npz --hdf5 both.hdf5 -q".split())
    with h5py.File(folder / "both.hdf5") as file:
        check(len(file["Sample_000/id"]) == N and len(file["Setting_0000/acceleration"]) == N and file["Setting_0000"].attrs["forces of"] in ("other.npz", b"other.npz"), "file")


def tables(folder):
    """The same forces in each layout of text, numpy and snapshots."""
    b, psi = noisy(a), phi
    order = rng.permutation(N)
    plain = {"forces.txt": (np.c_[b, psi], ""), "pos.txt": (np.c_[x, b, psi][order], ""), "named.csv": (np.c_[ids, psi, b][order], "ParticleID,phi,acc_x,acc_y,acc_z"),
             "gravity_checks_swift_step0001_order4.dat": (np.c_[ids, x, b, psi, b][order], "id pos[0] pos[1] pos[2] a_swift[0] a_swift[1] a_swift[2] potential a_PM[0] a_PM[1] a_PM[2]")}
    for name, (columns, head) in plain.items():
        np.savetxt(folder / name, columns, fmt="%.10g", header=head, delimiter="," if name.endswith("csv") else " ")
    zero = np.zeros(N)
    for name, columns in (("forcetest.txt", [zero + 1, zero, zero, *x.T, *b.T, *b.T]), ("forcetest3.txt", [zero + 1, ids, zero, zero, *x.T, *b.T, *b.T]),
                          ("forcetestpm.txt", [zero + 1, zero, zero, *x.T, *b.T, *(0.4 * b.T), *b.T]),
                          ("forcetest4.txt", [zero + 1, zero, ids, zero, *x.T, zero, *b.T, *b.T, psi, psi]),
                          ("forcetest4pm.txt", [zero + 1, zero, ids, zero, *x.T, zero, *b.T, *b.T, *(0.4 * b.T), *(0.6 * b.T), psi, psi, psi, psi])):
        np.savetxt(folder / name, np.array(columns).T[order], fmt="%.10g")
    (folder / "run.acc").write_text(f"{N}\n" + "".join(f"{value:.10g}\n" for value in b.T.ravel()))
    (folder / "run.pot").write_text(f"{N}\n" + "".join(f"{value:.10g}\n" for value in psi))
    np.save(folder / "a.npy", np.asfortranarray(b.astype(">f4")))
    np.savez_compressed(folder / "packed.npz", acc=b, pot=psi, ids=ids)
    with h5py.File(folder / "p.hdf5") as source, h5py.File(folder / "swift.hdf5", "w") as file:
        source.copy("Header", file)
        source.copy("PartType1", file)
        file["PartType1/Accelerations"], file["PartType1/Potentials"] = b, psi
    blocks = [(b"HEAD", struct.pack("<6i6d2d2i6i2i4d", 0, N, 0, 0, 0, 0, *[0.0] * 8, 0, 0, 0, N, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1).ljust(256, b"\0"))]
    blocks += [(name, values.astype("<f4").tobytes()) for name, values in ((b"POS ", x), (b"VEL ", 0 * x))]
    blocks += [(b"ID  ", ids.astype("<u4").tobytes()), (b"MASS", m.astype("<f4").tobytes()), (b"POT ", psi.astype("<f4").tobytes()), (b"ACCE", b.astype("<f4").tobytes())]
    with open(folder / "snap.gadget2", "wb") as file:
        for name, data in blocks:
            file.write(struct.pack("<i4sii", 8, name, len(data) + 8, 8) + struct.pack("<i", len(data)) + data + struct.pack("<i", len(data)))
    np.savetxt(folder / "own.txt", np.c_[m, x, 0 * x, ids, b, psi], fmt=["%.17g"] * 7 + ["%d"] + ["%.10g"] * 4)
    names = [*plain, "forcetest.txt", "forcetest3.txt", "forcetestpm.txt", "forcetest4.txt", "forcetest4pm.txt", "run.acc", "run.pot", "a.npy", "packed.npz", "swift.hdf5", "snap.gadget2", "own.txt"]
    out = chamomile(folder, "accuracy", "p.hdf5", "--compare", ",".join(names), "--csv", "all.csv")
    rows = table(folder / "all.csv")
    error = np.median(np.linalg.norm(b - a, axis=1) / size[:, 0])
    check([row["forces of"] for row in rows] == names, f"rows: {[row['forces of'] for row in rows]}")
    for row in rows:
        check(row["sampled"] == str(N) and (row["median"] == "-") == (row["forces of"] == "run.pot") and (row["median"] == "-" or abs(float(row["median"]) / error - 1) < 0.05),
              f"{row['forces of']}: {row['median']}, not {error}")
    check(out.count("no systematic error") == len(names), f"said of {len(names)} files: {out.count('no systematic error')}")


def units(folder):
    """Units, h and a comoving frame: factors are named; a box is judged by Ewald sums."""
    chamomile(folder, *"model cosmology --n 12 --box 50 --z-start 4 -o box.hdf5 -q".split())
    chamomile(folder, *"force box.hdf5 --eps 60 --tolerance 1e-4 --softening spline -o boxf.hdf5 -q".split())
    out = chamomile(folder, *"accuracy box.hdf5 --eps 60 --softening spline --compare boxf.hdf5".split())
    check("Ewald" in out and "times" not in out, f"a box: {out}")
    with h5py.File(folder / "boxf.hdf5") as file:
        own, number, h = file["PartType1/Acceleration"][:], file["PartType1/ParticleIDs"][:], float(file["Parameters"].attrs["HubbleParam"])
    for name, factor, wanted in (("h", h, "exact ones: h?"), ("h^-2", h ** -2, "exact ones: h^-2?"), ("a^-2", 25, "exact ones: a^-2?"), ("G", 1 / 43007.1, "exact ones: G = 1 in place of 43007.1?")):
        np.savez(folder / "other.npz", acceleration=factor * own, id=number)
        out = chamomile(folder, *"accuracy box.hdf5 --eps 60 --softening spline --compare other.npz".split())
        check(wanted in out, f"{name}: {out[:900]}")
    chamomile(folder, *"model galaxy -n 2000 --physical -o galaxy.hdf5 -q".split())
    chamomile(folder, *"force galaxy.hdf5 --eps 100pc --solver direct --precision double -o kpc.hdf5 -q".split())
    chamomile(folder, *"convert kpc.hdf5 pc.hdf5 --units stellar -q".split())
    out = chamomile(folder, *"accuracy galaxy.hdf5 --compare kpc.hdf5,pc.hdf5 --eps 0.1kpc --csv units.csv".split())
    check(all(float(row["max"]) < 1e-9 for row in table(folder / "units.csv")) and out.count("no systematic") == 2, f"units of two files: {out}")
    out = chamomile(folder, *"accuracy galaxy.hdf5 --units stellar --eps 100pc --sample 100 --tolerance 0.001".split())
    check("eps = 100" in out, f"--units: {out}")


def refuses(folder):
    np.savez(folder / "nan.npz", acceleration=np.where(np.arange(N)[:, None] == 3, np.nan, a))
    np.save(folder / "five.npy", np.zeros((N, 9)))
    np.savez(folder / "none.npz", colour=phi)
    (folder / "words.txt").write_text("some words\n1 2\n")
    (folder / "ragged.txt").write_text("1 2 3\n1 2\n")
    with zipfile.ZipFile(folder / "cut.npz", "w") as file:
        file.writestr("acceleration.npy", (folder / "a.npy").read_bytes()[:-5])
    (folder / "zip.npz").write_bytes((folder / "packed.npz").read_bytes()[:5000])
    for status, line, words in ((2, "--compare: needs FILE", ["--model", "cube", "--compare", "a.npy"]), (3, "nan.npz: row 3: nan: accelerations and potentials must be finite", ["p.hdf5", "--compare", "nan.npz"]),
                                (3, "five.npy: shape: (N, 9)", ["p.hdf5", "--compare", "five.npy"]), (3, "none.npz: accelerations and potentials: none", ["p.hdf5", "--compare", "none.npz"]),
                                (3, "words.txt: line 1: some: must be a number, or names", ["p.hdf5", "--compare", "words.txt"]), (3, "ragged.txt: line 2: 2 columns", ["p.hdf5", "--compare", "ragged.txt"]),
                                (3, "cut.npz: acceleration, shape", ["p.hdf5", "--compare", "cut.npz"]), (3, "zip.npz: format: a damaged archive", ["p.hdf5", "--compare", "zip.npz"]),
                                (3, "p.hdf5: accelerations and potentials: none", ["p.hdf5", "--compare", "p.hdf5"]), (3, "absent.npy", ["p.hdf5", "--compare", "absent.npy"]),
                                (4, "a.npy: is the input", ["p.hdf5", "--compare", "a.npy", "--csv", "a.npy", "--overwrite"])):
        refused(folder, status, line, "accuracy", *words)


run_parts("forces of other codes are judged", planted, own_lengths, orders, given, tables, units, refuses)
