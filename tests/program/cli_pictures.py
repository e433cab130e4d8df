#!/usr/bin/env python3
"""Tests pictures by `render` and `run --frames`: colour bar and file texts, marks, components, quantities, slices,
orbits, movies; wrong requests.
"""
import math
import os
import pathlib
import re
import shutil
import struct
import subprocess
import tempfile

from program import chamomile, check, end, picture, refused, run


def array(path):
    """Returns the numbers in an .npy file of doubles."""
    data = path.read_bytes()
    return struct.unpack(f"<{(len(data) - 128) // 8}d", data[128:])


def movie_is(name, expected):
    """Compares width, height and picture count as decoded by another program."""
    if not (shutil.which("ffmpeg") and shutil.which("ffprobe")):
        return print("the movie was not tested: no ffmpeg or no ffprobe")
    told = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=width,height,nb_read_frames", "-of", "csv=p=0", name],
                          cwd=folder, capture_output=True, text=True).stdout.strip()
    check(told == expected, f"wrong movie: {told}, not {expected}")


with tempfile.TemporaryDirectory() as scratch:
    folder = pathlib.Path(scratch)
    chamomile(folder, "model", "merger", "-n", 4000, "--physical", "-o", "m.hdf5", "-q")
    chamomile(folder, "model", "plummer", "-n", 2000, "-o", "p.hdf5", "-q")
    draw = lambda name, *words: chamomile(folder, "render", *words, "-o", name, "--overwrite")

    # The ends of the colour bar equal the printed numbers, and its colours follow the colour map.
    said = draw("a.png", "m.hdf5", "--size", 300, "--min", "1e-4", "--max", "10")
    rows, texts = picture(folder / "a.png")
    check(re.search(r"surface density from 1e-0?4 to 10 \[1e10 Msun/kpc\^2\]", said), f"the printed range is wrong: {said}")
    check((float(texts["Least"]), float(texts["Most"])) == (1e-4, 10), f"the range in the file is wrong: {texts}")
    check(texts["Quantity"] == "surface density" and texts["Unit"] == "1e10 Msun/kpc^2" and texts["Time"] == "t = 0.000 Gyr", f"texts: {texts}")
    check(texts["Software"].startswith("chamomile ") and "render m.hdf5" in texts["Command"], f"provenance: {texts}")
    plain, _ = draw("plain.png", "m.hdf5", "--size", 300, "--min", "1e-4", "--max", "10", "--no-colour-bar"), None
    without, _ = picture(folder / "plain.png")
    changed = [(x, y) for y in range(300) for x in range(300) if rows[y][x] != without[y][x]]
    bright = (0xFC, 0xFF, 0xA4)  # last colour of inferno
    bar = [(x, y) for x, y in changed if rows[y][x] == bright]
    check(bar and min(x for x, y in changed) > 120 and min(y for x, y in changed) > 230, f"the colour bar is misplaced: {min(changed, default=0)}")
    right = max((x for x, y in bar), default=0)
    line = [rows[min(y for x, y in bar) + 1][x] for x in range(right - 119, right + 1)] if bar else [(0, 0, 0)]
    check(max(line[0]) < 12 and line[-1] == bright and all(sum(b) >= sum(a) - 12 for a, b in zip(line, line[1:])), f"the colour bar has wrong colours: {line[::20]}")

    # Without units, numbers are in N-body units; --data holds the densities; a slice holds less mass.
    draw("p.png", "p.hdf5", "--size", 64, "--fov", 4, "--data", "p.npy")
    check(picture(folder / "p.png")[1]["Unit"] == "N-body units", "a Plummer sphere has units")
    whole = sum(array(folder / "p.npy"))
    draw("s.png", "p.hdf5", "--size", 64, "--fov", 4, "--slice", 0.2, "--data", "s.npy")
    check(0.02 < sum(array(folder / "s.npy")) / whole < 0.5, "a slice contains the wrong mass")

    # Axes: ticks every half unit over four units, 25 of 200 pixels apart, and no scale bar.
    draw("p.png", "p.hdf5", "--size", 200, "--fov", 4, "--axes", "--no-colour-bar")
    rows, _ = picture(folder / "p.png")
    bright = lambda pixels: [k for k, pixel in enumerate(pixels) if pixel == (240, 240, 240)]
    ticks = [100 + 25 * k for k in range(-3, 4)]
    for name, edge in (("lower", rows[-1]), ("left", [row[0] for row in rows])):
        seen = bright(edge)
        check([x for x in seen if 4 < x < 196] == ticks, f"wrong ticks at the {name} edge: {seen}")
    check(max(len(bright(row)) for row in rows[180:]) < 60, "a scale bar is drawn in addition to axes")

    # A mark and orbits: units of the table, several ids.
    marked = ("--size", 200, "--fov", "200kpc", "--center", "0,0,0", "--no-labels", "--min", 1e-4, "--max", 1)
    draw("bare.png", "m.hdf5", *marked)
    bare, _ = picture(folder / "bare.png")

    def changed_by(*words):
        draw("marked.png", "m.hdf5", *marked, *words)
        rows, _ = picture(folder / "marked.png")
        found = [(x, y) for y in range(200) for x in range(200) if rows[y][x] != bare[y][x]]
        return [min(x for x, y in found), max(x for x, y in found), min(y for x, y in found), max(y for x, y in found)] if found else []
    near = lambda found, wanted: len(found) == 4 and all(abs(a - b) <= 3 for a, b in zip(found, wanted))
    check(near(found := changed_by("--mark", "0.05Mpc,20,0"), [134, 166, 64, 96]), f"a mark: {found}")
    check(near(found := changed_by("--mark", "center"), [84, 116, 84, 116]), f"a mark of the center: {found}")
    (folder / "orbit.csv").write_text("time,id,x [pc],y [pc],z [pc]\n0,5,-50000,10000,0\n0,6,0,-30000,9e9\n1,5,50000,10000,0\n1,6,40000,-30000,9e9\n")
    check(near(found := changed_by("--path", "orbit.csv"), [50, 150, 90, 130]), f"orbits: {found}")
    for text, line in (("x,y\n1,2\n", "bad.csv: column z: missing: must have x, y, z or center_x, center_y, center_z"), ("x,y,z\n", "bad.csv: no rows: must contain places"),
                       ("x,y,z\n1,2\n", "bad.csv: line 2: z: missing: must be a finite number"), ("", "bad.csv: column x: missing")):
        (folder / "bad.csv").write_text(text)
        refused(folder, 3, line, "render", "m.hdf5", "-o", "x.png", "--path", "bad.csv")
    refused(folder, 2, "orbit.csv: x: 1 pc: has a unit, but the particles are in N-body units", "render", "p.hdf5", "-o", "x.png", "--path", "orbit.csv")
    refused(folder, 2, "--mark: core: must be one of center, densest, X,Y,Z", "render", "m.hdf5", "-o", "x.png", "--mark", "core")
    refused(folder, 3, "none.csv: ", "run", "p.hdf5", "--t-end", 0.1, "--dt", 0.05, "--eps", 0.05, "--frames", "--set", "frames.path=none.csv", "-o", "no")
    check(not (folder / "no").exists(), "a run without its orbits leaves a folder")

    # Massless particles have a number density; a view without particles fails unless its colour range is given.
    (folder / "tracers.txt").write_text("".join(f"0 {x} {y} 0 0 0 0\n" for x in (-1, 1) for y in (-1, 1)))
    (folder / "tracers_in_kpc.txt").write_text("# unit_length_in_cm: 3.085678e21\n# unit_mass_in_g: 1.989e43\n# unit_velocity_in_cm_per_s: 1e5\n" + (folder / "tracers.txt").read_text())
    for name, unit in (("tracers.txt", "N-body units"), ("tracers_in_kpc.txt", "1/kpc^2")):
        said = draw("t.png", name, "--size", 64, "--fov", 8, "--data", "t.npy")
        texts = picture(folder / "t.png")[1]
        check(said.startswith("wrote t.png: number density from") and (texts["Quantity"], texts["Unit"]) == ("number density", unit), f"massless particles are not counted: {said}{texts}")
        check(abs(sum(array(folder / "t.npy")) / 64 - 4) < 1e-3, "the mean number density is wrong")
    refused(folder, 3, "view: no particles: must contain particles", "render", "p.hdf5", "--center", "100,0,0", "--fov", 1, "-o", "x.png")
    said = draw("e.png", "p.hdf5", "--center", "100,0,0", "--fov", 1, "--size", 32, "--min", 0.1, "--max", 1)
    check("; no particles in view" in said and picture(folder / "e.png")[1]["Comment"] == "no particles in view", f"a view without particles is not reported: {said}")

    # The first and last file set the colour range; files in between, and files without particles in view, do not count.
    clouds = {"thin": 1.5, "dense": 0.1, "denser": 0.01, "far": 1e3}
    for name, size in clouds.items():
        (folder / f"{name}.txt").write_text("".join(f"1 {size * math.sin(7 * k)} {size * math.cos(5 * k)} 0 0 0 0\n" for k in range(300)))
    ends = lambda file: [float(picture(folder / file)[1][key]) for key in ("Least", "Most")]
    view = ("--size", 64, "--fov", 4, "--center", "0,0,0")
    for name in ("thin", "dense"):
        draw(f"{name}.png", f"{name}.txt", *view)
    widest = [min(ends("thin.png")[0], ends("dense.png")[0]), max(ends("thin.png")[1], ends("dense.png")[1])]
    check(ends("thin.png")[1] < 0.1 * widest[1], "the two clouds do not differ in density")
    for names in (("thin", "denser", "dense"), ("dense", "thin")):
        draw("series.png", *[f"{name}.txt" for name in names], *view)
        check(all(ends(f"series_{k:03d}.png") == widest for k in range(len(names))), f"the colours of {names}: {ends('series_000.png')}, not {widest}")
    draw("series.png", "thin.txt", "dense.txt", *view, "--max", 1e3)
    check(ends("series_000.png")[1] == 1e3, "a given --max is not used")
    draw("series.png", "thin.txt", "far.txt", *view)
    check(ends("series_001.png") == ends("thin.png"), "a file outside the view changes the colours")

    # Isolated particles in a file with a box: the line suggests a solution.
    refused(folder, 3, "slice: no particles: must contain particles; --box 0 (frames: --set frames.box=0) treats particles as isolated", "render", "p.hdf5", "--box", 100, "-o", "x.png")
    for side, is_noted in ((20, True), (0, False)):
        said = draw("e.png", "p.hdf5", "--size", 32, "--box", side, "--min", 0.1, "--max", 1)
        check(("--box 0 takes them as isolated" in said) == is_noted, f"a note on a box of {side}: {said}")

    # Components: two colours for two components.
    for name, kind in (("one", 1), ("other", 2)):
        chamomile(folder, "model", "hernquist", "-n", 2000, "--type", kind, "-o", f"{name}.hdf5", "-q")
    chamomile(folder, "join", "one.hdf5", "other.hdf5", "--at", "-20,0,0", "--at", "20,0,0", "-o", "both.hdf5", "-q")
    draw("c.png", "both.hdf5", "--size", 200, "--fov", 80, "--components", "--types", "halo,disk", "--no-labels")
    rows, _ = picture(folder / "c.png")
    halves = [[p for row in rows for p in row[k:k + 100]] for k in (0, 100)]
    counts = [(sum(r > b + 30 for r, g, b in half), sum(b > r + 30 for r, g, b in half)) for half in halves]
    check(counts[0][0] > 50 > counts[0][1] and counts[1][1] > 50 > counts[1][0], f"two components do not have two colours: {counts}")

    # A rotating pair: sign and dispersion of the line-of-sight velocity.
    (folder / "two.txt").write_text("".join(f"1 {x} 0 0 0 {v} 0\n" for x, v in ((-1, 3), (1, -5))))
    quantity = lambda name, *words: (draw("q.png", "two.txt", "--size", 64, "--fov", 4, "--data", "q.npy", "--quantity", name, "--inclination", 90, *words), array(folder / "q.npy"))[1]
    values = quantity("velocity")
    left = [v for k, v in enumerate(values) if k % 64 < 24 and not math.isnan(v)]
    right = [v for k, v in enumerate(values) if k % 64 > 40 and not math.isnan(v)]
    check(left and all(abs(v - 3) < 1e-6 for v in left), f"wrong colour of receding velocity: {left[:3]}")
    check(right and all(abs(v + 5) < 1e-6 for v in right), f"wrong colour of approaching velocity: {right[:3]}")
    values = [v for v in quantity("dispersion") if not math.isnan(v)]
    check(values and all(-1e-9 < v < 4.1 for v in values), "dispersion")
    _, texts = picture(folder / "q.png")
    check(texts["Quantity"] == "velocity dispersion" and float(texts["Least"]) == 0, f"dispersion: {texts}")

    # Follow: the densest position is at the picture's center, independent of the center of mass.
    draw("f.png", "m.hdf5", "--size", 65, "--follow", "bulge", "--fov", 5, "--data", "f.npy", "--types", "bulge")
    values = array(folder / "f.npy")
    k = max(range(len(values)), key=values.__getitem__)
    check(math.hypot(k % 65 - 32, k // 65 - 32) < 8, f"the densest pixel is at {k % 65}, {k // 65}")

    # An orbit: N pictures from one file, the third of four from the opposite side; a movie with odd size plays.
    done = chamomile(folder, "render", "m.hdf5", "--width", 65, "--height", 49, "--orbit", 4, "--no-labels", "-o", "o.png", "--movie", "o.mp4")
    views = [picture(folder / f"o_{k:03d}.png")[0] for k in range(4)]
    turned = [row[::-1] for row in views[0][::-1]]
    far = sum(abs(sum(a) - sum(b)) for u, v in zip(turned, views[2]) for a, b in zip(u, v)) / (65 * 49)
    check(far < 12 and views[0] != views[1], f"half an orbit does not mirror the picture: {far}")
    movie_is("o.mp4", "66,50,4")
    draw("o.png", "m.hdf5", "--size", 64, "--orbit", 2, "--movie", "o.mp4")  # two of four pictures are older
    movie_is("o.mp4", "64,64,2")
    nowhere = run(folder, "render", "m.hdf5", "--size", 64, "--orbit", 2, "-o", "n.png", "--movie", "n.mp4", env={**os.environ, "PATH": str(folder)})
    check(nowhere.returncode == 0 and re.search(r"ffmpeg .*n_%03d.png .*n.mp4", nowhere.stdout) and not (folder / "n.mp4").exists(), f"without ffmpeg: wrong output: {nowhere.stdout}{nowhere.stderr}")

    # Frames of a run use the same settings: the first equals `render`.
    view = ("--quantity", "potential", "--azimuth", 30, "--inclination", 70, "--follow", "densest", "--mark", "0.2,0.1,0.3")
    run_words = ("run", "p.hdf5", "--t-end", 0.1, "--dt", 0.05, "--eps", 0.05, "--frames", "--set", "frames.every=0.1", "--set", "frames.fov=3", "--set", "frames.width=81", "--set", "frames.height=61", "-q")
    chamomile(folder, *run_words, "-o", "out", "--set", "frames.movie", *[w for option, value in zip(view[::2], view[1::2]) for w in ("--set", f"frames.{option[2:]}={value}")])
    draw("r.png", "out/snapshot_000.hdf5", *view, "--fov", 3, "--width", 81, "--height", 61)
    frame, render = picture(folder / "out/frame_000.png"), picture(folder / "r.png")
    check(frame[0] == render[0], "frame_000.png differs from 'render'")
    check(frame[1]["Quantity"] == "potential" and "--set frames.quantity=potential" in frame[1].get("Command", ""), f"wrong texts of a frame: {frame[1]}")

    movie_is("out/frames.mp4", "82,62,2")

    # A periodic box is drawn with a tenth of its side as thickness.
    chamomile(folder, "model", "cosmology", "--n", 8, "--box", 10, "--z-start", 49, "-o", "b.hdf5", "-q")
    draw("b.png", "b.hdf5", "--size", 64, "--data", "b.npy")
    draw("b.png", "b.hdf5", "--size", 64, "--data", "t.npy", "--slice", 1000)
    draw("b.png", "b.hdf5", "--size", 64, "--data", "w.npy", "--slice", 10000)
    check(array(folder / "b.npy") == array(folder / "t.npy") != array(folder / "w.npy"), "a box is a slice of a tenth")
    mean = sum(array(folder / "w.npy")) / 64**2 / 10
    chamomile(folder, *"run b.hdf5 --z-end 40 --dt 0.1 --eps 100 --frames --set frames.size=64 -o boxes -q".split())
    low, high = (end / mean for end in ends("boxes/frame_000.png"))
    check(0.08 < low < 0.22 and 180 < high < 500, f"frames of a box leave no room for redshift 0: {low} {high}")
    check(all(f"{end:.6e}"[:8] in ("1.000000", "2.000000", "5.000000") for end in ends("boxes/frame_000.png")), f"ends of a colour bar: {ends('boxes/frame_000.png')}")
    shown = sorted((folder / "boxes").glob("frame_*.png"))
    check(len(shown) > 2 and len({tuple(ends(path)) for path in shown}) == 1, f"frames of a box have several colour ranges: {[ends(path) for path in shown]}")

    for status, line, *words in ((2, "--follow: core", "--follow", "core"), (2, "--types: 7", "--types", 7), (2, "--quantity", "--quantity", "heat"),
                                 (2, "components", "--components", "--quantity", "velocity"), (2, "contradicts --follow", "--follow", 2, "--center", "0,0,0"),
                                 (2, "must end in .mp4", "--movie", "a.avi", "--orbit", 3), (2, "takes several snapshots", "--movie", "a.mp4"),
                                 (2, "needs --movie", "--rate", 9), (3, "potential", "--quantity", "potential"), (2, "--orbit: 1", "--orbit", 1)):
        refused(folder, status, line, "render", "two.txt", "-o", "x.png", *words)
    refused(folder, 2, "--set frames.movie: needs --frames", "run", "p.hdf5", "--t-end", 1, "--dt", 0.1, "--eps", 0.1, "-o", "x", "--set", "frames.movie")
    refused(folder, 2, "--set frames.quantity: needs --frames", "run", "p.hdf5", "--t-end", 1, "--dt", 0.1, "--eps", 0.1, "-o", "x", "--set", "frames.quantity=velocity")

end("pictures show and say what they should")
