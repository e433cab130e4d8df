#!/usr/bin/env python3
"""Tests every integrator x solver x boundary x precision: correct forces for the boundary, or one line.

tests/program/cli_force_product.py . PROGRAM [WORD]      only integrators with WORD in their name

Particles start at rest, and their velocities after a short time give the forces, independent of the program's reports.
They are compared with plain sums over pairs: Newton's, or Ewald's in a periodic box.
"""
import itertools
import math
import pathlib
import sys
import tempfile

from program import chamomile, end, failures, run as run_program, without_comments

ONLY = sys.argv[3] if len(sys.argv) > 3 else ""
N, SIDE, EPS, END = 24, 2.0, 1e-3, 2.0**-11


def uniform(seed):
    while True:  # Lehmer's generator with Park & Miller's multiplier
        seed = 48271 * seed % 2147483647
        yield seed / 2147483647


random = uniform(5)
MASS = [(0.5 + next(random)) / N for _ in range(N)]
PLACE = [[SIDE * next(random) for _ in range(3)] for _ in range(N)]


def newton(d):
    u = math.sqrt(sum(x * x for x in d) + EPS * EPS)
    return [x / u**3 for x in d]


def ewald(d):
    """Force from all images of a unit mass at d, with a uniform background (Hernquist, Bouchet & Suto 1991)."""
    alpha, total = 2 / SIDE, [0.0, 0.0, 0.0]
    d = [x - SIDE * round(x / SIDE) for x in d]
    for n in itertools.product(range(-4, 5), repeat=3):
        r = [x - SIDE * k for x, k in zip(d, n)]
        length = math.sqrt(sum(x * x for x in r))
        if n == (0, 0, 0):  # softening applies to the nearest image
            w = 1 / math.sqrt(length**2 + EPS * EPS) ** 3 - (
                math.erf(alpha * length) - 2 * alpha * length / math.sqrt(math.pi) * math.exp(-(alpha * length) ** 2)) / length**3
        else:
            w = (math.erfc(alpha * length) + 2 * alpha * length / math.sqrt(math.pi) * math.exp(-(alpha * length) ** 2)) / length**3
        for c in range(3):
            total[c] += w * r[c]
    for h in itertools.product(range(-6, 7), repeat=3):
        h2 = sum(x * x for x in h)
        if 0 < h2 <= 36:
            w = 2 / SIDE**2 / h2 * math.exp(-(math.pi**2) * h2 / (alpha * SIDE) ** 2) * math.sin(
                2 * math.pi / SIDE * sum(x * k for x, k in zip(d, h)))
            for c in range(3):
                total[c] += w * h[c]
    return total


def sums(pull):
    result = [[0.0, 0.0, 0.0] for _ in range(N)]
    for i in range(N):
        for j in range(i):
            f = pull([b - a for a, b in zip(PLACE[i], PLACE[j])])
            for c in range(3):
                result[i][c] += MASS[j] * f[c]
                result[j][c] -= MASS[i] * f[c]
    return result


def error(velocity, exact):
    """Returns the max difference relative to the mean size."""
    size = sum(math.dist(a, (0, 0, 0)) for a in exact) / N
    return max(math.dist([v / END for v in velocity[i]], exact[i]) for i in range(N)) / size


def run(folder, file, words, name):
    """Returns final velocities by id, or None and the error line."""
    done = run_program(folder, "run", file, "--eps", EPS, "--t-end", END, "-q", "-o", name, *words)
    if done.returncode:
        return None, done
    last = sorted((folder / name).glob("snapshot_*.hdf5"))[-1]
    chamomile(folder, "convert", last, f"{name}.txt", "-q")
    text = (folder / f"{name}.txt").read_text()
    rows = [line.split() for line in without_comments(text)]
    head = next(line for line in text.splitlines() if line.startswith("# columns:"))
    columns = head.removeprefix("# columns:").split()
    place = [columns.index(c) for c in ("vx", "vy", "vz")]
    number = columns.index("id")
    return {int(row[number]): [float(row[k]) for k in place] for row in rows}, done


INTEGRATORS = {
    "fixed": ["--dt", END],
    "adaptive": ["--adaptive", "--dt-max", END, "--eta", 0.01],
    "by potential": ["--adaptive", "--step-criterion", "potential", "--dt-max", END],
    "blocks": ["--block-steps", "--dt-max", END],
    "on ranks": ["--dt", END, "--ranks", 2],
    "blocks on ranks": ["--block-steps", "--dt-max", END, "--ranks", 3],
    "hermite": ["--integrator", "hermite"],
    "hermite shared": ["--integrator", "hermite", "--set", "hermite.shared-steps"],
    "hermite fixed": ["--integrator", "hermite", "--dt", END / 4],
    "resident": ["--resident", "--dt", END],
    "resident adaptive": ["--resident", "--adaptive", "--step-criterion", "potential", "--dt-max", END],
    "resident blocks": ["--resident", "--block-steps", "--dt-max", END],
}
SOLVERS = {"as it is": [], "tree": ["--solver", "tree"], "direct": ["--solver", "direct"]}
# Particle file, options, and whether forces are periodic.
BOUNDARIES = {
    "none": ("open.txt", [], False),
    "by option": ("open.txt", ["--box", SIDE], True),
    "by option, modes": ("open.txt", ["--box", SIDE, "--set", "periodic.long-range=modes"], True),
    "by file": ("boxed.txt", [], True),
    "by file, switched off": ("boxed.txt", ["--box", 0], False),
}


def tolerance(solver, method, periodic):
    if solver == "direct" or method.startswith("hermite"):
        return 3e-4  # displacement within the time
    return 5e-3 if periodic else 2e-3


def main():
    exact = {False: sums(newton), True: sums(ewald)}
    apart = error([[END * x for x in a] for a in exact[False]], exact[True])
    if apart < 0.1:
        failures.append(f"forces with both boundaries differ by {apart} only")
    done = refused = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        rows = "".join(f"{m!r} {x!r} {y!r} {z!r} 0 0 0 {i + 1}\n" for i, (m, (x, y, z)) in enumerate(zip(MASS, PLACE)))
        (folder / "open.txt").write_text(rows)
        (folder / "boxed.txt").write_text(f"# box_size: {SIDE}\n" + rows)
        cases = itertools.product(INTEGRATORS.items(), SOLVERS.items(), BOUNDARIES.items(), ("float", "double"))
        for k, ((method, steps), (solver, chosen), (boundary, (file, box, periodic)), precision) in enumerate(cases):
            if ONLY not in method:
                continue
            what = f"{method}, solver {solver}, boundary {boundary}, {precision}"
            velocity, told = run(folder, file, [*steps, *chosen, *box, "--precision", precision], f"run{k}")
            if velocity is None:
                refused += 1
                lines = told.stderr.splitlines()
                no_gpu = told.returncode == 5 and "--resident" in steps
                if told.returncode != 2 and not no_gpu or len(lines) != 1:
                    failures.append(f"{what}: status {told.returncode}: {told.stderr}")
                continue
            done += 1
            velocities = [velocity[i + 1] for i in range(N)]
            wrong = error(velocities, exact[periodic])
            if not wrong < tolerance(solver, method, periodic):
                failures.append(f"{what}: forces are off by {wrong:.2e}, from the other boundary's by "
                                f"{error(velocities, exact[not periodic]):.2e}")
    if not ONLY and (done < 60 or refused < 20):
        failures.append(f"{done} combinations ran and {refused} refused")
    end(f"{done} products have their boundary's forces, {refused} are refused in one line")


main()
