#!/usr/bin/env python3
"""Tests 72 numbered kinds of bad input and bad environments: command, exit status, and one line; a refused command
changes nothing.
"""
import ctypes
import errno
import os
import pathlib
import re
import resource
import shutil
import subprocess
import tempfile

from bad_inputs import write_inputs
from program import PROGRAM, end, failures, fingerprint, run as run_program

LIBRARY = pathlib.Path(PROGRAM).parent / "libchamomile_c.so"
FINE, USAGE, INPUT, OUTPUT, DEVICE, NUMERIC, RESTART = 0, 2, 3, 4, 5, 6, 7
RUN = ["run", "good.txt", "--t-end", "0.2", "--dt", "0.1", "--eps", "0.05", "-o", "out"]


def run(file, *more, eps="0.05"):
    return ["run", file, "--t-end", "0.2", "--dt", "0.1", "--eps", eps, "-o", "out", *more]


def universe(file, *more):
    return ["run", file, "--cosmology", "--z-end", "48.9", "--eps", "5", "-o", "out", *more]


def with_rows(n, what=""):
    return f"{what}{n}.txt"


def failing_writes(error, count):
    """The first writes to new files fail with this error."""
    library = next((pathlib.Path(PROGRAM).parent / "tests").glob("libfailing_writes.*"))
    return {"env": {**os.environ, "LD_PRELOAD": str(library), "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0", "FAILING_WRITES": f"{error}:{count}"}}


def limited(what, value):
    return {"preexec_fn": lambda: resource.setrlimit(what, (value, value))}


def closed(*streams):
    return {"stdout": subprocess.DEVNULL, "preexec_fn": lambda: [os.close(stream) for stream in streams]}


def broken_pipe():
    ours, theirs = os.pipe()
    os.close(ours)
    return {"stdout": theirs}


# Run as a user without root permissions.
ANYBODY = {"preexec_fn": lambda: os.setuid(65534)} if os.geteuid() == 0 else {}


# Address space in MiB sufficient to load the program's libraries; 0 with the address sanitizer, which reserves
# terabytes.
LOADED = next((mib for mib in range(16, 1024, 4)
               if subprocess.run([PROGRAM, "--version"], capture_output=True, **limited(resource.RLIMIT_AS, mib << 20)).returncode == 0), 0)

