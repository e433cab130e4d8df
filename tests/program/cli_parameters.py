#!/usr/bin/env python3
"""Tests parameter files of other codes: translated options, bitwise equal runs with typed options, overriding options,
and one-line refusals.
"""
import math
import re
import shutil
import struct

from program import ROOT, as_text, chamomile, check, energies, need, refused, run_parts

need("h5py")
import h5py

# Lines from the codes' published examples, with other files and shorter times.
GADGET2 = """
%  Relevant files
InitCondFile       galaxy.gadget2
OutputDir          out2/
EnergyFile         energy.txt
SnapshotFileBase   snapshot
OutputListFilename list.txt
TimeLimitCPU       36000  % = 10 hours
ICFormat           1
ComovingIntegrationOn    0
TypeOfTimestepCriterion  0
OutputListOn             0
PeriodicBoundariesOn     0
TimeBegin           0.0        % Begin of the simulation
TimeMax             0.02
Omega0              0
OmegaLambda         0
HubbleParam         1.0
BoxSize             0
TimeBetSnapshot     0.01
TimeOfFirstSnapshot 0
CpuTimeBetRestartFile  3600    ; here in seconds
TimeBetStatistics   0.005
ErrTolIntAccuracy   0.02
CourantFac          0.15
MaxSizeTimestep     0.01
MinSizeTimestep     0.0
ErrTolTheta         0.5
TypeOfOpeningCriterion 1
ErrTolForceAcc      0.005
DesNumNgb           50
UnitLength_in_cm         3.085678e21        ;  1.0 kpc
UnitMass_in_g            1.989e43           ;  1.0e10 solar masses
UnitVelocity_in_cm_per_s 1e5                ;  1 km/sec
GravityConstantInternal  0
SofteningGas       0
SofteningHalo      0.4
SofteningDisk      0.4
SofteningBulge     0.4
SofteningStars     0
SofteningBndry     0
"""
GADGET4 = """
InitCondFile         ./box             % the name without its ending
OutputDir            ./out4
ICFormat             3
TimeBegin            0.1
TimeMax              0.11
ComovingIntegrationOn    1
Omega0               0.308
OmegaLambda          0.692
HubbleParam          0.678
Hubble               100.0
BoxSize              20000
OutputListOn         1
OutputListFilename   outputs.txt
TimeBetSnapshot      0.0
ErrTolIntAccuracy    0.0125
MaxSizeTimestep      0.02
TypeOfOpeningCriterion 0
ErrTolTheta          0.75
UnitLength_in_cm         3.085678e21
UnitMass_in_g            1.989e43
UnitVelocity_in_cm_per_s 1e5
SofteningComovingClass0      100
SofteningMaxPhysClass0       5
SofteningClassOfPartType0    0
SofteningClassOfPartType1    0
FutureKey            7
"""
SWIFT = """
# Define the system of units to use internally.
InternalUnitSystem:
  UnitMass_in_cgs:     1.989e43   # 10^10 solar masses
  UnitLength_in_cgs:   3.085678E21   # 1 kpc
  UnitVelocity_in_cgs: 1E5   # km/s
  UnitCurrent_in_cgs:  1
Gravity:
  eta:          0.02
  MAC:          geometric
  theta_cr:     0.7
  max_physical_DM_softening: 0.4
  max_physical_baryon_softening: 0.4
TimeIntegration:
  time_begin:        0.
  time_end:          0.02
  dt_min:            1e-6
  dt_max:            1e-2
Snapshots:
  basename:   output
  subdir:     outs
  time_first: 0.005
  delta_time: 0.01
Statistics:
  delta_time:           5e-3
Restarts:
  delta_hours:  0.5
  max_run_time: 2
InitialConditions:
  file_name:  galaxy.hdf5
  periodic:   0
"""
CHANGA = """
# parameter file for leap frog
nSteps          = 4
dTheta          = 0.7
dEta\t\t= .1
dDelta          = .01
iOutInterval    = 2
achInFile       = sphere.tipsy
achOutName      = outc
dSoft           = 0.14
dKpcUnit        = 1
dMsolUnit       = 2.324876e9
bDoGas          = 0
"""
BONSAI = "mpirun -np 4 ./bonsai2_slowdust -i sphere.tipsy -T 0.5 \\\n -t 0.125 --eps 0.1 --snapiter 0.25 --dev 0 2>&1 | tee log\n"


