#!/usr/bin/env python3
"""Tests `pairs` and examples/pairwise_law: compares sums by text laws with plain sums, and tests refusals."""
import math
import os
import random
import subprocess

from program import PROGRAM, ROOT, chamomile, check, refused, rows, run_parts

LAWS = ROOT / "examples/pairwise_law"


def gravity(target, source, eps=0.0):
    r = [b - a for a, b in zip(target[:3], source)]
    u = math.sqrt(math.fsum(x * x for x in r) + eps * eps)
    return [source[3] * x / u**3 for x in r] + [-source[3] / u]


def screened(target, source, length, cutoff):
    r = math.dist(target[:3], source[:3])
    if r > cutoff:
        return [0.0] * 4
    energy = target[3] * source[3] * math.exp(-r / length) / r
    return [energy * (1 / r + 1 / length) * (a - b) / r for a, b in zip(target[:3], source[:3])] + [energy]


def sums(law, targets, sources, self=False):
    return [[math.fsum(column) for column in zip(*(law(t, s) for j, s in enumerate(sources) if not self or i != j))]
            for i, t in enumerate(targets)]


def agree(got, expected, tolerance, what):
    check(len(got) == len(expected) and all(len(a) == len(b) for a, b in zip(got, expected)), f"{what}: {len(got)} rows")
    scale = max(abs(x) for row in expected for x in row)
    worst = max(abs(x - y) for a, b in zip(got, expected) for x, y in zip(a, b)) / scale
    check(worst < tolerance, f"{what}: {worst} difference from the reference sum")


def numbers(path):
    return [[float(word) for word in line.split("#")[0].split()] for line in path.read_text().splitlines() if line.split("#")[0].strip()]


def example_is_right(_):
    done = subprocess.run([LAWS / "run"], env=os.environ | {"CHAMOMILE": PROGRAM}, capture_output=True, text=True, timeout=120)
    check(done.returncode == 0, f"example: {done.stderr}")
    bodies = [row[1:] + row[:1] for row in numbers(LAWS / "bodies.txt")]
    ions, probes = numbers(LAWS / "ions.txt"), numbers(LAWS / "probes.txt")
    expected = [sums(gravity, bodies, bodies, self=True),
                sums(lambda t, s: screened(t, s, 0.3, 4), ions, ions, self=True),
                sums(lambda t, s: screened(t, s, 0.3, 2), probes, ions)]
    got, at = rows(done.stdout), 0
    for part, tolerance in zip(expected, (1e-14, 1e-6, 1e-6)):
        agree(got[at:at + len(part)], part, tolerance, "example")
        at += len(part)
    check(at == len(got), f"example: {len(got)} rows")
    check(all(x == 0 for x in got[-1]), "a probe beyond the cut-off feels a force")
    check("# law: screened_coulomb.law with k=1 length=0.3 cutoff=2" in done.stdout, "the parameters are not printed")


def files_are_read(folder):
    """A text snapshot is a column file; text and built-in law agree; separate targets; each option has its effect."""
    plummer, out = folder / "plummer.txt", folder / "out.txt"
    chamomile(".", "model", "plummer", "-n", 300, "-o", plummer, "-q")
    bodies = [row[1:4] + row[:1] for row in numbers(plummer)]
    expected = sums(lambda t, s: gravity(t, s, 0.1), bodies, bodies, self=True)
    for law in (LAWS / "gravity.law", "gravity"):
        common = ("pairs", "--law", law, "--sources", plummer, "--parameter", "eps=0.1", "--no-self")
        agree(rows(chamomile(".", *common)), expected, 2e-6, f"{law} in float")
        agree(rows(chamomile(".", *common, "--precision", "double")), expected, 1e-13, f"{law} in double")
        agree(rows(chamomile(".", *common, "--instruction-set", "baseline")), expected, 2e-6, f"{law} baseline")
    with_self = rows(chamomile(".", "pairs", "--law", "gravity", "--sources", plummer, "--parameter", "eps=0.1"))
    agree(with_self, sums(lambda t, s: gravity(t, s, 0.1), bodies, bodies), 2e-6, "with self pairs")
    places = [[random.uniform(-1, 1) for _ in range(3)] for _ in range(40)]
    (folder / "places.txt").write_text("# columns: z, x, y\n" + "".join(f"{p[2]!r},{p[0]!r}\t{p[1]!r}\n" for p in places))
    told = chamomile(".", "pairs", "--law", LAWS / "gravity.law", "--sources", plummer, "--targets", folder / "places.txt", "-o", out, "--repeat", 3)
    check("40 rows" in told and "pairs/s" in told and "1.2e+04 pairs" in told, f"not printed: {told}")
    agree(rows(out.read_text()), sums(gravity, places, bodies), 2e-6, "separate targets")
    check("# columns: ax ay az potential" in out.read_text(), "the sums are not named")
    near = rows(chamomile(".", "pairs", "--law", LAWS / "screened_coulomb.law", "--sources", LAWS / "ions.txt", "--no-self", "--cutoff", 1.2,
                          "--parameter", "cutoff=1.2"))
    ions = numbers(LAWS / "ions.txt")
    agree(near, sums(lambda t, s: screened(t, s, 0.5, 1.2), ions, ions, self=True), 1e-6, "a cut-off")