# number, command, exit status, text on standard error (on success: standard output), extra arguments for subprocess
CASES = [
    (1, [], USAGE, "no command given; 'chamomile --help' lists them"),
    (2, [*RUN, "--thetaa", "1"], USAGE, "--thetaa: unknown option; did you mean '--theta'"),
    (3, [*RUN, "--theta"], USAGE, "--theta: needs a value"),
    *[(4, [*RUN, "--theta", word], USAGE, f"--theta: {word}: must be a number > 0 and <= 1.5") for word in ("abc", "1e", "0x", "0.5foo")],
    *[(5, [*RUN, "--theta", word], USAGE, f"--theta: {word}: must be a number > 0") for word in ("0", "-1", "nan", "inf", "1.51")],
    (5, [*RUN, "--theta", "1.5"], FINE, "theta 1.5: force errors in a Plummer sphere are"),
    *[(6, run("good.txt", eps=word), USAGE, f"--eps: {word}: must be a number >= 0") for word in ("-1e-9", "nan", "inf")],
    (7, run("coincident.txt", eps="0"), INPUT, "particles with ids 1 and 2: position: .0, 0, 0.: coincident particles"),
    *[(8, ["run", "good.txt", "--t-end", "0.2", "--dt", word, "--eps", "0.05", "-o", "out"], USAGE, f"--dt: {word}: (must be a number > 0|is longer than)")
      for word in ("0", "-1", "nan", "0.3")],
    (8, ["run", "good.txt", "--t-end", "0.2", "--dt", "1e-300", "--eps", "0.05", "-o", "out"], USAGE, r"--dt: 1e-300: makes 2e\+299 steps; at most 1e12"),
    (9, ["run", "good.txt", "--t-end", "1e400", "--dt", "0.1", "--eps", "0.05", "-o", "out"], USAGE, "--t-end: 1e400: must be a number"),
    (9, ["run", "good.txt", "--t-end", "-1", "--dt", "0.1", "--eps", "0.05", "-o", "out"], USAGE, "--t-end: -1: lies before the start at t = 0"),
    (9, ["run", "good.txt", "--t-end", "0", "--dt", "0.1", "--eps", "0.05", "-o", "out"], FINE, "wrote 1 snapshot, "),
    (10, [*RUN, "--snapshot-every", "0.05"], FINE, "wrote 5 snapshots"),  # steps shortened to hit snapshot times
    (10, [*RUN, "--snapshot-every", "1e-9"], USAGE, "--snapshot-every: 1e-09: makes .* outputs; at most 1e6"),
    *[(11, [*RUN, "--set", f"{key}={word}"], USAGE, f"--set {key}: {word}: must be a whole number") for key in ("tree.leaf-size", "tree.group-size") for word in ("-1", "1048577")],
    (12, ["run", "--model", "plummer", "--particles", "99999999999999999999999", *RUN[2:]], USAGE, "--particles: 9+: must be a whole number from 1"),
    (13, [*RUN, "--theta", "0,5"], USAGE, "--theta: 0,5: must be a number", "German"),
    (13, [*RUN, "--theta", "0.5"], FINE, "theta 0.5", "German"),
    (13, run("comma.txt"), INPUT, "comma.txt: line 8: 9 columns: must be 8, as in the lines before", "German"),
    (14, [*RUN, "--theta", "0.5", "--theta", "0.6"], USAGE, "--theta: given twice, as 0.5 and 0.6"),
    (14, [*RUN, "--theta", "0.5", "--theta", "0.5"], FINE, "theta 0.5"),
    (14, [*RUN, "--config", "twice.ini"], USAGE, "twice.ini: line 2: theta: given twice, as 0.4 and 0.5"),
    (15, [*RUN, "--config", "unknown.ini"], USAGE, "unknown.ini: line 3: thetta: unknown option; did you mean 'theta'"),
    (16, ["run"], USAGE, "run: missing: FILE, --model MODEL or --tracers FILE, --t-end X, --dt X, --adaptive or --block-steps, --output FOLDER"),
    (15, [*RUN, "--config", "keys.ini"], USAGE, "keys.ini: frames.every: 0: must be a number > 0"),
    (15, [*RUN, "--config", "key.ini"], USAGE, "key.ini: line 2: every: unknown option; did you mean 'frames.every'"),
    (15, [*RUN, "--config", "flat.ini"], USAGE, "flat.ini: line 2: frame-size: unknown option; did you mean 'frames.size'"),
    (15, [*RUN, "--config", "sections.ini"], FINE, "theta 0.4"),
    (15, [*RUN, "--set", "frames.evry=5"], USAGE, "--set frames.evry: unknown setting; did you mean '--set frames.every'"),
    (15, [*RUN, "--set", "eps=5"], USAGE, "--set eps: unknown setting; did you mean '--eps'"),
    (15, [*RUN, "--frame-every", "5"], USAGE, "--frame-every: unknown option; did you mean '--set frames.every'"),
    (15, [*RUN, "--set", "frames.every"], USAGE, "--set frames.every: needs a value, as in --set frames.every=X"),
    (15, [*RUN, "--set", "tree.leaf-size=8", "--set", "tree.leaf-size=9"], USAGE, "--set tree.leaf-size: given twice, as 8 and 9"),
    (15, [*RUN, "--set", "frames.axes"], USAGE, "--set frames.axes: needs --frames"),
    (17, [*RUN, "--config", "folder"], USAGE, "folder: is a folder"),
    (17, [*RUN, "--config", "empty.txt"], USAGE, "empty.txt: is no INI file: empty"),
    (17, [*RUN, "--config", "binary.ini"], USAGE, "binary.ini: is no INI file: binary"),
    (17, [*RUN, "--config", "large.ini"], USAGE, "large.ini: is larger than 1024 kB: must be an INI file"),
    (17, [*RUN, "--config", "dos.ini"], FINE, "theta 0.4"),  # CRLF, a byte order mark and tabs
    (17, [*RUN, "--config", "pipe"], USAGE, "--config: pipe: is not a regular file: must be an INI file"),
    (18, [*RUN, "--config", "none.ini"], USAGE, "none.ini: No such file or directory"),
    (18, [*RUN, "--config", "closed.ini"], USAGE, "closed.ini: Permission denied", ANYBODY),
    (19, run("comoving.txt"), INPUT, "comoving.txt: comoving coordinates: cannot be evolved"),
    (19, universe("universe.txt"), FINE, "from a = 0.02, z = 49"),
    (19, universe("hubble0.txt"), INPUT, "hubble0.txt: h: 0: give --set cosmology.hubble"),
    (19, universe("omega0.txt"), INPUT, "omega0.txt: Omega_m: 0: give --set cosmology.omega-m"),
    (19, universe("scale0.txt"), INPUT, "scale0.txt: line 6, scale_factor: 0: must be a number from 1e-06 to 100"),
    (19, ["run", "universe.txt", "--z-end", "60", "--eps", "20", "-o", "out"], USAGE, "--z-end: 60: must not be before the start at a = 0.02, z = 49"),
    (19, universe("universe.txt", "--integrator", "hermite"), USAGE, "must be leapfrog"),
    (19, [*RUN, "--set", "periodic.mesh=64"], USAGE, "--set periodic.mesh: needs a periodic box"),
    (19, ["run", "good.txt", "--integrator", "hermite", "--t-end", "1", "--eps", "0", "--theta", "0.5", "-o", "out"], USAGE, "--theta: needs the tree solver"),
    (20, universe("curved.txt"), FINE, "Omega_m 0.3, Omega_Lambda 0.5"),  # curved background is allowed
    (20, universe("universe.txt", "--set", "cosmology.omega-m=0.5"), INPUT, "density: 0.3 of the critical density, but Omega_m is 0.5"),
    (21, [*RUN[:-1], "x" * 5000], OUTPUT, "--output: x+: .*File name too long"),
    (21, run("x" * 5000), INPUT, "x+: file: File name too long"),
    (21, run("a \"b\" 'c'.txt"), FINE, "20 from a \"b\" 'c'.txt"),
    (21, run("two\nlines.txt"), INPUT, "two lines.txt: file: No such file"),
    (22, [*RUN, "--device", "gpu:77"], DEVICE, "device: gpu:77: "),
    *[(23, [*RUN, "--threads", word], USAGE, f"--threads: {word}: must be a whole number from 1 to 4096") for word in ("0", "4097")],
    (24, ["run", "good.txt", "--restart", "done"], USAGE, "--restart: contradicts the file good.txt"),
    (24, ["run", "--restart", "folder"], RESTART, "--restart: folder: no checkpoint"),
    (24, ["run", "--restart", "good.hdf5"], RESTART, "--restart: good.hdf5: header: not of a checkpoint"),
    (25, ["model", "plummer", "-n", "9", "--seed", "-1", "-o", "x.hdf5"], USAGE, "--seed: -1: must be a whole number >= 0"),
    (25, ["model", "plummer", "-n", "9", "--seed", "18446744073709551616", "-o", "x.hdf5"], USAGE, "--seed: 18446744073709551616: must be a whole number"),
    (26, run("missing.txt"), INPUT, "missing.txt: file: No such file"),
    (26, run("folder"), INPUT, "folder: file: a folder"),
    (26, run("closed.txt"), INPUT, "closed.txt: file: Permission denied", ANYBODY),
    (26, run("pipe"), INPUT, "pipe: file: not a regular file"),
    (26, ["pairs", "--law", "gravity", "--sources", "places.txt", "--targets", "pipe"], INPUT, "pipe: is not a regular file"),
    (26, ["pairs", "--law", "gravity", "--sources", "pipe"], INPUT, "pipe: is not a regular file"),
    (26, ["pairs", "--law", "pipe", "--sources", "good.txt"], INPUT, "pipe: is not a regular file: must be the text of a law"),
    (26, ["model", "cosmology", "--n", "4", "--box", "9", "--z-start", "9", "--transfer", "power-table", "--table", "pipe", "-o", "x.hdf5"], INPUT,
     "pipe: is not a regular file: must be a table of k and its value"),
    (26, run("empty.txt"), INPUT, "empty.txt: size: 0 bytes"),
    (27, run("header.gadget2"), INPUT, "header.gadget2: record at offset 16: 256 bytes: truncated"),
    (27, run("cut.gadget2"), INPUT, r"cut.gadget2: record at offset \d+: \d+ bytes: truncated, the file ends at \d+"),
    (27, run("cut.tipsy"), INPUT, r"cut.tipsy: size: \d+ bytes: truncated or not Tipsy: 20 particles need one of"),
    (28, run("cut.hdf5"), INPUT, r"cut.hdf5: size: \d+ bytes: truncated: the file states \d+ bytes"),
    (28, run("binary.ini"), INPUT, "binary.ini: format: unknown: must be HDF5, GADGET-2 binary"),
    (29, run("open.hdf5"), INPUT, "open.hdf5: HDF5: .*: must be a complete HDF5 file", "h5py"),
    (30, ["info", "swapped.gadget2"], FINE, "big endian"),
    (30, ["info", "swapped.tipsy"], FINE, "standard .big endian."),
    (31, ["info", "named.hdf5"], FINE, "GADGET-2 binary, format 2"),
    (31, ["info", "named.txt"], FINE, "HDF5"),
    (32, run("negative.tipsy"), INPUT, "negative.tipsy: nbodies: "),
    (32, run("many.tipsy"), INPUT, "many.tipsy: size: .* truncated or not Tipsy: 2147483647 particles"),
    (32, run("sum.tipsy"), INPUT, "sum.tipsy: nbodies: 20: must be the sum of nsph, ndark and nstar: 0 . 19 . 0"),
    (32, run("dimensions.tipsy"), INPUT, "dimensions.tipsy: format: unknown"),
    (32, run("many.gadget2"), INPUT, r"many.gadget2: (block POS|number of particles)"),
    (32, run("total.gadget2"), INPUT, "total.gadget2: total number of particles of type 1: 21: must be 20"),
    (32, run("count.hdf5"), INPUT, "count.hdf5: total number of particles of type 1: 20: must be 21", "h5py"),
    (32, run("total.hdf5"), INPUT, "total.hdf5: total number of particles of type 1: 21: must be 20", "h5py"),
    (32, run("below.hdf5"), INPUT, "below.hdf5: number of particles of type 1: -1: must be 0 or more, in all types at most 281474976710656", "h5py"),
    (32, run("high.hdf5"), FINE, "total number of particles of type 1: ignores the high word 1: 20 are in the file", "h5py"),
    (33, run("stack.txt"), FINE, "wrote"),
    (33, run("stack.txt", eps="0"), INPUT, r"ids \d+ and \d+: position"),
    (34, run("point.txt"), FINE, "wrote"),
    (34, run("point.txt", eps="0"), INPUT, r"ids \d+ and \d+: position"),
    (35, run("nan.txt"), INPUT, r"nan.txt: particle 7 \(id 8\), position y: nan"),
    (35, run("infinite.txt"), INPUT, r"infinite.txt: particle 7 \(id 8\), velocity y: inf"),
    (35, run("massnan.txt"), INPUT, r"massnan.txt: particle 7 \(id 8\), mass: nan"),
    (35, ["run", "fast.txt", "--t-end", "10", "--dt", "1", "--eps", "0.05", "-o", "out"], NUMERIC, "particle id 7: position: not finite in step 6"),
    (35, run("nan.hdf5"), INPUT, r"nan.hdf5: particle 7 \(id 8\), position y: nan", "h5py"),
    (35, [*RUN, "--G", "1e308"], NUMERIC, "forces: not finite: G M / L.2 of all particles exceeds the range of a double"),
    (36, run("negative.txt"), INPUT, r"negative.txt: particle 7 \(id 8\), mass: -0.1"),
    (36, run("massless.txt"), INPUT, "massless.txt: mass: 0 for all 20"),
    (36, run("tracer.txt"), FINE, "wrote"),
    (37, run("tiny.txt"), FINE, "wrote"),  # scaled by powers of two: valid in any unit system
    (37, run("light.txt"), FINE, "1 particles have less than 1e-30 of the total mass .*, min mass 1e-300: forces by them vanish; check the units"),
    (38, run("away.txt"), FINE, r"extent of positions: 1e\+09, 2e\+10 times the softening length 0.05; check the units"),
    (38, run("lost.txt"), INPUT, r"extent of positions: 1e\+20, 2e\+21 times the softening length 0.05: must be at most 1e18"),
    (38, run("far.txt"), INPUT, "positions: extent overflows: coordinates must be below 1e300"),
    (39, run("box.hdf5") + ["--box", "0"], FINE, "the box of size 10 in the file is ignored: boundaries are open"),
    (39, run("beyond.txt", "--box", "10", "--set", "periodic.long-range=modes"), FINE, "2 particles are outside the periodic box, by at most 0.5 of the side"),
    (39, universe("edge.txt"), FINE, "2 particles are outside the periodic box, by at most 0.5 of the side"),
    (39, universe("lost_in_space.txt"), INPUT, "lost_in_space.txt: positions: 999 sides outside the box of 1000"),
    (40, run("box.hdf5", "--box", "20"), USAGE, "--box: 20: contradicts the box of 10 in the snapshot", "h5py"),
    (40, ["power", "box.hdf5", "--box", "20"], USAGE, "--box: 20: contradicts the box of 10 in box.hdf5", "h5py"),
    (40, universe("boxless.txt"), INPUT, "boxless.txt: no box: must have the side of a periodic box"),
    (40, run("box.gadget2"), INPUT, "box.gadget2: box size: -10: must be a number from 1e-100 to .*, or 0"),
    (41, universe("dense.txt"), INPUT, "dense.txt: density: 0.6 of the critical density, but Omega_m is 0.3: units, box, G or Omega_m are wrong"),
    (42, run("comments.txt"), INPUT, "comments.txt: particles: 0"),
    (42, run("none.hdf5"), INPUT, "none.hdf5: particles: 0: must be at least one", "h5py"),
    *[(number, run(with_rows(n), eps="0.2"), FINE, f"particles +{n} from {n}.txt") for number, n in [(43, 1)] + [(44, n) for n in (2, 3, 31, 32, 33, 255, 256, 257)]],
    (45, run("gas.txt"), INPUT, "gas.txt: gas: 5 particles of type 0: their pressure cannot be computed; give --collisionless-gas"),
    (46, run("massblock.gadget2"), INPUT, "massblock.gadget2: block MASS: missing: needed for 20 particles"),
    (46, run("twice.hdf5"), FINE, "masses of a type in both MassTable and Masses, which differ by at most", "h5py"),
    (46, run("masses.hdf5"), INPUT, "masses.hdf5: PartType1/Masses: missing: needed for 20 particles", "h5py"),
    (47, run("nameless.hdf5"), FINE, "ids are 1 to N", "h5py"),
    (47, run("still.hdf5"), INPUT, "still.hdf5: PartType1/Velocities: missing: needed for 20 particles", "h5py"),
    (47, run("still.txt"), FINE, "no columns vx vy vz: all velocities are 0"),
    (47, run("narrow.txt"), INPUT, "narrow.txt: line 1: 3 columns"),
    (48, run("twins.txt"), INPUT, "twins.txt: particles 2 and 7, id: 3"),
    (48, run("zero.txt"), FINE, "wrote"),
    (49, run("minus.txt"), INPUT, "minus.txt: line 8, column 8 .id.: -3: must be a whole number, 0 or more"),
    (49, run("minus.hdf5"), INPUT, "minus.hdf5: PartType1/ParticleIDs: -3: must be 0 or more", "h5py"),
    (49, run("largest.hdf5"), FINE, "particles +20 from largest", "h5py"),
    (50, run("plugin.hdf5"), INPUT, "plugin.hdf5: PartType1/Masses: filter lzf .*: must be a plug-in of this HDF5 library", "h5py"),
    (50, run("broken_ids.hdf5"), INPUT, "broken_ids.hdf5: PartType1/ParticleIDs: wrong type: must be integers", "h5py"),
    (50, run("rank.hdf5"), INPUT, "rank.hdf5: PartType1/Coordinates: shape 60: must be 20 x 3", "h5py"),
    (50, run("short.hdf5"), INPUT, "short.hdf5: PartType1/Masses: shape 19: must be 20", "h5py"),
    (50, run("integers.hdf5"), INPUT, "integers.hdf5: PartType1/Masses: wrong type: must be floating-point numbers", "h5py"),
    (50, run("foreign.hdf5"), FINE, "particles +20", "h5py"),  # big-endian floats of 4 bytes
    (51, run("piece.0.gadget2"), INPUT, "piece.1.gadget2: file: missing: must exist, because the snapshot has 2 pieces"),
    (51, run("later.0.gadget2"), INPUT, "later.1.gadget2: number of files and time: 2, 7: must be equal to the other pieces"),
    (52, universe("early.txt"), INPUT, "early.txt: time: 0.5: must be the scale factor 0.02"),
    (53, ["info", "good.gadget2"], FINE, "assumed|units"),
    (54, universe("hubble70.txt"), INPUT, "hubble70.txt: h: 70: must be H0 in 100 km/s/Mpc, such as 0.7"),
    (54, ["info", "comoving.gadget2"], FINE, "velocities read as u = v/sqrt.a. and made peculiar"),
    (55, run("more.hdf5"), FINE, "particles +20", "h5py"),
    (56, run("loop"), INPUT, "loop: file: Too many levels of symbolic links"),
    (57, run("/dev/stdin"), INPUT, "/dev/stdin: file: not a regular file", {"stdin": subprocess.PIPE}),
    (57, run("-"), INPUT, "-: file: No such file or directory"),
    (58, [*RUN[:-1], "new/folders"], FINE, "to new/folders"),
    (58, ["model", "plummer", "-n", "9", "-o", "new/x.hdf5"], OUTPUT, "new/x.hdf5: the folder new does not exist"),
    (59, [*RUN[:-1], "/proc/out"], OUTPUT, "--output: /proc/out: cannot be written"),
    (59, [*RUN[:-1], "locked"], OUTPUT, "--output: locked: cannot be written: Permission denied", ANYBODY),
    (59, [*RUN[:-1], "locked/new"], OUTPUT, "--output: locked/new: cannot be written: Permission denied", ANYBODY),
    (60, [*RUN[:-1], "good.txt"], OUTPUT, "--output: good.txt: good.txt is a file|good.txt: .*is a file"),
    (61, [*RUN[:-1], "done"], OUTPUT, r"--output: done: holds the results of a run \(snapshot_000.hdf5\)"),
    (62, ["model", "plummer", "-n", "9999", "-o", "good.hdf5", "--overwrite"], OUTPUT, "good.hdf5: file: File too large", limited(resource.RLIMIT_FSIZE, 50000)),
    (62, ["model", "plummer", "-n", "9999", "-o", "good.txt", "--overwrite"], OUTPUT, "good.txt: file: File too large", limited(resource.RLIMIT_FSIZE, 50000)),
    (62, ["model", "plummer", "-n", "9999", "-o", "good.hdf5", "--overwrite", "--files", "3"], OUTPUT, "good.0.hdf5: file: File too large", limited(resource.RLIMIT_FSIZE, 50000)),
    (62, ["render", "good.txt", "-o", "p.png"], OUTPUT, "p.png: file: File too large: cannot be written", limited(resource.RLIMIT_FSIZE, 500)),
    (61, ["model", "plummer", "-n", "9", "-o", "good.hdf5"], OUTPUT, "good.hdf5: exists: give --overwrite to replace it"),
    *[(61, [*command, "-o", "good.hdf5", "--overwrite"], OUTPUT, "good.hdf5: is the input: must be another file")
      for command in (["force", "good.hdf5", "--eps", "0.1"], ["halos", "good.hdf5", "--length", "1"], ["power", "good.hdf5", "--box", "9"])],
    (61, ["convert", "good.hdf5", "good.hdf5", "--overwrite"], OUTPUT, "good.hdf5: is the input: must be another file"),
    *[(62, ["model", "plummer", "-n", "99", "-o", "good.txt", "--overwrite"], OUTPUT, f"good.txt: file: {os.strerror(error)}", failing_writes(error, 1))
      for error in (errno.ENOSPC, errno.EDQUOT)],
    (64, [*RUN[:-1], "busy", "--overwrite"], OUTPUT, "busy: in use by another run"),
    *[(63, ["model", "plummer", "-n", "99", "-o", name, "--overwrite"], FINE, "wrote|99", failing_writes(errno.EIO, 2)) for name in ("new.txt", "new.hdf5")],
    (63, ["model", "plummer", "-n", "99", "-o", "good.txt", "--overwrite"], OUTPUT, "good.txt: file: Input/output error", failing_writes(errno.EIO, 3)),
    (63, ["model", "plummer", "-n", "99", "-o", "good.txt", "--overwrite"], OUTPUT, "good.txt: file: Stale file handle", failing_writes(errno.ESTALE, 3)),
    (65, RUN, OUTPUT, "standard output: cannot be written", {"stdout": open("/dev/full", "w")}, "changes"),
    (65, ["info", "good.txt"], OUTPUT, "standard output: cannot be written", {"stdout": open("/dev/full", "w")}),
    *[(65, command, FINE, "", broken_pipe()) for command in (["info", "good.txt"], ["run", "--help"], RUN)],  # a reader that stops early,
                                                                                                              # like head
    *[(65, RUN, OUTPUT, "standard output: cannot be written", closed(*streams), "changes") for streams in ((1,), (0, 1))],
    (65, [*RUN, "-q"], FINE, "", closed(0, 1)),
    (66, RUN, OUTPUT, "out/run.log: cannot be created: Too many open files", limited(resource.RLIMIT_NOFILE, 4), "changes"),
    (67, [*RUN, "--max-walltime", "1e-4"], FINE, "--max-walltime 1e-04: too short for two steps"),
    *[(68, ["run", "--model", "plummer", "-n", "30000", *RUN[2:], "--threads", "4"], INPUT, "not enough memory|do not fit|4 threads: cannot be started",
       limited(resource.RLIMIT_AS, (LOADED + mib) << 20)) for mib in (4, 8, 12)],
    (68, ["run", "--model", "plummer", "-n", "400000000", *RUN[2:]], INPUT, "not enough memory|must fit into memory", limited(resource.RLIMIT_AS, 3 << 30)),
    (68, RUN, USAGE, "stack: the limit of 32 KiB is too small: at least 64 are needed", limited(resource.RLIMIT_STACK, 32 << 10) | {"env": {}}),
    (69, [*RUN[:-1], "blocked", "--overwrite"], OUTPUT, "blocked/run.log: cannot be removed: Directory not empty"),
]


