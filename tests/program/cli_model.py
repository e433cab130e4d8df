#!/usr/bin/env python3
"""Tests `chamomile model` and `chamomile render`: files written, repeated bytes, nothing overwritten, one line per
mistake.
"""
import functools
import math
import pathlib
import struct
import tempfile

from program import check, end, refused as refused_in, run, without_comments


def picture_size(name):
    data = (folder / name).read_bytes()
    check(data[:8] == b"\x89PNG\r\n\x1a\n", f"{name}: not a PNG file")
    return struct.unpack(">II", data[16:24])


with tempfile.TemporaryDirectory() as scratch:
    folder = pathlib.Path(scratch)
    chamomile, refused = (functools.partial(function, folder) for function in (run, refused_in))
    for kind in "plummer", "hernquist", "nfw", "einasto", "king", "exponential", "spheres", "cold-sphere", "cube", "disk", "galaxy", "merger":
        spheres = ["nfw,mass=1,part=0.5", "exponential,mass=0.2,r-half=0.7,type=4,part=0.5"] if kind == "spheres" else []
        for name in "a", "b":
            result = chamomile("model", kind, *spheres, "-n", 597, "--seed", 7, "--threads", 1 if name == "a" else 2, "-o", f"{kind}_{name}.txt")
            check(result.returncode == 0, f"model {kind}: {result.stderr}")
        a, b = (without_comments((folder / f"{kind}_{name}.txt").read_text()) for name in "ab")
        check(len(a) == 597, f"model {kind}: {len(a)} particles")
        check(a == b, f"model {kind}: results of one and two threads differ")
    check(chamomile("model", "two-body", "-e", "0.3", "-o", "pair.hdf5").returncode == 0, "model two-body")

    check(chamomile("render", "merger_a.txt", "-o", "merger.png", "--width", 120, "--height", 90).returncode == 0, "render")
    check(picture_size("merger.png") == (120, 90), "render: wrong size of the picture")
    result = chamomile("render", "galaxy_a.txt", "merger_a.txt", "-o", "many.png", "--size", 64, "--inclination", -30, "--center", "0,0,-1")
    check(result.returncode == 0, f"render of two files: {result.stderr}")
    check(picture_size("many_000.png") == picture_size("many_001.png") == (64, 64), "render of two files: wrong sizes")
    check(chamomile("render", "cube_a.txt", "-o", "merger.png", "--overwrite").returncode == 0, "render --overwrite")
    check(picture_size("merger.png") == (800, 800), "render --overwrite: wrong size")

    for options in (["king", "--w0", 7, "--r-half", 3, "--mass", 1e-5, "--physical"], ["nfw", "--m200", 100, "-c", 12, "--hubble", 0.7],
                    ["hernquist", "--r-half", 2, "--anisotropy-radius", 1], ["exponential", "--b-to-a", 0.9, "--c-to-a", 0.7, "--type", 3],
                    ["galaxy", "--halo-profile", "nfw", "--bulge-profile", "exponential"], ["galaxy", "--halo-profile", "einasto"]):
        result = chamomile("model", *options, "-n", 500, "-o", "sphere.txt", "--overwrite")
        check(result.returncode == 0, f"model {options}: {result.stderr}")
        units = "km/s" in (folder / "sphere.txt").read_text()
        check(units == ("--physical" in options or "--m200" in options), f"model {options}: wrong units")

    # Stellar masses by Kolmogorov-Smirnov, the whole mass, and segregation.
    def rows(name):
        return [list(map(float, line.split()))[:7] for line in without_comments((folder / name).read_text())]

    def integral(law, a, b):
        steps = 400
        return sum(law(a * (b / a) ** ((k + 0.5) / steps)) * a * (b / a) ** ((k + 0.5) / steps) for k in range(steps)) * math.log(b / a) / steps

    bell = lambda m: math.exp(-(math.log10(m / 0.079) / 0.69) ** 2 / 2)
    laws = {"salpeter": lambda m: m**-2.35, "kroupa": lambda m: m**-2.3 if m > 0.5 else 2 * m**-1.3 if m > 0.08 else 25 * m**-0.3,
            "chabrier": lambda m: bell(1) * m**-2.3 if m > 1 else bell(m) / m}
    (folder / "imf.txt").write_text("# m dN/dm\n0.1 100\n1 1\n10 0.001\n")
    laws["imf.txt"] = lambda m: m**-2 if m < 1 else m**-3
    for name, law in laws.items():
        low, high = (0.1, 10) if name == "imf.txt" else (0.02, 5)
        ends = [] if name == "imf.txt" else ["--imf-min", low, "--imf-max", high]
        result = chamomile("model", "king", "-n", 40000, "--imf", name, *ends, "-o", "stars.txt", "--overwrite")
        check(result.returncode == 0, f"model --imf {name}: {result.stderr}")
        masses = sorted(row[0] for row in rows("stars.txt"))
        check(abs(sum(masses) - 1) < 1e-5, f"--imf {name}: a whole mass of {sum(masses)}")
        whole = integral(law, low, high)
        factor = integral(lambda m: m * law(m), low, high) / whole * len(masses)  # a star's mass in solar masses is about this times its mass
        edges = [low * (high / low) ** (k / 40) for k in range(41)]
        below = [sum(integral(law, edges[j], edges[j + 1]) for j in range(k)) / whole for k in range(41)]
        # the factor is known within the error of the mean: the least difference over factors
        worst = min(max(abs(sum(m * factor * more < edge for m in masses) / len(masses) - part) for edge, part in zip(edges, below)) for more in (0.985 + 0.005 * j for j in range(7)))
        check(worst < 1.63 / math.sqrt(len(masses)), f"--imf {name}: Kolmogorov-Smirnov distance {worst}")
    check(chamomile("model", "plummer", "--mass", "4000Msun", "--r-half", "3pc", "--imf", "kroupa", "-o", "stars.txt", "--overwrite").returncode == 0, "model plummer --mass")
    stars = rows("stars.txt")
    check(abs(1e10 * sum(row[0] for row in stars) / 4000 - 1) < 1e-5 and 6000 < len(stars) < 7000, f"{len(stars)} stars of {1e10 * sum(row[0] for row in stars)} Msun")
    check(min(row[0] for row in stars) > 0.8 * 0.08e-10, f"the lightest star has {min(row[0] for row in stars)}")

    def half(some):
        some = sorted((math.hypot(*row[1:4]), row[0]) for row in some)
        whole, sum_of = sum(m for _, m in some), 0
        for r, m in some:
            sum_of += m
            if sum_of >= whole / 2:
                return r

    check(abs(half(stars) / 0.003 - 1) < 0.1, f"half-mass radius {half(stars)} kpc")
    for kind in "plummer", "king":
        medians = {}
        for words in ((), ("--segregated",)):
            chamomile("model", kind, "-n", 8000, "--imf", "kroupa", *words, "-o", "stars.txt", "--overwrite")
            stars = sorted(rows("stars.txt"))
            heavy, light = stars[-1000:], stars[:4000]
            medians[words] = half(light) / half(heavy)
            medians[words + ("all",)] = half(stars)
            check(len({tuple(row[1:4]) for row in stars}) == 8000, f"{kind} {words}: two stars at one place")
        check(0.8 < medians[()] < 1.25 and medians[("--segregated",)] > 2, f"{kind}: radii of light over heavy stars: {medians}")
        check(abs(medians[("--segregated", "all")] / medians[("all",)] - 1) < 0.1, f"{kind}: half-mass radii {medians}")
    # Mass and half-mass radius as asked: exact, and to sampling noise.
    for words in (["plummer"], ["plummer", "--truncation", 2], ["hernquist"], ["hernquist", "--truncation", 5], ["nfw"], ["einasto"], ["king"], ["exponential"], ["cold-sphere"],
                  ["cube"], ["disk"], ["disk", "--truncation", 3, "--height", 1]):
        check(chamomile("model", *words, "--mass", 3, "--r-half", 2, "-n", 40000, "-o", "stars.txt", "--overwrite").returncode == 0, f"model {words} --mass")
        stars = rows("stars.txt")
        inside = sum(math.hypot(*row[1:4]) < 2 for row in stars)
        check(abs(sum(row[0] for row in stars) / 3 - 1) < 1e-10, f"{words}: a mass of {sum(row[0] for row in stars)}")
        check(abs(inside - 20000) < 3.3 * 100, f"{words}: {inside} of 40000 within the half-mass radius")
    chamomile("model", "spheres", "nfw,mass=5,r-half=4,part=0.5", "exponential,mass=1,r-half=0.7,type=4,part=0.5", "-n", 40000, "-o", "stars.txt", "--overwrite")
    for some, mass, r in ((rows("stars.txt")[:20000], 5, 4), (rows("stars.txt")[20000:], 1, 0.7)):
        check(abs(sum(row[0] for row in some) / mass - 1) < 1e-10 and abs(sum(math.hypot(*row[1:4]) < r for row in some) - 10000) < 3.3 * 71, f"a sphere of mass {mass}")
    chamomile("model", "two-body", "--mass", "3Msun", "-a", "1pc", "-e", 0, "-o", "stars.txt", "--overwrite")
    stars = rows("stars.txt")
    check(abs(1e10 * sum(row[0] for row in stars) / 3 - 1) < 1e-12 and abs(stars[1][1] - stars[0][1] - 0.001) < 1e-15 and abs((stars[1][5] - stars[0][5]) ** 2 / (43007.1 * 3e-10 / 0.001) - 1) < 1e-4, f"two bodies: {stars}")
    for kind, option, why in (("two-body", "--r-half", "have no half-mass radius"), ("galaxy", "--r-half", "have a scale each"), ("merger", "--r-half", "have a scale each"),
                              ("cosmology", "--mass", "follows from --box"), ("cosmology", "--r-half", "has no half-mass radius"), ("spheres", "--mass", "give each sphere")):
        refused(2, f"model {kind}: {option}: ", "model", kind, option, 3, "-o", "x.hdf5")
        refused(2, why, "model", kind, f"{option}=3", "-o", "x.hdf5")
    chamomile("model", "plummer", "--mass", 9, "--r-half", 2, "-n", 3000, "-o", "stars.txt", "--overwrite")
    stars = rows("stars.txt")
    kinetic = sum(row[0] * sum(v * v for v in row[4:]) for row in stars) / 2
    check(abs(kinetic / (0.25 * 81 / (2 / 0.770791)) - 1) < 1e-4, f"kinetic energy of a scaled sphere: {kinetic}")
    # Primordial binaries: elements of the pairs by Kolmogorov-Smirnov, masses and centers of the systems.
    G, day = 43007.1, 86400 / 3.0856775814913673e16  # kpc, 1e10 Msun, km/s

    def distance(values, law):
        values = sorted(values)
        return max(abs((k + 0.5) / len(values) - law(value)) for k, value in enumerate(values)) * math.sqrt(len(values))

    for kind, words, period_law, e_law, q_law in (
            ("plummer", ["--periods", "flat", "--period-min", 1e3, "--period-max", 1e5], lambda p: math.log10(p / 1e3) / 2, lambda e: e * e, lambda q: (q - 0.1) / 0.9),
            ("king", ["--periods", "sana", "--period-min", 2, "--period-max", 3000, "--eccentricities", "uniform", "--mass-ratios", "equal"],
             lambda p: (math.log10(p) ** 0.45 - math.log10(2) ** 0.45) / (math.log10(3000) ** 0.45 - math.log10(2) ** 0.45), lambda e: e, None),
            ("plummer", ["--period-min", 1, "--period-max", 1e12, "--eccentricities", "circular", "--mass-ratios", "random"],
             lambda p: (math.erf((math.log10(p) - 5.03) / 2.28 / math.sqrt(2)) + math.erf(5.03 / 2.28 / math.sqrt(2))) / (math.erf(6.97 / 2.28 / math.sqrt(2)) + math.erf(5.03 / 2.28 / math.sqrt(2))),
             None, None)):
        result = chamomile("model", kind, "--mass", "2000Msun", "--r-half", "1pc", "--imf", "kroupa", "--binaries", 0.5, *words, "-o", "stars.txt", "--overwrite")
        check(result.returncode == 0, f"model {kind} --binaries: {result.stderr}")
        stars = rows("stars.txt")
        check(abs(1e10 * sum(row[0] for row in stars) / 2000 - 1) < 2e-5, f"{kind}: binaries weigh {1e10 * sum(row[0] for row in stars)} Msun")
        count = round(len(stars) / 3)
        periods, eccentricities, ratios = [], [], []
        for one, other in zip(stars[:2 * count:2], stars[1:2 * count:2]):
            GM = G * (one[0] + other[0])
            x, v = [b - a for a, b in zip(one[1:4], other[1:4])], [b - a for a, b in zip(one[4:], other[4:])]
            r, rate = math.hypot(*x), sum(a * b for a, b in zip(x, v))
            a = 1 / (2 / r - sum(w * w for w in v) / GM)
            if not check(a > 0, f"{kind}: an unbound pair: {one} {other}"):
                break
            periods.append(2 * math.pi * math.sqrt(a**3 / GM) / day)
            eccentricities.append(math.sqrt((1 - r / a) ** 2 + rate**2 / (GM * a)))
            ratios.append(other[0] / one[0])
        for name, values, law in (("periods", periods, period_law), ("eccentricities", eccentricities, e_law), ("mass ratios", ratios, q_law)):
            check(law is None or distance(values, law) < 1.63, f"{kind}: {name}: Kolmogorov-Smirnov {law and distance(values, law)} for {len(values)}")
        check("equal" not in words or max(ratios) - min(ratios) < 1e-9, "equal masses")
        check("circular" not in words or max(eccentricities) < 1e-3, f"circular orbits: {max(eccentricities)}")
        check("random" not in words or (min(ratios) < 0.05 and max(ratios) > 20), f"random pairs: {min(ratios)} to {max(ratios)}")
        check(abs(half(stars) / 0.001 - 1) < 0.15, f"{kind}: half-mass radius {half(stars)} kpc")
    # Stars of one of two spheres.
    chamomile("model", "spheres", "nfw,mass=1e5Msun,r-half=9pc", "exponential,mass=2000Msun,r-half=2pc,type=4,imf=kroupa,imf-min=0.2,segregated,binaries=0.5,mass-ratios=equal", "-n", 700, "-o", "stars.txt",
              "--overwrite")
    halo, stars = rows("stars.txt")[:700], rows("stars.txt")[700:]
    check(abs(1e10 * sum(row[0] for row in halo) / 1e5 - 1) < 1e-10 and abs(1e10 * sum(row[0] for row in stars) / 2000 - 1) < 1e-10, "masses of two spheres")
    count = round(len(stars) / 3)
    pairs = list(zip(stars[:2 * count:2], stars[1:2 * count:2]))
    check(all(one[0] == other[0] for one, other in pairs) and math.hypot(*(a - b for a, b in zip(pairs[0][0][1:4], pairs[0][1][1:4]))) < 1e-3, "pairs of one of two spheres")
    masses = sorted(1e10 * row[0] for row in [one for one, _ in pairs] + stars[2 * count:])
    kroupa = lambda m: integral(laws["kroupa"], 0.2, m) / integral(laws["kroupa"], 0.2, 100)
    worst = min(distance([factor * m for m in masses[::7]], lambda m: kroupa(max(m, 0.2001))) for factor in (0.94 + 0.02 * j for j in range(7)))
    check(worst < 1.63, f"masses of one of two spheres: Kolmogorov-Smirnov {worst}")
    heavy, light = sorted(stars)[-100:], sorted(stars)[:400]
    check(half(light) / half(heavy) > 1.5 and abs(half(stars) / 0.002 - 1) < 0.15, f"segregation in one of two spheres: {half(light)} {half(heavy)} {half(stars)}")
    refused(2, "exponential: binaries: needs mass with a unit", "model", "spheres", "exponential,binaries=0.5", "nfw", "-o", "x.hdf5")
    refused(2, "king: periods: needs binaries", "model", "spheres", "king,periods=flat", "-o", "x.hdf5")
    refused(2, "king: mass: value missing", "model", "spheres", "king,mass", "-o", "x.hdf5")
    refused(2, "--binaries: needs --mass with a unit", "model", "king", "--binaries", 0.5, "-o", "x.hdf5")
    refused(2, "--periods: needs --binaries", "model", "king", "--periods", "flat", "-o", "x.hdf5")
    refused(2, "--period-min: 9: must be below --period-max, 5", "model", "king", "--binaries", 0.5, "--mass", "9Msun", "--period-min", 9, "--period-max", 5, "-o", "x.hdf5")
    refused(2, "--imf-min: needs --imf", "model", "king", "--imf-min", 1, "-o", "x.hdf5")
    refused(2, "--imf: salpetr: must be salpeter, kroupa, chabrier or a file", "model", "king", "--imf", "salpetr", "-o", "x.hdf5")
    refused(2, "--imf: min mass: 5: must be above 0 and below the max mass, 2", "model", "king", "--imf", "kroupa", "--imf-min", 5, "--imf-max", 2, "-o", "x.hdf5")
    refused(2, "--imf-max: contradicts the table of --imf", "model", "king", "--imf", "imf.txt", "--imf-max", 2, "-o", "x.hdf5")
    refused(2, "--particles: contradicts --imf and --mass", "model", "king", "--imf", "kroupa", "--mass", "1000Msun", "-n", 9, "-o", "x.hdf5")
    refused(2, "--imf: needs --mass", "model", "plummer", "--imf", "kroupa", "--r-half", "1pc", "-o", "x.hdf5")
    (folder / "bad-imf.txt").write_text("1 2\n0.5 3\n")
    refused(3, "bad-imf.txt: line 2: m must be larger", "model", "king", "--imf", "bad-imf.txt", "-o", "x.hdf5")

    refused(2, "--w0: 17: must be a number from 0.1 to 16", "model", "king", "--w0", 17, "-o", "x.hdf5")
    refused(2, "no Osipkov-Merritt equilibrium", "model", "king", "--anisotropy-radius", 0.01, "-o", "x.hdf5")
    refused(2, "give one length", "model", "king", "--scale", 1, "--r-tidal", 20, "-o", "x.hdf5")
    refused(2, "--concentration: needs --m200", "model", "einasto", "-c", 5, "-o", "x.hdf5")
    refused(2, "--mass: contradicts --m200", "model", "nfw", "--m200", 5, "--mass", 2, "-o", "x.hdf5")
    refused(2, "did you mean 'king'", "model", "spheres", "kng,w0=3", "-o", "x.hdf5")
    refused(2, "must be a property of this sphere", "model", "spheres", "nfw,w0=3", "-o", "x.hdf5")
    refused(2, "plummer: distribution function: negative", "model", "spheres", "nfw", "plummer,mass=0.1", "-o", "x.hdf5")
    refused(2, "SPHERE", "model", "spheres", "-o", "x.hdf5")
    refused(2, "particles", "model", "plummer", "-n", 0, "-o", "x.hdf5")
    refused(2, "at least 100", "model", "galaxy", "-n", 99, "-o", "x.hdf5")
    refused(2, "did you mean 'plummer'", "model", "plumer", "-o", "x.hdf5")
    refused(2, "did you mean '--seed'", "model", "plummer", "--sed", 1, "-o", "x.hdf5")
    refused(2, "MODEL", "model")
    refused(2, "--output", "model", "plummer")
    refused(2, "eccentricity", "model", "two-body", "-e", 1.5, "-o", "x.hdf5")
    refused(2, "separation", "model", "merger", "-n", 1000, "--pericenter", 50, "-o", "x.hdf5")
    refused(2, "extension", "model", "cube", "-n", 10, "-o", "x.foo")
    refused(4, "--overwrite", "model", "plummer", "-n", 10, "-o", "pair.hdf5")
    refused(4, "does not exist", "model", "plummer", "-n", 10, "-o", "absent/x.hdf5")
    refused(3, "absent.hdf5", "render", "absent.hdf5", "-o", "x.png")
    refused(4, "--overwrite", "render", "pair.hdf5", "-o", "merger.png")
    refused(2, "--output", "render", "pair.hdf5")
    refused(2, "FILE", "render", "-o", "x.png")
    refused(2, "must be three numbers", "render", "pair.hdf5", "-o", "x.png", "--center", "1,2")
    refused(2, "contradicts", "render", "pair.hdf5", "-o", "x.png", "--size", 100, "--width", 100)
    refused(2, "min", "render", "pair.hdf5", "-o", "x.png", "--min", 2, "--max", 1)
    refused(2, "colour-map", "render", "pair.hdf5", "-o", "x.png", "--colour-map", "jet")
    refused(3, "types", "render", "pair.hdf5", "-o", "x.png", "--types", 5)

end("model and render do as they say")