def makes_inputs(folder):
    chamomile(folder, *"model galaxy -n 600 --physical -o galaxy.hdf5 -q".split())
    chamomile(folder, *"model plummer -n 500 -o sphere.hdf5 -q".split())
    chamomile(folder, *"model cosmology --n 8 --box 20 --z-start 9 --omega-m 0.308 --hubble 0.678 -o box.hdf5 -q".split())
    chamomile(folder, *"convert galaxy.hdf5 galaxy.gadget2 -q".split())
    chamomile(folder, *"convert sphere.hdf5 sphere.tipsy -q".split())
    for name, text in (("g2.param", GADGET2), ("g4.param", GADGET4), ("swift.yml", SWIFT), ("changa.param", CHANGA), ("bonsai.sh", BONSAI),
                       ("outputs.txt", "0.05 1\n0.105 1  % a comment\n0.5 1\n")):
        (folder / name).write_text(text)


def told(out):
    """Returns the options in the log, by key."""
    return {line.split(": ", 1)[0]: line.split(": ", 1)[1] for line in re.findall(r"^parameters   (\S+: .*)$", out, re.M)}


def same_run(folder, file, out, *options):
    """A run from a parameter file gives the bits of a run with the translated options."""
    typed = folder / f"typed_{out.strip('/')}"
    said = chamomile(folder, "run", "--parameters", file)
    chamomile(folder, "run", *options, "-o", typed.name)
    names = sorted(path.name for path in typed.glob("snapshot_*"))
    check(names == sorted(path.name for path in (folder / out).glob("snapshot_*")), f"{file}: snapshots are not {names}")
    for name in names:
        check(as_text(folder, f"{out}/{name}") == as_text(folder, typed / name), f"{file}: {name} differs from a run with options")
    check(energies(folder / out) == energies(typed), f"{file}: energies differ from a run with options")
    return said


def gadget(folder):
    out = same_run(folder, "g2.param", "out2", "galaxy.gadget2", *"--t-end 0.02 --block-steps --step-criterion softening --eta 0.2 --dt-max 0.01 --eps 0.4 --softening spline".split(),
                   *"--criterion relative --tolerance 0.005 --snapshot-every 0.01 --energy-every 0.005 --box 0".split(), "--units", "galactic")
    keys = told(out)
    for key, said in (("TimeMax", "--t-end 0.02"), ("ErrTolIntAccuracy", "--eta 0.2"), ("OutputDir", "--output out2/"),
                      ("UnitLength_in_cm", "--units 3.085678e+21 cm,1.989e+43 g,1e+05 cm/s"), ("CpuTimeBetRestartFile", "--checkpoint-walltime 3600")):
        check(keys.get(key) == said, f"GADGET-2: {key}: {keys.get(key)}, not {said}")
    check("parameters   SofteningHalo: --eps 0.4\nparameters   SofteningHalo: --softening spline\n" in out, "GADGET-2: the log lacks the softening")
    check(re.search(r"without effect here: EnergyFile, SnapshotFileBase, .*CourantFac.*DesNumNgb", out), f"GADGET-2: the ignored keys are not listed: {out}")
    check("units        kpc, 1e10 Msun, km/s\n" in out and "not understood" not in out, "GADGET-2: units")
    out = same_run(folder, "g4.param", "out4", "box.hdf5", *"--a-end 0.11 --outputs-a 0.105 --block-steps --eta".split(), math.sqrt(2 * 0.0125),
                   *"--dlna-max 0.02 --theta 0.75 --eps 100 --eps-max 5 --softening spline --set cosmology.omega-m=0.308 --set cosmology.omega-l=0.692 --set cosmology.hubble=0.678".split())
    check(re.search("^note +g4.param: not understood, and not used: FutureKey$", out, re.M), f"GADGET-4: an unknown key is not reported: {out}")
    check(told(out).get("BoxSize") == "--box 20000", "GADGET-4: wrong box")
    check("as given, instead of" not in out, "GADGET-4: no note on the h of the file")
    (folder / "h.param").write_text(GADGET4.replace("HubbleParam          0.678", "HubbleParam 0.7").replace("out4", "outh"))
    out = chamomile(folder, "run", "--parameters", "h.param")
    check(re.search("^note +h: uses 0.7, as given, instead of 0.678 in the file$", out, re.M), f"GADGET-4: another h is not reported: {out}")