def complaints(folder, command, status, pattern, more):
    before = fingerprint(folder)
    settings = {"stdout": subprocess.PIPE, "stdin": subprocess.DEVNULL}
    for each in more:
        settings.update(each if isinstance(each, dict) else {})
    if "German" in more:
        settings["env"] = {**os.environ, "LOCPATH": str(folder / "locales"), "LC_ALL": "de_DE.UTF-8"}
    done = run_program(folder, *command, **{"capture_output": False, "stderr": subprocess.PIPE, "timeout": 60, **settings})
    if done.returncode != status:
        yield f"exit status {done.returncode} instead of {status}: {done.stderr}"
    lines = done.stderr.splitlines()
    if status == FINE:
        if lines or not re.search(pattern, done.stdout or ""):
            yield f"'{done.stdout}' does not say '{pattern}', or complains: {lines}"
    elif len(lines) != 1 or not lines[0].startswith("chamomile: error: ") or not re.search(pattern, lines[0]):
        yield f"'{done.stderr}' is not one line that says '{pattern}'"
    if status not in (FINE, NUMERIC) and "changes" not in more and fingerprint(folder) != before:
        yield "files were created or changed: " + ", ".join(sorted(name for name, _ in fingerprint(folder).items() ^ before.items()))
    if (log := folder / "out/run.log").exists() and len(told := log.read_text().splitlines()) != len(set(told)):
        yield "lines stand twice in run.log"
    for name in ("out", "new"):
        subprocess.run(["rm", "-rf", folder / name], check=True)


