#!/usr/bin/env python3
"""Tests that a run's choices appear in its log and snapshots, and that the next command reads them; also for `force`."""
import re
import subprocess

from bad_inputs import space
from program import check, run, run_parts

FINE, USAGE, INPUT = 0, 2, 3
RUN = "--t-end 0.02 --dt 0.01 --eps 0.01 --snapshot-every 1"

# command, exit status, expected patterns, forbidden pattern; {} is the folder of the previous commands
CASES = [
    # Every format.
    ("info two.txt", FINE, (r"^format +text columns$", r"^time +1.5$", r"^units +N-body units \(G = 1\)$", r"^particles +2$", r"^center of mass +0.5  0  0$", r"1  halo +2 +4 +1 +3$"), None),
    ("info none.txt", FINE, r"^particles +0$", None),
    *[line for name in ("two.hdf5", "two.gadget2", "two.tipsy", "again.txt") for line in
      ((f"convert two.txt {name}", FINE, rf"^{name}: 2 particles from text columns$", None), (f"info {name}", FINE, (r"^time +1.5$", r"^G +1$", r"^center of mass +0.5  0  0$"), None))],
    ("convert two.hdf5 again.txt --overwrite", FINE, "^again.txt: 2 particles from HDF5", None),
    ("info again.txt", FINE, "converted: by chamomile .* from two.hdf5", None),
    # The box.
    (f"run plain.txt --box 2 {RUN} --power -o boxed", FINE, r"box +periodic, 2 \(--box\)", "isolated"),
    ("info boxed/snapshot_001.hdf5", FINE, "box +2$", "isolated"),
    ("info boxed/snapshot_001.hdf5", FINE, r"mesh: 32\n(.*\n)*.*split_radius: 0.078125", None),
    ("info boxed/snapshot_001.hdf5", FINE, "cut_radius: 0.44921875", None),
    ("power boxed/snapshot_001.hdf5", FINE, "# box 2, 24 particles", None),
    ("halos boxed/snapshot_001.hdf5", FINE, "halos with", None),
    ("run boxed/snapshot_001.hdf5 --t-end 0.03 --dt 0.01 -o on", FINE, r"box +periodic, 2 \(BoxSize of the file; --box 0: isolated\)", "local order"),
    ("run boxed/snapshot_001.hdf5 --t-end 0.03 --dt 0.01 -o again", FINE, "note +the file is not comoving, but its BoxSize of 2 makes gravity periodic", None),
    ("run boxed/snapshot_001.hdf5 --t-end 0.03 --dt 0.01 --box 0 -o open", FINE, "note +the box of size 2 in the file is ignored", "periodic"),
    ("info open/snapshot_001.hdf5", FINE, "box +isolated", None),
    ("power open/snapshot_001.hdf5", USAGE, "--box: missing: needed because the file has no periodic box", None),
    ("run boxed/snapshot_001.hdf5 --t-end 0.03 --dt 0.01 --box 0 --power -o none", USAGE, "--power: needs initial conditions in a periodic box", None),
    ("force plain.txt --box 2 --eps 0.01 -o f.hdf5", FINE, r"box: periodic, 2 \(--box\)\nlong range: mesh of 32\^3, r_s 0.078125, cut at 0.449219", None),
    ("info f.hdf5", FINE, "box +2$", None),
    ("force f.hdf5 -o f2.txt", FINE, r"box: periodic, 2 \(BoxSize of the file; --box 0: isolated\)", None),
    ("force f.hdf5 -o f3.hdf5 --box 0", FINE, "note: the box of size 2 in the file is ignored", "periodic"),
    ("info f3.hdf5", FINE, "box +isolated", None),
    ("force f.hdf5 -o f4.txt --set periodic.long-range=modes", FINE, r"long range: modes, r_s 0.128571, cut at 0.9", None),
    ("run f.hdf5 --integrator hermite --t-end 1 -o h", USAGE, "--integrator hermite: needs isolated particles; --box 0 ignores the box", None),
    ("run plain.txt --integrator hermite --box 2 --eps 0 --t-end 1 -o h", USAGE, "--integrator hermite: needs isolated particles", None),
    # The log contains it too, also at each restart.
    ("run plain.txt --box 2 --t-end 0.01 --dt 0.01 --eps 0.01 --checkpoint-every 1 -o log", FINE, "forces +tree", None),
    ("run --restart log --t-end 0.02", FINE, r"long range +mesh of 32\^3, r_s 0.078125, cut at 0.449219", None),
    # Units, background, G and softening.
    ("model cosmology --n 8 --box 100 --z-start 49 -o ics.hdf5", FINE, "wrote", None),
    ("run ics.hdf5 --z-end 48 --eps 300 --softening spline --set cosmology.omega-r=1e-4 --set cosmology.w0=-0.9 --eps-max 200 -o universe", FINE,
     r"box +periodic, 100000 kpc/h \(BoxSize of the file\)", None),
    ("info universe/snapshot_001.hdf5", FINE, "softening +spline, eps = 300", None),
    ("run universe/snapshot_001.hdf5 --z-end 47.5 -o later", FINE, r"cosmology +Omega_m 0.3089, .*Omega_r 0.0001, w -0.9 \+0 \(1 - a\), eps at most 200 / a", None),
    ("power universe/snapshot_001.hdf5 --fits", FINE, "linear theory: sigma8 0.811", "assumed"),
    ("run plain.txt --G 3 --eps 0.01 --t-end 0.01 --dt 0.01 -o strong", FINE, "G +3", None),
    ("info strong/snapshot_001.hdf5", FINE, "G +3", None),
    ("force ics.hdf5 -o ics_forces.hdf5", FINE, "long range: mesh of 32", None),
    ("power ics_forces.hdf5 --fits", FINE, "linear theory: sigma8 0.811", "assumed"),
    # G from an option is checked like G from a file.
    ("run ics.hdf5 --z-end 40 --eps 100 --G 1 -o x", INPUT, "density: .* of the critical density, .*G or Omega_m are wrong", None),
    # Assumed and odd values are noted by every command that reads a file.
    ("power foreign.txt --fits -o foreign_power.txt", FINE, "note: linear theory: neither the file nor the options give sigma8 0.811, n_s 0.965, Omega_b 0.049: assumed; give", None),
    ("power foreign.txt --fits", FINE, "^# note: linear theory: neither the file nor the options give", None),
    ("power foreign.txt --fits --sigma8 0.8 --n-s 0.96 --omega-b 0.05", FINE, "sigma8 0.8", "assumed"),
    ("halos foreign.txt --fits --mass-function mass.txt", FINE, "note: linear theory: neither the file nor the options give", None),
    *[(f"{command} {file}", FINE, r"note: 2 particles are outside the periodic box, by at most 0.\d+ of the side", None)
      for command in ("info", "halos", "force --eps 0.01 -o o.txt --overwrite", "accuracy --eps 0.01 --tolerance 0.01", "bench --eps 0.01 --repeat 1 --tolerance 0.01")
      for file in ("beyond.txt",)],
    ("power beyond.txt -o beyond_power.txt", FINE, "note: 2 particles are outside the periodic box", None),
    ("force far.txt --eps 0.01 -o far_forces.txt", FINE, r"note: extent of positions: 1e\+09, 1e\+11 times the softening length", None),
    ("power plain.txt --box 1e-30", INPUT, "particles are outside the periodic box, by .* must be at most 1e9", None),
    # Steps that would never reach the end.
    *[(f"run plain.txt --eps 0.01 --t-end 1 -o x {steps}", USAGE, rf"{what}: .*makes .* steps(;|: must be) at most 1e12", None)
      for steps, what in (("--adaptive --dt-max 1e-300", "--dt-max"), ("--adaptive --eta 1e-200", "time step"), ("--block-steps --eta 1e-300", "time step"),
                          ("--block-steps --dt-max 1e-300", "--dt-max"), ("--integrator hermite --set hermite.eta-start=1e-300", "time step"))],
    ("run ics.hdf5 --z-end 40 --dlna-max 1e-300 -o x", USAGE, "--dlna-max: .*makes .* steps; at most 1e12", None),
    # A background out of range, from an option and from a file.
    *[(f"run ics.hdf5 --z-end 40 --set cosmology.{option}={value} -o x", USAGE, f"--set cosmology.{option}: {value}: must be a number from", None) for option, value in (("omega-l", "-5"), ("w0", "-3"), ("wa", "9"))],
    ("run negative.txt --z-end 40 --eps 100 -o x", INPUT, "negative.txt: line 9, omega_lambda: -5: must be a number from -2 to 5", None),
    # Late times.
    *[(f"run late{t}.txt --t-end {1 + 10**t} --dt 0.1 --eps 0.5 -o late{t}", FINE, "^10 steps in (.*\n)*wrote 11 snapshots", None) for t in (7, 8, 9, 10, 11)],
    ("run late14.txt --t-end 100000000000001 --dt 0.1 --eps 0.5 -o x", USAGE, "--dt: 0.1: is lost in the digits of t = 100000000000001", None),
    ("run late14.txt --t-end 100000000000001 --adaptive --eps 0.5 -o x", USAGE, "--t-end: 100000000000001: a tenth of the run, 0.1: is lost in the digits", None),
]