def swift(folder):
    out = same_run(folder, "swift.yml", "outs", "galaxy.hdf5", *"--t-end 0.02 --block-steps --step-criterion softening --eta 0.2 --dt-min 1e-6 --dt-max 0.01 --eps 0.4".split(),
                   *"--softening spline --output-times 0.005,0.015 --energy-every 5e-3 --box 0".split())
    check(told(out).get("Restarts:max_run_time") == "--max-walltime 7200" and told(out).get("Restarts:delta_hours") == "--checkpoint-walltime 1800", f"SWIFT: wrong time limit in hours: {out}")
    check(told(out).get("Gravity:eta") == "--eta 0.2" and "Gravity:theta_cr" in out.split("without effect here")[1], f"SWIFT: {out}")


def swift_potentials(folder):
    """SWIFT's potentials equal --potential; positions count from the box center unless the file sets absolute
    positions.
    """
    side = 1000
    shutil.copy(folder / "galaxy.hdf5", folder / "sided.hdf5")
    with h5py.File(folder / "sided.hdf5", "r+") as sided:
        sided["Header"].attrs["BoxSize"] = float(side)
    for section, potentials in (
            ("PointMassPotential:\n  mass: 5\n  position: [1., 2., 3.]\n  useabspos: 1\n  timestep_mult: 0.03\n", ["point,M=5,x=1,y=2,z=3"]),
            ("PointMassPotential:\n  mass: 5\n  softening: 0.5\n  useabspos: 1\n", ["plummer,M=5,a=0.5"]),
            ("IsothermalPotential:\n  vrot: 200\n  epsilon: 0.1\n  useabspos: 1\n", ["logarithmic,v0=200,rc=0.1"]),
            ("HernquistPotential:\n  mass: 50\n  scalelength: 30\n  idealizeddisk: 0\n  epsilon: 0\n  useabspos: 1\n", ["hernquist,M=50,a=30"]),
            ("NFWPotential:\n  M_200: 150\n  concentration: 10\n  h: 0.7\n  useabspos: 1\n", ["nfw,M=150,c=10,hubble=0.7"]),
            ("NFW_MNPotential:\n  M_200: 150\n  concentration: 10\n  critical_density: 1e-8\n  Mdisk: 5\n  Rdisk: 3\n  Zdisk: 0.3\n  useabspos: 1\n",
             [f"nfw,M=150,c=10,rs={(3 * 150 / (4 * math.pi * 200e-8)) ** (1 / 3) / 10:.6g}", "miyamoto-nagai,M=5,a=3,b=0.3"]),
            ("PointMassPotential:\n  mass: 5\n  position: [1, 0, 0]\n", [f"point,M=5,x={side / 2 + 1:g},y={side / 2:g},z={side / 2:g}"])):
        (folder / "potential.yml").write_text(SWIFT.replace("galaxy.hdf5", "sided.hdf5").replace("outs", "outp") + section)
        out = chamomile(folder, "run", "--parameters", "potential.yml", "--overwrite")
        lines = re.findall(r"--potential ([^\s;]+)", out)
        same = lambda a, b: re.sub(r"=[^,]+", "", a) == re.sub(r"=[^,]+", "", b) and all(abs(float(x) / float(y) - 1) < 1e-5 for x, y in zip(re.findall(r"=([^,]+)", a), re.findall(r"=([^,]+)", b)))
        check(len(lines) == len(potentials) and all(map(same, lines, potentials)), f"{section}: {lines}, not {potentials}")