def library_complaints():
    """Kinds 70 to 72: the C interface."""
    library = ctypes.CDLL(str(LIBRARY))
    library.chm_law_last_error.restype = ctypes.c_char_p
    law, nothing = ctypes.c_void_p(), ctypes.c_void_p()
    text = b"target a\nsource b\nsum s\ns += a - b\n"

    def says(status, pattern, found, of=law):
        line = (library.chm_law_last_error(of) or b"").decode()
        if (found != 0) != (status != 0) or (status and found != status) or not re.search(pattern, line):
            yield f"70 to 72: status {found}: '{line}' does not say '{pattern}'"

    doubles = (ctypes.c_double * 4)(1, 2, 3, 4)
    three = ctypes.c_int64(3)
    yield from says(0, "", library.chm_law_create(ctypes.byref(law), text, b"difference"))
    for rows_of_targets, count in ((None, three), (doubles, ctypes.c_int64(-1))):
        yield from says(2, "target", library.chm_law_sum(law, count, rows_of_targets, three, doubles, None, doubles))
    yield from says(2, "source", library.chm_law_sum(law, three, doubles, three, None, None, doubles))
    yield from says(2, "wrong|unknown|parameter", library.chm_law_set_parameter(law, b"wrong", ctypes.c_double(1)))
    yield from says(3, "law: line 1", library.chm_law_create(ctypes.byref(nothing), b"nonsense\n", b"law"), nothing)
    for name in (None, b"precision"):
        yield from says(2, "option: (key|value): must not be NULL", library.chm_law_set_option(law, name, None))
    yield from says(2, "shape: must not be NULL", library.chm_law_shape(law, None, None, None))
    library.chm_law_destroy(nothing)
    library.chm_law_destroy(law)
    library.chm_law_destroy(None)


