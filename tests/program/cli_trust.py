#!/usr/bin/env python3
"""Tests that untrustworthy results are reported, even with --quiet, and trustworthy ones are not."""
import os
import pty
import random
import re
import subprocess

from program import PROGRAM, check, run, run_parts

LATTICE = "".join(f"{1 / 600} {k / 600} 0 0\n" for k in range(600))  # forces cancel
RUN = ["run", "sphere.hdf5", "--eps", 0.01]
BOX = ["run", "box.hdf5", "--z-end", 9]
ON_A_LINE = ["line.txt", "--eps", 0.001]
WARNING = "^chamomile: warning: "
CANCEL = WARNING + r"forces that cancel: 99 % error \S+: above 0.003, 3 times the tolerance; --accuracy or --solver direct reduces errors\n$"
UNTRUSTED = r"energy error \S+ at the end, \S+ at most: above 1 %: this run cannot be trusted\n$"
NO_NUMBER = WARNING + r"energy error not measured: the energy is not finite: above 1 %: this run cannot be trusted\n$"
NOT_FINITE = r"^chamomile: error: particle id 1: position: not finite in step \d+, t = "
TRACER = ["run", "--tracers", "tracer.txt", "--potential", "point,M=1.5", "--eps", 0, "--t-end", 10, "--snapshot-every", 10]
ZERO = ["run", "zero.txt", "--eps", 0, "--solver", "direct", "--precision", "double", "--t-end", 4]
SATELLITE = ["run", "satellite.hdf5", "--potential", "point,M=1e6", "--eps", 0.05, "--t-end", 4, "--snapshot-every", 4]
SOFT = WARNING + r"softening: eps 0.25: pairs beyond 2.246 are not softened: the 99 % error of forces is about 0.019; for less than 0.001 give --eps 0.058, --softening spline, or --solver direct\n"
SPACE = ["space.txt", "--box", 10, "--eps"]  # 1000 random particles, mean distance 1

