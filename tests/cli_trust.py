#!/usr/bin/env python3
"""A result that cannot be trusted says so, with --quiet too; one that can says nothing of it."""
import re

from program import check, run, run_parts

LATTICE = "".join(f"{1 / 600} {k / 600} 0 0\n" for k in range(600))  # forces cancel
RUN = ["run", "sphere.hdf5", "--eps", 0.01]
BOX = ["run", "box.hdf5", "--z-end", 9]
ON_A_LINE = ["line.txt", "--eps", 0.001]
WARNING = "^chamomile: warning: "
CANCEL = WARNING + r"forces cancel: \d+ % of the particles have less than an eighth of the acceleration .*"

# name, arguments, exit status, what standard error says (nothing: all of it), what the log says
CASES = [
    ("good", [*RUN, "--t-end", 0.5, "--dt", 0.03125, "--check-forces", 300], 0, "", ""),
    ("good by accuracy", [*RUN, "--t-end", 0.125, "--dt", 0.03125, "--accuracy", 0.01, "--check-forces", 600], 0, "", ""),
    ("energy", [*RUN, "--t-end", 10, "--dt", 1], 0, WARNING + r"energy error \S+ at the end, \S+ at most: above 1 %: this run cannot be trusted\n$",
     r"\nwarning      energy error: \S+ at t = \S+, step \d+: above 1 %\n(.*\n)*warning      energy error \S+ at the end"),
    ("energy beyond a limit", [*RUN, "--t-end", 10, "--dt", 1, "--max-energy-error", 0.05], 8,
     r"^chamomile: error: energy error: \S+ at t = \S+, step \d+: above --max-energy-error 0.05\n$", r"\nstopped by the energy error: (.*\n)*error: energy error"),
    ("energy within a limit", [*RUN, "--t-end", 10, "--dt", 1, "--max-energy-error", 1e9], 0, "", ""),
    ("energy beyond a limit, told", [*RUN, "--t-end", 10, "--dt", 1, "--max-energy-error", 0.05, "--on-energy-error", "warn"], 0,
     WARNING + r"energy error \S+ at the end, \S+ at most: above --max-energy-error 0.05\n$", "\nwarning      energy error"),
    ("fast particles whose energy nearly cancels", ["run", "fast.txt", "--eps", 0.05, "--t-end", 2, "--dt", 0.25], 0, "", ""),
    ("comoving", [*BOX, "--adaptive"], 0, "", ""),
    ("comoving, long steps", [*BOX[:3], 0, "--dt", 0.5], 0, WARNING + r"Layzer-Irvine error \S+ at the end, \S+ at most: above 1\S* %: this run cannot be trusted\n$",
     r"\nwarning      Layzer-Irvine error: \S+ at a = "),
    ("forces", ["run", *ON_A_LINE, "--t-end", 0, "--dt", 1, "--check-forces", 600], 0,
     CANCEL + "\n" + WARNING[1:] + r"forces in step 0: 99 % error \S+: above 0.003, 3 times the tolerance\n$",
     "\nwarning      forces in step 0: 99 % error"),
    ("forces that nobody checks", ["run", *ON_A_LINE, "--t-end", 0, "--dt", 1], 0, CANCEL + "\n$", "\nwarning      forces cancel: "),
    ("forces of one evaluation", ["force", *ON_A_LINE, "-o", "f.txt", "--overwrite"], 0, CANCEL + "\n$", None),
    ("forces of one evaluation that are good", ["force", "sphere.hdf5", "--eps", 0.01, "-o", "f.txt", "--overwrite"], 0, "", None),
    ("forces by an angle, which promises none", ["run", *ON_A_LINE, "--theta", 0.9, "--t-end", 0, "--dt", 1, "--check-forces", 600], 0, "", ""),
    ("accuracy", ["accuracy", *ON_A_LINE, "--tolerance", 0.001], 0, WARNING + r"line.txt, tree, tolerance 0.001, \S+, .*: 99 % error \S+: above 0.003, 3 times", None),
    ("accuracy that is good", ["accuracy", "sphere.hdf5", "--eps", 0.01, "--tolerance", "0.01,0.001,1e-4", "--order", "0,2,4"], 0, "", None),
    ("accuracy asked for", ["accuracy", "sphere.hdf5", "--eps", 0.01, "--accuracy", "0.01,1e-3,1e-5"], 0, "", None),
    ("bench", ["bench", *ON_A_LINE, "--tolerance", 0.001, "--repeat", 1], 0, WARNING + "line.txt, tree, tolerance 0.001, .*: 99 % error", None),
    ("fluid", ["fluid", "-n", 500, "--equilibrate", 20, "--steps", 50, "--step", 0.014, "--temperature", 3], 0, WARNING + "total energy: .*: above 1 %: this run cannot be trusted\n$", None),
    ("fluid that is good", ["fluid", "-n", 500, "--equilibrate", 100, "--steps", 100], 0, "", None),
]


def every_case(folder):
    run(folder, "model", "plummer", "-n", 600, "--seed", 1, "-o", "sphere.hdf5")
    run(folder, "model", "cosmology", "--box", 100, "--n", 8, "--z-start", 49, "-o", "box.hdf5")
    (folder / "line.txt").write_text(LATTICE)
    (folder / "fast.txt").write_text("0.5 1 0 0 0 0.5 0 1\n0.5 -1 0 0 0 -0.5 0 2\n1e-9 9 9 9 0 0 0 3\n")
    for case, arguments, status, errors, log in CASES:
        for quiet in ([], ["-q"]):
            done = run(folder, *arguments, *(["-o", "out", "--overwrite"] if arguments[0] == "run" else []), *quiet)
            text = (folder / "out/run.log").read_text() if log is not None else ""
            good = done.returncode == status and (re.search(errors, done.stderr) if errors else done.stderr == "")
            logged = log is None or (re.search(log, text) if log else "warning" not in text)
            check(good and logged, f"{case} {quiet}: {done.returncode} {done.stderr}{text}")


run_parts("what cannot be trusted says so", every_case)