def changa(folder):
    eps, eta = 0.14 * 2 / 2.8, 0.1 / math.sqrt(2 / 2.8)
    out = same_run(folder, "changa.param", "outc", "sphere.tipsy", "--t-end", 4 * 0.01, "--block-steps", "--step-criterion", "softening", "--eta", eta, "--dt-max", 0.01,
                   "--eps", eps, "--softening", "spline", "--snapshot-every", 2 * 0.01, "--units", "kpc,2.324876e9 Msun")
    check("dTheta" in out.split("without effect here")[1], f"ChaNGa: no note on the meaning of the opening angle: {out}")
    velocity = float(re.search(r"units        kpc, 2.32488e\+09 Msun, ([\d.]+)?", out)[1] or 1)
    check(abs(velocity - 100) < 0.1, f"ChaNGa: kpc and 2.324876e9 Msun with G = 1 have 100 km/s, not {velocity}")


def bonsai(folder):
    out = chamomile(folder, "run", "--parameters", "bonsai.sh", "-o", "outb")
    chamomile(folder, *"run sphere.tipsy --t-end 0.5 --dt 0.125 --eps 0.1 --softening plummer --theta 0.75 --snapshot-every 0.25 -o typed_outb".split())
    for number in range(3):
        check(as_text(folder, f"outb/snapshot_{number:03d}.hdf5") == as_text(folder, f"typed_outb/snapshot_{number:03d}.hdf5"), f"Bonsai: wrong snapshot {number}")
    check(told(out).get("theta") == "--theta 0.75" and "without effect here: dev" in out, f"Bonsai: wrong defaults: {out}")


def nemo(folder):
    """NEMO's treecode options with a snapshot in its programs' format: equal bits for equal particles as text."""
    chamomile(folder, *"model plummer -n 128 --seed 3 -o hack.txt -q".split())
    rows = [[float(word) for word in line.split()[:7]] for line in (folder / "hack.txt").read_text().splitlines() if not line.startswith("#")]

    def item(kind, tag, values=(), dimensions=()):
        head = struct.pack(">H", 0x0b92 if dimensions else 0x0992) + f"{kind}\0{tag}\0".encode()
        sizes = struct.pack(f">{len(dimensions) + 1}i", *dimensions, 0) if dimensions else b""
        return head + sizes + (struct.pack(f">{len(values)}{kind}", *values) if values else b"")

    end = struct.pack(">H", 0x0992) + b")\0"
    parameters = item("(", "Parameters") + item("i", "Nobj", [len(rows)]) + item("d", "Time", [0.0]) + end
    particles = (item("(", "Particles") + item("i", "CoordSystem", [0o201402]) + item("d", "Mass", [row[0] for row in rows], [len(rows)]) +
                 item("d", "PhaseSpace", [x for row in rows for x in row[1:]], [len(rows), 2, 3]) + end)
    (folder / "hack.snap").write_bytes(item("(", "SnapShot") + parameters + particles + end)
    options = "--t-end 0.5 --dt 0.03125 --eps 0.05 --criterion geometric --theta 1 --order 0 --local-order 0 --set tree.group-size=1 --set tree.leaf-size=1 --snapshot-every 0.25".split()
    for file, out in ("hack.snap", "outn"), ("hack.txt", "typed_outn"):
        chamomile(folder, "run", file, *options, "-o", out)
    for number in range(3):
        check(as_text(folder, f"outn/snapshot_{number:03d}.hdf5") == as_text(folder, f"typed_outn/snapshot_{number:03d}.hdf5"), f"NEMO: wrong snapshot {number}")
    published_run(folder, "hack128.sun4", "run {} --t-end 2 " + " ".join(options[2:]), (-0.2675, -0.5434, 2e-4), (-0.2647, -0.4857, 3e-3))
    published_run(folder, "hack128.sun4", "run {} --t-end 2 --dt 0.03125 --eps 0.05 --solver direct", (-0.2675, -0.5434, 2.5e-3), (-0.2647, -0.4857, 5e-3))


def published_run(folder, file, words, *states):
    """Runs a published parameter file: total energy and kinetic over potential, at start and end, match the code's
    published values within tolerances.
    """
    data = ROOT.parent / "shared/data" / file
    if not data.exists():
        return print(f"not here: {file}")
    chamomile(folder, *words.format(data).split(), "-o", "known", "--overwrite")
    for row, (total, ratio, within) in zip((energies(folder / "known")[0], energies(folder / "known")[-1]), states):
        kinetic, potential = row["kinetic"], row["potential"]
        check(abs(kinetic + potential - total) < within and abs(kinetic / potential - ratio) < within, f"{file}: {kinetic + potential} and {kinetic / potential}, not {total} and {ratio}")