def main():
    with tempfile.TemporaryDirectory() as name, tempfile.TemporaryDirectory() as reached:
        folder = pathlib.Path(name)
        if ANYBODY:  # user with access to the folder and to a copy of the program there, independent of the tree's location
            for each in (folder, pathlib.Path(reached)):
                each.chmod(0o755)
            ANYBODY["executable"] = shutil.copy(PROGRAM, reached)
        if not write_inputs(folder):
            CASES[:] = [case for case in CASES if "h5py" not in case and "box.hdf5" not in case[1]]
            print("not tested here: files that h5py makes")
        busy = subprocess.Popen([PROGRAM, "run", "good.txt", "--t-end", "1e9", "--dt", "0.1", "--eps", "0.05", "-o", "busy", "--checkpoint-walltime", "0",
                                 "--energy-every", "1e6", "--snapshot-every", "1e8", "--set", "steps.every=1000000000"], cwd=folder, stdout=subprocess.DEVNULL)
        try:
            while not (folder / "busy/snapshot_000.hdf5").exists() and busy.poll() is None:
                pass
            busy.send_signal(19)  # holds the folder without writing
            numbers = set()
            if not LOADED:
                print("not tested here: limits of memory and of open files")
            for number, command, status, pattern, *more in CASES:
                if number in (66, 68) and not LOADED:  # sanitizers look into memory through pipes
                    continue
                numbers.add(number)
                failures.extend(f"{number}: {' '.join(command)[:200]}: {line}" for line in complaints(folder, command, status, pattern, more))
        finally:
            busy.kill()
            busy.wait()
        if LIBRARY.exists() and LOADED:
            numbers |= {70, 71, 72}
            failures.extend(library_complaints())
        else:
            print("not tested here: the C library, which has not been built or needs a sanitizer")
    end(f"{len(CASES)} cases of {len(numbers)} kinds")


main()