# name, arguments, exit status, expected standard error ("": empty), expected log
CASES = [
    ("good", [*RUN, "--t-end", 0.5, "--dt", 0.03125, "--check-forces", 300], 0, "", ""),
    ("good by accuracy", [*RUN, "--t-end", 0.125, "--dt", 0.03125, "--accuracy", 0.01, "--check-forces", 600], 0, "", ""),
    ("energy", [*RUN, "--t-end", 10, "--dt", 1], 0, WARNING + r"energy error \S+ at the end, \S+ at most: above 1 %: this run cannot be trusted\n$",
     r"\nwarning      energy error: \S+ at t = \S+, step \d+: above 1 %\n(.*\n)*warning      energy error \S+ at the end"),
    ("energy beyond a limit", [*RUN, "--t-end", 10, "--dt", 1, "--max-energy-error", 0.05], 8,
     r"^chamomile: error: energy error: \S+ at t = \S+, step \d+: above --max-energy-error 0.05\n$", r"\nstopped by the energy error: (.*\n)*error: energy error"),
    ("energy within a limit", [*RUN, "--t-end", 10, "--dt", 1, "--max-energy-error", 1e9], 0, "", ""),
    ("energy beyond a limit, told", [*RUN, "--t-end", 10, "--dt", 1, "--max-energy-error", 0.05, "--set", "energy-error.action=warn"], 0,
     WARNING + r"energy error \S+ at the end, \S+ at most: above --max-energy-error 0.05\n$", "\nwarning      energy error"),
    ("fast particles whose energy nearly cancels", ["run", "fast.txt", "--eps", 0.05, "--t-end", 2, "--dt", 0.25], 0, "", ""),
    ("tracers alone", [*TRACER, "--dt", 0.002, "--max-energy-error", 1e-3], 0, "", "\nenergies     of tracers only, with a mass of 1 each\n"),
    ("tracers alone, long steps", [*TRACER, "--dt", 0.25], 0, WARNING + UNTRUSTED, r"\nwarning      energy error: \S+ at t = "),
    ("tracers alone beyond a limit", [*TRACER, "--dt", 0.25, "--max-energy-error", 1e-6], 8, r"^chamomile: error: energy error: \S+ at t = \S+, step \d+: above --max-energy-error 1e-06\n$", None),
    ("energy that is 0 at first", [*ZERO, "--dt", 0.05], 0, WARNING + UNTRUSTED, r"\nwarning      energy error: \S+ at t = "),
    ("energy that is 0 at first, of one step", [*ZERO[:-1], 1e-3, "--dt", 1e-4, "--max-energy-error", 1e-6], 0, "", ""),
    ("energy that is 0 at first, beyond a limit", [*ZERO, "--dt", 0.05, "--max-energy-error", 1e-6], 8, "above --max-energy-error 1e-06\n$", None),
    ("energy that is 0 at first, by Hermite's scheme", ["run", "zero.txt", "--eps", 0, "--integrator", "hermite", "--t-end", 20, "--dt", 0.5], 0, WARNING + UNTRUSTED, None),
    ("energy of a frame that is not finite", ["run", "two.txt", "--potential", "rotation,omega=1e155", "--dt", 0.01, "--eps", 0.1, "--t-end", 0.1], 0, NO_NUMBER,
     "\nwarning      energy error: not finite at t = 0, step 0: above 1 %\n"),
    ("energy that is not finite", ["run", "huge.txt", "--dt", 0.01, "--eps", 0.1, "--t-end", 0.1], 0, NO_NUMBER,
     r"\nenergy error not measured: the energy is not finite\n"),
    ("no energy", ["run", "rest.txt", "--tracers", "tracer.txt", "--dt", 0.01, "--eps", 0.1, "--t-end", 0.1], 0, "", "\nenergy error not measured: all energies are 0; "),
    ("no energy to limit", ["run", "rest.txt", "--tracers", "tracer.txt", "--dt", 0.01, "--eps", 0.1, "--t-end", 0.1, "--max-energy-error", 1e-6], 2,
     "^chamomile: error: --max-energy-error: 1e-06: cannot be measured: all energies are 0 at the start\n$", None),
    ("a satellite", [*SATELLITE, "--dt", 0.0625, "--max-energy-error", 0.01], 0, "", r"\nenergy error \S+ at the end, \S+ at most, \S+ of the binding energy of the particles\n"),
    ("a satellite, long steps", [*SATELLITE, "--dt", 0.5], 0, WARNING + r"energy error \S+e-05 at the end, .*: above 1 % of the binding energy of the particles: this run cannot be trusted\n$",
     r"\nwarning      energy error: 0.\d+ at t = \S+, step \d+: above 1 % of the binding energy of the particles\n"),
    ("a satellite beyond a limit", [*SATELLITE, "--dt", 0.5, "--max-energy-error", 0.01], 8, "above --max-energy-error 0.01 of the binding energy of the particles\n$", None),
    ("a satellite, by the softening", [*SATELLITE, "--block-steps", "--step-criterion", "softening"], 0, "", "in blocks of individual steps, by the softening, eta = 0.1\n"),
    ("a satellite, by its own choice of steps", [*SATELLITE, "--block-steps"], 0, "", "in blocks of individual steps, by the potential, eta = 0.03\n"),
    ("a cluster that flies", [*SATELLITE[:2], *SATELLITE[4:], "--dt", 0.5], 0, "above 1 % of the binding energy of the particles: this run", None),
    ("a galaxy in a halo", [*RUN, "--potential", "hernquist,M=20,a=5", "--t-end", 1, "--dt", 0.03125], 0, "", ""),
    ("a star in a halo", ["run", "star.txt", "--potential", "nfw,M=100,c=10,rs=20", "--eps", 0, "--t-end", 10, "--dt", 0.125], 0, "", ""),
    ("positions that are not finite where nothing pulls", ["run", "--tracers", "fastest.txt", "--dt", 10, "--eps", 0.1, "--t-end", 100], 6, NOT_FINITE, None),
    ("the same in individual steps", ["run", "--tracers", "fastest.txt", "--block-steps", "--dt-max", 10, "--eps", 0.1, "--t-end", 100], 6, NOT_FINITE, None),
    ("the same on ranks", ["run", "--tracers", "fastest.txt", "--dt", 10, "--eps", 0.1, "--t-end", 100, "--ranks", 2, "--device", "cpu"], 6, NOT_FINITE, None),
    ("the same by Hermite's scheme", ["run", "--tracers", "fastest.txt", "--integrator", "hermite", "--dt", 10, "--eps", 0.1, "--t-end", 100], 6, "not finite in step", None),
    ("positions that are not finite in a frame", ["run", "--tracers", "two.txt", "--potential", "rotation,omega=1e300", "--dt", 0.01, "--eps", 0.1, "--t-end", 0.1], 6,
     "position: not finite", None),
    ("a text without a value", ["run", "--tracers", "two.txt", "--potential", "text,file=singular.txt", "--dt", 0.01, "--eps", 0.1, "--t-end", 0.01], 6,
     "^chamomile: error: particle id 1: acceleration: not finite in step 0, t = 0", None),
    ("comoving", [*BOX, "--adaptive"], 0, "", ""),
    ("comoving, softening fixed in physical length", ["run", "soft.hdf5", "--z-end", 1, "--dt", 0.05, "--softening", "spline", "--eps", 900, "--eps-max", 120], 0,
     WARNING + r"Layzer-Irvine error \S+ at the end, .*: above 1\S* %; it may include the work of --eps-max, neglected by the equation\n$", None),
    ("comoving, softening that is short when it is used", ["run", "soft.hdf5", "--z-end", 8.5, "--dt", 0.05, "--eps", 1500, "--eps-max", 10, "--set", "periodic.mesh=32"], 0, "", None),
    ("comoving, softening that is too long when it is used", ["run", "soft.hdf5", "--z-end", 8.5, "--dt", 0.05, "--eps", 1500, "--eps-max", 90, "--set", "periodic.mesh=32"], 2,
     "^chamomile: error: run: --eps: 900: must be at most 820, because pairs beyond 4492 are not softened; or give --softening spline, or --solver direct\n$", None),
    ("comoving, long steps", [*BOX[:3], 0, "--dt", 0.5], 0, WARNING + r"Layzer-Irvine error \S+ at the end, \S+ at most: above 1\S* %: this run cannot be trusted\n$",
     r"\nwarning      Layzer-Irvine error: \S+ at a = "),
    ("forces", ["run", *ON_A_LINE, "--t-end", 0, "--dt", 1, "--check-forces", 600], 0,
     WARNING + r"forces in step 0: 99 % error \S+: above 0.003, 3 times the tolerance\n$",
     "\nwarning      forces in step 0: 99 % error"),
    ("forces that nobody checks", ["run", *ON_A_LINE, "--t-end", 0, "--dt", 1], 0, CANCEL, "\nwarning      forces that cancel: "),
    ("forces that cancel and are good", ["run", "plain.hdf5", "--eps", 0.05, "--t-end", 0, "--dt", 1], 0, "", ""),
    ("forces of one evaluation", ["force", *ON_A_LINE, "-o", "f.txt", "--overwrite"], 0, CANCEL, None),
    ("forces of one evaluation that are good", ["force", "sphere.hdf5", "--eps", 0.01, "-o", "f.txt", "--overwrite"], 0, "", None),
    ("forces by an angle, which promises none", ["run", *ON_A_LINE, "--theta", 0.9, "--t-end", 0, "--dt", 1, "--check-forces", 600], 0, "", ""),
    ("accuracy", ["accuracy", *ON_A_LINE, "--tolerance", 0.001], 0, WARNING + r"line.txt, tree, tolerance 0.001, \S+, .*: 99 % error \S+: above 0.003, 3 times", None),
    ("accuracy that is good", ["accuracy", "sphere.hdf5", "--eps", 0.01, "--tolerance", "0.01,0.001,1e-4", "--order", "0,2,4"], 0, "", None),
    ("accuracy asked for", ["accuracy", "sphere.hdf5", "--eps", 0.01, "--accuracy", "0.01,1e-3,1e-5"], 0, "", None),
    ("bench", ["bench", *ON_A_LINE, "--tolerance", 0.001, "--repeat", 1], 0, WARNING + "line.txt, tree, tolerance 0.001, .*: 99 % error", None),
    ("softening near the cut", ["run", *SPACE, 0.25, "--t-end", 0.01, "--dt", 0.01], 0, SOFT + "$", "\nwarning      softening: eps 0.25: "),
    ("softening near the cut, of one type", ["run", *SPACE, "0.02,0.25", "--t-end", 0.01, "--dt", 0.01], 0, SOFT + "$", "\nwarning      softening: eps 0.25: "),
    ("softening near the cut, one evaluation", ["force", *SPACE, 0.25, "-o", "f.txt", "--overwrite"], 0, SOFT + "$", None),
    ("softening near the cut, timed", ["bench", *SPACE, 0.25, "--repeat", 1], 0, WARNING + "space.txt, .*\n.*: softening: eps 0.25: .*\n$", None),
    ("softening near the cut, compared", ["accuracy", *SPACE, 0.25, "--tolerance", 0.001, "--sample", 400], 0,
     WARNING + r"space.txt, .*: 99 % error 0.0[123]\d*: above 0.003, 3 times the tolerance\n.*: softening: eps 0.25: .*\n$", None),
    ("a spline within the cut", ["accuracy", *SPACE, 0.25, "--softening", "spline", "--tolerance", 0.001, "--sample", 400], 0, "", None),
    ("a coarse mesh", ["force", *SPACE, 0.055, "-o", "f.txt", "--overwrite"], 0, "", None),
    ("direct sums in a box", ["force", *SPACE, 0.25, "--solver", "direct", "-o", "f.txt", "--overwrite"], 0, "", None),
    ("modes in a box", ["accuracy", *SPACE, 0.02, "--set", "periodic.long-range=modes", "--tolerance", 1e-4, "--sample", 400], 0, "", None),
]