def comoving_tipsy(folder):
    """Converts a box to Tipsy and back; ChaNGa's parameters give its size."""
    chamomile(folder, *"convert box.hdf5 box.tipsy -q".split())
    chamomile(folder, *"convert box.tipsy back.hdf5 --box-length 20Mpc/h --h 0.678 --units gadget -q".split())
    first, second = (as_text(folder, name) for name in ("box.hdf5", "back.hdf5"))
    words = [[float(word) for word in line.split()] for line in first], [[float(word) for word in line.split()] for line in second]
    scale = [max(abs(row[k]) for row in words[0]) for k in range(7)]
    worst = max(abs((a - b + (10000 if k in (1, 2, 3) else 0)) % 20000 - 10000 if k in (1, 2, 3) else a - b) / scale[k]
                for one, other in zip(*words) for k, (a, b) in enumerate(zip(one[:7], other[:7])))
    check(worst < 1e-6, f"a comoving box differs by {worst} after Tipsy")
    density = struct.unpack(">f", (folder / "box.tipsy").read_bytes()[32:36])[0] * 512  # mass of the first particle (8^3 in
                                                                                        # total)
    check(abs(density - 0.308) < 1e-3, f"the mass of a box in Tipsy is Omega_m, not {density}")
    info = chamomile(folder, *"info box.tipsy --box-length 20Mpc/h --h 0.678".split())
    check(re.search(r"comoving +scale factor 0.1, Omega_m 0.308, Omega_Lambda 0.692, h 0.678", info) and "velocities read as dx/dt" in info, f"info of a box in Tipsy: {info}")
    kpc = 20000 / 0.678
    mass = 3 * 0.678**2 / (8 * math.pi * 6.672e-8) * (1e7 / 3.085678e24)**2 * (kpc * 3.085678e21)**3 / 1.989e33
    (folder / "cosmo.param").write_text(f"bPeriodic = 1\nbComove = 1\nachInFile = box.tipsy\ndHubble0 = 2.894405\ndOmega0 = 0.308\ndLambda = 0.692\ndRedTo = 8.5\ndEta = 0.175\n"
                                        f"dSoft = 0.007\ndKpcUnit = {kpc!r}\ndMsolUnit = {mass!r}\nachOutName = outcc\niOutInterval = 5\nnSteps = 10\n")
    out = chamomile(folder, "run", "--parameters", "cosmo.param")
    check(abs(float(told(out)["dMsolUnit"].split()[1]) - 0.678) < 1e-5, f"wrong h from ChaNGa's units: {told(out).get('dMsolUnit')}")
    check("h 0.678" in out and re.search("without effect here: .*nSteps", out), f"comoving run of ChaNGa's box: {out}")


def beside_it(folder):
    """Options given in addition to the file override it, and the log reports this; conflicting options are dropped."""
    out = chamomile(folder, *"run galaxy.hdf5 --parameters g2.param --t-end 0.01 --dt 0.005 --eps 0.5 -o beside".split())
    check("parameters   TimeMax: --t-end 0.02; that given beside the file holds\n" in out and "parameters   SofteningHalo: --eps 0.4; that given" in out and
          "parameters   ErrTolIntAccuracy: --eta 0.2; falls away beside --dt\n" in out, f"options in addition to the file: {out}")
    rows = energies(folder / "beside")
    check(rows[-1]["time"] == 0.01 and rows[-1]["step"] == 2 and "600 from galaxy.hdf5" in out and "parameters   InitCondFile: galaxy.gadget2; that given beside the file holds\n" in out and "eps = 0.5 kpc" in out, "options do not override the file")
    chamomile(folder, "run", "--restart", "beside", "--t-end", 0.02)
    check(energies(folder / "beside")[-1]["time"] == 0.02, "a run of a parameter file does not restart")
    (folder / "types.param").write_text(GADGET2.replace("SofteningDisk      0.4", "SofteningDisk      0.2"))
    out = chamomile(folder, *"run --parameters types.param --eps 0.3 -o types".split())
    check("parameters   SofteningHalo: --eps-type 1=0.4,2=0.2,3=0.4; falls away beside --eps\n" in out, f"softenings by type: {out}")
    out = chamomile(folder, *"run sphere.hdf5 --t-start 5 --duration 0.25 --dt 0.125 --eps 0.1 -o late".split())
    check("from 5 to 5.25" in out and energies(folder / "late")[-1]["time"] == 5.25, f"--t-start and --duration: {out}")
    for more, end in (["--t-end", 5.5], 5.5), (["--t-start", 5, "--duration", 1], 6):
        chamomile(folder, "run", "--restart", "late", *more)
        check(energies(folder / "late")[-1]["time"] == end, f"a run with --duration does not restart with {more}")
    refused(folder, 7, "--t-start: 6: cannot change in a run that goes on; it was 5", "run", "--restart", "late", "--t-start", 6, "--t-end", 7)