def write_inputs(folder):
    def rows():
        return "".join(f"{1 / 24} {2 * (37 * i % 101) / 101} {2 * (53 * i % 97) / 97} {2 * (71 * i % 89) / 89} 0 0 0 {i + 1}\n" for i in range(24))

    def heading(**fields):
        return "".join(f"# {name}: {value}\n" for name, value in fields.items())

    files = {"two.txt": "# time: 1.5\n1 -1 0 0  0 0.5 0\n3 1 0 0  0 -0.5 0\n", "none.txt": "# nothing\n", "plain.txt": rows(),
             "beyond.txt": heading(box_size=2) + rows() + "0.04 2.5 0 0 0 0 0 30\n0.04 0 -0.5 0 0 0 0 31\n",
             "far.txt": rows() + "0.04 1e9 0 0 0 0 0 30\n",
             "foreign.txt": space(), "negative.txt": space(omega_lambda=-5),
             **{f"late{t}.txt": heading(time=f"1e{t}") + rows() for t in (7, 8, 9, 10, 11, 14)}}
    for name, text in files.items():
        (folder / name).write_text(text)


def every_case(folder):
    write_inputs(folder)
    for command, status, says, says_not in CASES:
        try:
            done = run(folder, *command.split(), timeout=60)
        except subprocess.TimeoutExpired:
            check(False, f"{command}: needs more than 60 s")
            continue
        told = done.stdout if status == FINE else done.stderr
        said = all(re.search(line, told, re.M) for line in ([says] if isinstance(says, str) else says))
        check(done.returncode == status and said and not (says_not and re.search(says_not, told)) and (status != FINE or not done.stderr),
              f"{command}: status {done.returncode}, not {status}, or not '{says}', or '{says_not}': {told[:1500]}{done.stderr}")
    log = (folder / "log/run.log").read_text() if (folder / "log").exists() else ""
    for line in (r"box +periodic, 2 \(--box\)", r"long range +mesh of 32\^3, r_s 0.078125, cut at 0.449219", "G +1$", "softening +Plummer, eps = 0.01", "units +N-body"):
        check(len(re.findall("^" + line, log, re.M)) == 2, f"run.log of a run and its restart says not twice: {line}")


run_parts(f"what was used is told, written and read by {len(CASES)} commands", every_case)