def wrong_input_is_refused(folder):
    def wrong(status, line, *arguments):
        refused(folder, status, "chamomile: error: " + line, "pairs", *arguments)

    bodies, law = LAWS / "bodies.txt", folder / "wrong.law"
    law.write_text("target x\nsource m\nsum a\na += m*mas(x)\n")
    wrong(3, f"{law}: line 4, column 8: 'mas': unknown function; did you mean 'max'?", "--law", law, "--sources", bodies)
    law.write_bytes(b"target x\nsource m\nsum a\na += m\x00\n")
    wrong(3, f"{law}: is binary", "--law", law, "--sources", bodies)
    law.write_text("")
    wrong(3, f"{law}: is empty: the text of a law is needed", "--law", law, "--sources", bodies)
    wrong(3, f"{folder}: is a folder", "--law", folder, "--sources", bodies)
    wrong(2, "--law: gravty: neither a file nor one of gravity", "--law", "gravty", "--sources", bodies)
    wrong(2, "pairs: missing: --law", "--sources", bodies)
    wrong(2, "pairs: missing: --sources", "--law", "gravity")
    wrong(2, "--parameter: epss: unknown; did you mean 'eps'?", "--law", "gravity", "--sources", bodies, "--parameter", "epss=1")
    wrong(2, f"{LAWS}/gravity.law: parameter e: unknown", "--law", LAWS / "gravity.law", "--sources", bodies, "--parameter", "e=1")
    wrong(2, "--parameter: eps: x: must be a number", "--law", "gravity", "--sources", bodies, "--parameter", "eps=x")
    wrong(2, "--parameter: eps: must be NAME=NUMBER", "--law", "gravity", "--sources", bodies, "--parameter", "eps")
    wrong(2, "--parameter: eps: given twice", "--law", "gravity", "--sources", bodies, "--parameter", "eps=1,eps=1")
    wrong(2, "pairs: --no-self: needs targets that are the sources", "--law", "gravity", "--sources", bodies, "--targets", bodies, "--no-self")
    wrong(2, "--period: must be one side or three", "--law", "gravity", "--sources", bodies, "--period", "1,2")
    rows_file = folder / "rows.txt"
    for text, line in (("1 2 3\n", "line 1: 3 numbers: must be 4: x y z mass"), ("1 2 3 4\n1 2 x 4\n", "line 2: x: must be a finite number"),
                       ("1 2 3 nan\n", "line 1: nan: must be a finite number"), ("# columns: x y z masses\n1 2 3 4\n", "column mass: missing; did you mean 'masses'?"),
                       ("1 2 3 4\n# columns: x y z mass\n", "line 2: columns: are named before the first row"), ("1,2,,3,4\n", "line 1: a field between commas is empty"), ("# nothing\n", "no row of numbers")):
        rows_file.write_text(text)
        wrong(3, f"{rows_file}: {line}", "--law", "gravity", "--sources", rows_file)
    wrong(3, f"{folder}/none.txt: No such file", "--law", "gravity", "--sources", folder / "none.txt")
    wrong(4, f"{rows_file}: exists", "--law", "gravity", "--sources", bodies, "-o", rows_file)


def built_in_laws_are_right(folder):
    """Two particles at distance 3/2: checks each law's sum for the first."""
    two = folder / "two.txt"
    d = 1.5
    lennard_jones = lambda sigma: 4 * ((sigma / d) ** 12 - (sigma / d) ** 6)
    for law, columns, rest, more, exact in (
            ("yukawa", "x y z charge", ("2", "3"), (), {"potential": 3 * math.exp(-d) / d}),
            ("yukawa", "x y z charge", ("2", "3"), ("screening_length=0.5",), {"potential": 3 * math.exp(-2 * d) / d}),
            ("sph_density", "x y z inverse_h mass", ("0.5 1", "0.5 2"), (), {"density": 2 * 0.47265625 / (8 * math.pi), "neighbours": 1}),
            ("lennard_jones", "x y z", ("", ""), (), {"energy": lennard_jones(1)}),
            ("molecular", "x y z charge half_sigma root_epsilon", ("1 0.5 1", "-2 0.6 1"), ("dielectric=4",),
             {"energy": lennard_jones(1.1) - 2 / (4 * d)}),
            ("molecular_linear", "x y z charge half_sigma root_epsilon", ("1 0.5 1", "-2 0.5 1"), ("coulomb=3",),
             {"energy": lennard_jones(1) - 6 / d**2}),
            ("molecular_sigmoidal", "x y z charge half_sigma root_epsilon", ("1 0.5 1", "-2 0.5 1"), ("gamma=0.5", "delta=0.1"),
             {"energy": lennard_jones(1) - 2 / (math.exp(0.5 * d + 0.1) * d)})):
        two.write_text(f"# columns: {columns}\n0 0 0 {rest[0]}\n{d} 0 0 {rest[1]}\n")
        setting = ("--parameter", ",".join(more)) if more else ()
        text = chamomile(".", "pairs", "--law", law, "--sources", two, "--no-self", "--precision", "double", *setting)
        names = next(line for line in text.splitlines() if line.startswith("# columns:")).split()[2:]
        for name, value in exact.items():
            found = rows(text)[0][names.index(name)]
            check(abs(found / value - 1) < 1e-12, f"{law} {more}: {name}: {found}, not {value}")


run_parts("pairs sums, reads and refuses as it should", example_is_right, built_in_laws_are_right, files_are_read, wrong_input_is_refused)