def published(folder):
    """GADGET-2's collision of two galaxies from GADGET-4's examples, from its parameter file: the start, and the option
    for each type.
    """
    data = ROOT.parent / "shared/data/galaxy_littleendian.dat"
    if not data.exists():
        return print("not here: GADGET-2's example")
    text = re.sub(r"InitCondFile .*", f"InitCondFile {data}", GADGET2).replace("SofteningHalo      0.4", "SofteningHalo 1.0").replace("SofteningBulge     0.4", "SofteningBulge 0")
    (folder / "collision.param").write_text(text.replace("out2/", "collision"))
    out = chamomile(folder, "run", "--parameters", "collision.param")
    check("parameters   SofteningHalo: --eps-type 1=1,2=0.4\n" in out and "units        kpc, 1e10 Msun, km/s\n" in out, f"GADGET-2's galaxies: {out}")
    check(abs(energies(folder / "collision")[-1]["energy_error"]) < 1e-3 and energies(folder / "collision")[-1]["time"] == 0.02, "GADGET-2's galaxies: wrong energies")


def refuses(folder):
    def refuse(line, text):
        (folder / "bad.param").write_text(text)
        refused(folder, 2, line, "run", "--parameters", "bad.param", "-o", "x")

    def changed(text, old, new):
        assert old in text, old
        return text.replace(old, new)

    refused(folder, 2, "--parameters: none.param: ", "run", "--parameters", "none.param", "-o", "x")
    refused(folder, 3, "nothing.dat", "run", "--parameters", "g2.param", "nothing.dat", "-o", "x")
    refused(folder, 2, "--parameters: contradicts --restart", "run", "--parameters", "g2.param", "--restart", "out2")
    for line, text in (
            ("bad.param: line 42: TimeMax: given twice, as 0.02 and 3", GADGET2 + "TimeMax 3\n"),
            ("bad.param: line 19: BoxSize: 0: contradicts PeriodicBoundariesOn", changed(GADGET2, "PeriodicBoundariesOn     0", "PeriodicBoundariesOn     1")),
            ("PeriodicBoundariesOn: 0: contradicts ComovingIntegrationOn", changed(GADGET4, "OutputListOn ", "PeriodicBoundariesOn 0\nOutputListOn ")),
            (r"--t-end: 0.02 \(19.\d+ Myr\): lies before the start at t = 5 \(4.8\d+ Gyr\)", changed(GADGET2, "TimeBegin           0.0", "TimeBegin 5")),
            ("run: --t-start: 0.2: the comoving file is of scale factor 0.1", changed(GADGET4, "TimeBegin            0.1", "TimeBegin 0.2").replace("0.11", "0.25").replace("outputs.txt", "late.txt")),
            ("--box: 100: must be the box of the file in a cosmological run, 20000", changed(GADGET4, "20000", "100")),
            ("bad.param: line 14: OutputListFilename: missing.txt: No such file", changed(GADGET4, "outputs.txt", "missing.txt")),
            ("TimeMax: never: must be a number", changed(GADGET2, "TimeMax             0.02", "TimeMax never")),
            ("bad.param: line 24: ErrTolIntAccuracy: 0: must be a number > 0", changed(GADGET2, "ErrTolIntAccuracy   0.02", "ErrTolIntAccuracy 0")),
            ("SofteningHalo: -0.4: must be a number >= 0", changed(GADGET2, "SofteningHalo      0.4", "SofteningHalo -0.4")),
            ("bad.param: line 26: MaxSizeTimestep: --dt-max: -1: must be a number > 0", changed(GADGET2, "MaxSizeTimestep     0.01", "MaxSizeTimestep -1")),
            ("bad.param: SofteningBulge: 0: there are 60 particles of type 3", changed(GADGET2, "SofteningBulge     0.4", "SofteningBulge 0")),
            ("UnitMass_in_g: missing: the three units belong together", changed(GADGET2, "UnitMass_in_g", "UnitMess_in_g")),
            ("StarformationOn: 1: is not computed: only gravity acts", GADGET2 + "StarformationOn 1\n"),
            ("TreecoolFile: TREECOOL: is not computed: only gravity acts", GADGET4 + "TreecoolFile TREECOOL\n"),
            ("BoxSize: 5: GADGET-4 is told when it is compiled", changed(GADGET4.replace("ComovingIntegrationOn    1", "ComovingIntegrationOn    0"), "20000", "5")),
            ("bad.param: line 43: Alone: must be 'key value'", GADGET2 + "\nAlone\n"),
            ("bDoGas: 1: is not computed: only gravity acts", changed(CHANGA, "bDoGas          = 0", "bDoGas = 1")),
            ("bPeriodic: 0: contradicts bComove", CHANGA + "bComove = 1\nbPeriodic = 0\n"),
            ("dKpcUnit: missing: the file does not say how large the box is", "bComove = 1\nachInFile = box.tipsy\n"),
            ("HernquistPotential:epsilon: 0.1: must be 0", SWIFT + "HernquistPotential:\n  mass: 5\n  scalelength: 3\n  epsilon: 0.1\n  useabspos: 1\n"),
            ("HernquistPotential:idealizeddisk: 1: must be 0, with mass and scalelength", SWIFT + "HernquistPotential:\n  M200: 5\n  idealizeddisk: 1\n  useabspos: 1\n"),
            ("NFWPotential:h: missing: the potential needs it", SWIFT + "NFWPotential:\n  M_200: 5\n  concentration: 10\n  useabspos: 1\n"),
            ("PointMassPotential:position: [1,2]: must be three numbers", SWIFT + "PointMassPotential:\n  mass: 5\n  position: [1,2]\n  useabspos: 1\n"),
            ("MWPotential:mass: 5: is not computed: only gravity acts", SWIFT + "MWPotential:\n  mass: 5\n"),
            ("EAGLECooling:dir_name: ./tables: is not computed: only gravity acts", SWIFT + "EAGLECooling:\n  dir_name: ./tables\n"),
            ("Cosmology:Omega_cdm: missing", SWIFT.replace("periodic:   0", "periodic: 1").replace("delta_time: 0.01", "delta_time: 1.1") + "Cosmology:\n  a_begin: 0.1\n  a_end: 1\n  h: 0.7\n"),
            ("milkyway: 500000: models are made by 'chamomile model'", "./bonsai2_slowdust --milkyway 500000 -T 10\n"),
            ("has no key of GADGET", "one two\nthree four\n"),
            ("is no parameter file of GADGET", "word\n")):
        (folder / "late.txt").write_text("0.21\n")
        refuse(line, text)
    for words, line in ((["--box-length", "20Mpc/h"], "--box-length: needs --h X"), (["--h", 0.7], "--h: needs --box-length"),
                        (["--box-length", "20", "--h", 0.7], "--box-length: 20: must be a length with a unit"), (["--box-length", "20Gyr", "--h", 0.7], "is a time: must be a length")):
        refused(folder, 2, line, "info", "box.tipsy", *words)
    refused(folder, 2, "--box-length: needs a file without units", *"info box.hdf5 --box-length 20Mpc/h --h 0.7".split())
    refused(folder, 2, "--box-length: time of the file: 0: must be a scale factor", *"info sphere.tipsy --box-length 20Mpc/h --h 0.7".split())
    refused(folder, 2, "--duration: contradicts --t-end", *"run sphere.hdf5 --t-end 1 --duration 1 --dt 0.1 --eps 0.1 -o x".split())


run_parts("parameter files say what their codes say", makes_inputs, gadget, swift, swift_potentials, changa, bonsai, nemo, comoving_tipsy, beside_it, published, refuses)