def every_case(folder):
    run(folder, "model", "plummer", "-n", 600, "--seed", 1, "-o", "sphere.hdf5")
    run(folder, "model", "cosmology", "--box", 100, "--n", 8, "--z-start", 49, "-o", "box.hdf5")
    (folder / "line.txt").write_text(LATTICE)
    run(folder, "model", "plummer", "-n", 300, "--seed", 5, "-o", "plummer.hdf5")
    run(folder, "model", "plummer", "-n", 1000, "--seed", 2, "-o", "plain.hdf5")
    run(folder, "convert", "plummer.hdf5", "satellite.hdf5", "--shift", "1000,0,0", "--velocity", "0,31.6,0")
    run(folder, "model", "cosmology", "--box", 20, "--n", 8, "--z-start", 9, "-o", "soft.hdf5")
    (folder / "tracer.txt").write_text("1 1 .3 .2 -.2 .6 .1 7\n")
    (folder / "zero.txt").write_text(".5 -.5 0 0 0 -.02 .7068238818828917 1\n.5 .5 0 0 0 .02 .7068238818828917 2\n")
    (folder / "two.txt").write_text("1 0 0 0 0 0 0 1\n1 1 0 0 0 1 0 2\n")
    (folder / "huge.txt").write_text("1e300 0 0 0 0 0 0 1\n1e300 1 0 0 0 1 0 2\n")
    (folder / "rest.txt").write_text("1 0 0 0 0 0 0 1\n")
    (folder / "star.txt").write_text("1e-9 8 0 0 0 2 0.1 1\n")
    (folder / "fastest.txt").write_text("1 0 0 0 1e308 0 0 1\n1 1 0 0 0 1 0 2\n")
    (folder / "singular.txt").write_text("phi += -1 / sqrt(x^2 + y^2 + z^2)\n")
    chance = random.Random(5)
    places = (f"0.001 {chance.uniform(0, 10)} {chance.uniform(0, 10)} {chance.uniform(0, 10)}\n" for _ in range(1000))
    (folder / "space.txt").write_text("# types: 1*500 2*500\n" + "".join(places))
    (folder / "fast.txt").write_text("0.5 1 0 0 0 0.5 0 1\n0.5 -1 0 0 0 -0.5 0 2\n1e-9 9 9 9 0 0 0 3\n")
    for case, arguments, status, errors, log in CASES:
        for quiet in ([], ["-q"]):
            done = run(folder, *arguments, *(["-o", "out", "--overwrite"] if arguments[0] == "run" else []), *quiet)
            text = (folder / "out/run.log").read_text() if log is not None else ""
            good = done.returncode == status and (re.search(errors, done.stderr) if errors else done.stderr == "")
            logged = log is None or (re.search(log, text) if log else "warning" not in text)
            check(good and logged, f"{case} {quiet}: {done.returncode} {done.stderr}{text}")


def says_it_once(folder):
    """A warning from a run's first evaluation is not repeated on restart."""
    words = run(folder, "run", *ON_A_LINE, "--t-end", 1e-4, "--dt", 1e-4, "-o", "twice"), run(folder, "run", "--restart", "twice", "--t-end", 2e-4)
    check(re.search(CANCEL, words[0].stderr) and words[1].returncode == 0 and words[1].stderr == "", f"missing warning on restart: {words}")


def dates_the_error(folder):
    """Progress names the step of a past energy error."""
    main, terminal = pty.openpty()
    done = subprocess.Popen([PROGRAM, *map(str, [*BOX, "--dt", 0.005, "-o", "dated"])], cwd=folder, stdout=terminal, stderr=subprocess.DEVNULL)
    os.close(terminal)
    text = b""
    while piece := read_all(main):
        text += piece
    found = re.findall(r"step (\d+)  a = [^\r\n]*Layzer-Irvine error \S+ in step (\d+)", text.decode())
    check(done.wait() == 0 and found and all(int(now) > int(then) for now, then in found), f"progress: {text}")


def read_all(terminal):
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other end closed
        return b""


run_parts("what cannot be trusted says so", every_case, says_it_once, dates_the_error)
