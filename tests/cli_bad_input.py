#!/usr/bin/env python3
"""Wrong input: one line on standard error, the right exit status, and nothing created or changed."""
from bad_inputs import rows, write_inputs
from program import check, failures, refused, run_parts

USAGE, INPUT, OUTPUT, DEVICE, NUMERIC, RESTART = 2, 3, 4, 5, 6, 7

RUN = "run good.txt --t-end 0.2 --dt 0.1 --eps 0.05 -o out"
BLOCKS = "run good.txt --t-end 0.2 --block-steps --eps 0.05 -o out"
HERMITE = "run good.txt --t-end 0.2 --integrator hermite --eps 0 -o out"
START = "run {file} --t-end 0.2 --dt 0.1 --eps 0.05 -o out"

# name, command, exit status, what the line must say
CASES = [
    # The command line.
    ("unknown command", "rum good.txt", USAGE, "rum: unknown command; did you mean 'run'"),
    ("unknown letter", RUN + " -z", USAGE, "-z: unknown option"),
    ("abbreviated option", RUN + " --snap 1", USAGE, "--snap: unknown option"),
    ("no value before an option", RUN + " --theta --order 0", USAGE, "--theta: needs a value"),
    ("value for a flag", RUN + " --frames=3", USAGE, "--frames: takes no value"),
    ("hexadecimal", RUN + " --theta 0x1p-1", USAGE, "--theta: 0x1p-1: a number"),
    ("two signs", RUN + " --theta +-1", USAGE, r"--theta: \+-1: a number"),
    ("tolerance 0", RUN + " --tolerance 0", USAGE, "--tolerance: 0: a number > 0"),
    ("tolerance too large", RUN + " --tolerance 1.5", USAGE, "--tolerance: 1.5: .* <= 1"),
    ("two criteria", RUN + " --tolerance 0.01 --theta 0.5", USAGE, "run: --tolerance and --theta: give one"),
    ("two criteria, one in the file", RUN + " --tolerance 0.01 --config theta.ini", USAGE, "run: --tolerance and --theta: give one"),
    ("two criteria of one evaluation", "force good.txt --tolerance 0.01 --theta 0.5 -o f.txt", USAGE, "force: --tolerance and --theta: give one"),
    ("angle with a tolerance", RUN + " --criterion geometric --tolerance 0.01", USAGE, "run: --criterion geometric: takes --theta"),
    ("distance with a tolerance", "force good.txt --criterion minimum-distance --tolerance 0.01 -o f.txt", USAGE, "force: --criterion minimum-distance: takes --theta"),
    ("errors with an angle", RUN + " --criterion relative --theta 0.5", USAGE, "run: --criterion relative: takes --tolerance"),
    ("moments with an angle of the file", RUN + " --criterion moments --config theta.ini", USAGE, "run: --criterion moments: takes --tolerance"),
    ("criterion unknown", RUN + " --criterion moment", USAGE, "--criterion: moment: is not one of moments, relative, geometric, minimum-distance; did you mean 'moments'"),
    ("list of criteria to run by", RUN + " --criterion relative,moments", USAGE, "--criterion: relative,moments: is not one of"),
    ("local order 2", RUN + " --local-order 2", USAGE, "--local-order: 2: is not one of 0, 3, 4, 5, 6"),
    ("instruction set unknown", RUN + " --instruction-set avx513", USAGE, "--instruction-set: avx513: is not one of auto, avx512, .*did you mean 'avx512'"),
    ("nothing to tune", RUN + " --tune --group-size 64 --cluster-size 8 --leaf-size 8", USAGE, "--tune: contradicts --group-size, --cluster-size and --leaf-size"),
    ("tune with a value", RUN + " --tune=3", USAGE, "--tune: takes no value"),
    ("accuracy 0", RUN + " --accuracy 0", USAGE, "--accuracy: 0: a number from 1e-12 to 0.5"),
    ("accuracy of a word", RUN + " --accuracy fine", USAGE, "--accuracy: fine: a number"),
    ("accuracy and tolerance", RUN + " --accuracy 1e-3 --tolerance 0.01", USAGE, "run: --accuracy and --tolerance: give one"),
    ("accuracy and theta", "force good.txt --accuracy 1e-3 --theta 0.5 -o f.txt", USAGE, "force: --accuracy and --theta: give one"),
    ("accuracy and theta in the file", RUN + " --accuracy 1e-3 --config theta.ini", USAGE, "run: --accuracy and --theta: give one"),
    ("accuracy and tuning", RUN + " --accuracy 1e-3 --tune", USAGE, "run: --accuracy and --tune: give one"),
    ("accuracy beyond float", RUN + " --accuracy 1e-9 --precision float", USAGE, "run: --accuracy 1e-09: needs --precision double"),
    ("percentile 100", RUN + " --accuracy 1e-3 --accuracy-percentile 100", USAGE, "--accuracy-percentile: 100: .* <= 99.9"),
    ("accuracy checked every -1", RUN + " --accuracy 1e-3 --accuracy-every -1", USAGE, "--accuracy-every: -1: a whole number >= 0"),
    ("force checks of half a particle", RUN + " --check-forces 0.5", USAGE, "--check-forces: 0.5: a whole number"),
    ("no steps between force checks", RUN + " --check-forces 10 --check-forces-every 0", USAGE, "--check-forces-every: 0: a whole number >= 1"),
    ("decorrelated by a word", RUN + " --decorrelate yes", USAGE, "--decorrelate: yes: a whole number >= 0"),
    ("no steps between lines", RUN + " --steps-every 0", USAGE, "--steps-every: 0: a whole number >= 1"),
    ("number beyond a double", RUN + " --G 1e400", USAGE, "--G: 1e400: a number > 0"),
    ("G 0", RUN + " --G 0", USAGE, "--G: 0: a number > 0"),
    ("eta 0", "run good.txt --t-end 0.2 --adaptive --eta 0 --eps 0.05 -o out", USAGE, "--eta: 0: a number > 0"),
    ("dt-min above dt-max", "run good.txt --t-end 1 --adaptive --dt-min 0.1 --dt-max 0.01 --eps 0.05 -o out", USAGE, "--dt-min: 0.1: is larger than --dt-max 0.01"),
    ("adaptive without softening", "run good.txt --t-end 0.2 --adaptive --eps 0 -o out", USAGE, "run: --adaptive: the criterion 'softening' needs a softening length > 0"),
    ("interval 0", RUN + " --snapshot-every 0", USAGE, "--snapshot-every: 0: a number > 0"),
    ("order 1", RUN + " --order 1", USAGE, "--order: 1: is not one of 0, 2, 3, 4"),
    ("fraction of a particle", "run --model plummer -n 10.5 --t-end 1 --dt 1 --eps 1 -o out", USAGE, "--particles: 10.5: a whole number from 1"),
    ("no particles", "run --model plummer -n 0 --t-end 1 --dt 1 --eps 1 -o out", USAGE, "--particles: 0: a whole number from 1"),
    ("unknown model", "run --model plumer --t-end 1 --dt 1 --eps 1 -o out", USAGE, "--model: plumer: .*did you mean 'plummer'"),
    ("model and file", RUN + " --model plummer", USAGE, "--model: contradicts the file good.txt"),
    ("unknown solver", RUN + " --solver tre", USAGE, "--solver: tre: .*did you mean 'tree'"),
    ("unknown softening", RUN + " --softening cubic", USAGE, "--softening: cubic: is not one of plummer, spline"),
    ("quiet and verbose", RUN + " -q -v", USAGE, "--quiet: contradicts --verbose"),
    ("one argument too many", RUN + " other.txt", USAGE, "other.txt: one argument too many"),
    ("no softening anywhere", "run good.txt --t-end 0.2 --dt 0.1 -o out", USAGE, r"--eps: not given, and good.txt states no softening; .*--eps \d+(\.\d+)? would do"),
    ("empty file name", ["run", "", "--t-end", "1"], USAGE, r"FILE: \(empty\)"),
    ("info without a file", "info", USAGE, "info: missing: FILE"),
    # The configuration file.
    ("config no assignment", RUN + " --config words.ini", USAGE, "words.ini: line 1: just words: 'name = value' is needed"),
    ("config value wrong", RUN + " --config wrong.ini", USAGE, "wrong.ini: theta: -3: a number > 0"),
    # The Hermite scheme.
    ("scheme unknown", RUN + " --integrator hermit", USAGE, "--integrator: hermit: is not one of leapfrog, hermite; did you mean 'hermite'"),
    ("resident on a CPU", RUN + " --resident --device cpu", DEVICE, "resident: needs a GPU"),
    ("hermite with a tree", HERMITE + " --solver tree", USAGE, "run: --solver tree: hermite sums directly"),
    ("hermite with an angle of the file", HERMITE + " --config theta.ini", USAGE, "run: --theta: is for trees"),
    ("hermite with a spline", HERMITE + " --softening spline", USAGE, "run: --softening spline: hermite knows Plummer softening alone"),
    ("hermite with a spline of the file", HERMITE.replace("good.txt", "spline.txt").replace("--eps 0 ", ""), USAGE, "run: --softening spline: hermite knows Plummer softening alone"),
    ("no iteration", HERMITE + " --iterations 0", USAGE, "--iterations: 0: a whole number from 1 to 10"),
    ("hermite, eta of the start a word", HERMITE + " --eta-start small", USAGE, "--eta-start: small: a number > 0"),
    ("too many rungs", BLOCKS + " --rungs 41", USAGE, "--rungs: 41: a whole number from 0 to 40"),
    ("half a rung", BLOCKS + " --rungs 1.5", USAGE, "--rungs: 1.5"),
    ("no such criterion of steps", BLOCKS + " --step-criterion speed", USAGE, "--step-criterion: speed"),
    ("a criterion by a softening that is none", BLOCKS.replace("0.05", "0") + " --step-criterion softening", USAGE,
     "run: --block-steps: the criterion 'softening' needs a softening length > 0"),
    ("blocks of a tree, never built", BLOCKS + " --rebuild-above -1", USAGE, "--rebuild-above: -1"),
    ("hermite without softening, from nowhere", "run good.txt --t-end 0.2 --integrator hermite -o out", USAGE, "--eps: not given, and good.txt states no softening"),
    ("hermite at one place", HERMITE.replace("good.txt", "coincident.txt"), INPUT, "particles with ids 1 and 2: position: the same at t = 0"),
    ("hermite, forces beyond a double", HERMITE.replace("good.txt", "heavy.txt"), NUMERIC, "particle id 1: acceleration or jerk: is no longer a finite number in step 0"),
    # The device.
    ("device unknown", RUN + " --device tpu", USAGE, "device: tpu: must be auto, cpu, gpu"),
    ("device number wrong", RUN + " --device gpu:x", USAGE, "device: gpu:x: must be"),
    # The initial conditions.
    ("no words as numbers", START.format(file="words.ini"), INPUT, "words.ini: line 1: 2 columns"),
    ("HDF5 cut in the header", START.format(file="stub.hdf5"), INPUT, r"stub.hdf5: size: \d+ bytes: truncated: the file states \d+ bytes"),
    ("width of pictures 0", RUN + " --frames --frame-width 0", USAGE, "--frame-width: 0: a number > 0"),
    ("a file that repels", START.format(file="repel.txt"), INPUT, "repel.txt: line 1, G: -1: a number > 0 is needed"),
    ("HDF5 with a wrong bit", "info flipped.hdf5", INPUT, "flipped.hdf5: "),
    ("text named HDF5", "info garbage.hdf5", INPUT, "garbage.hdf5: format: no HDF5, in spite of the name"),
    ("an empty checkpoint", "run --restart empty.txt", RESTART, "empty.txt: size: 0 bytes: the file is empty"),
    ("a box larger than all fits", "model cosmology --box 1e9 --n 8 -o x.hdf5", USAGE, "error: box: the transfer function's fit: k from 1e-05 to 100000 h/Mpc: 6.28.*e-09 to .* are needed"),
    ("a box beyond doubles", "power good.txt --box 1e-300", USAGE, "--box: 1e-300: a number from 1e-100 to"),
    ("no type of that name", "halos good.txt --types disc", USAGE, "--types: disc: is not one of 0, .*, boundary; did you mean 'disk'"),
    ("types with a gap", "halos good.txt --types 1,,2", USAGE, r"--types: \(empty\): is not one of 0"),
    ("a type that is not there", "halos good.txt --types disk", INPUT, r"particles: none of the chosen types, of 1 \(halo\): nothing to look at"),
    ("convert to an unknown format", "convert good.txt good.xyz", USAGE, "good.xyz: extension"),
    # The other commands.
    ("model without a name", "model", USAGE, "model: missing: MODEL"),
    ("model unknown", "model plumer -n 10 -o x.hdf5", USAGE, "plumer: unknown model; did you mean 'plummer'"),
    ("model of no particles", "model plummer -n 0 -o x.hdf5", USAGE, "--particles: 0: a whole number >= 1"),
    ("model of unknown format", "model plummer -n 10 -o x.xyz", USAGE, "x.xyz: extension"),
    ("model without output", "model plummer -n 10", USAGE, "missing: --output FILE"),
    ("picture of nothing", "render missing.txt -o a.png", INPUT, "missing.txt: file: No such file"),
    ("picture without pixels", "render good.txt -o a.png --size 0", USAGE, "--size: 0: a whole number from 16"),
    ("picture of another format", "render good.txt -o a.jpg", USAGE, "a.jpg: extension: '.jpg': must be .png"),
    ("picture without extension", "render good.txt -o picture", USAGE, "picture: extension: '': must be .png"),
    ("forces, eps negative", "force good.txt --eps -1 -o f.txt", USAGE, "--eps: -1: a number >= 0"),
    ("forces at one place", "force coincident.txt -o f.txt", INPUT, "ids 1 and 2: position"),
    ("forces on nothing", "force comments.txt -o f.txt", INPUT, "comments.txt: particles: 0"),
    ("forces from nan", "force nan.txt -o f.txt", INPUT, "position y: nan"),
    ("forces without output", "force good.txt", USAGE, "missing: --output FILE"),
    ("forces over a file", "force good.txt -o good.hdf5", OUTPUT, "good.hdf5: exists"),
    ("list with a word", "accuracy good.txt --theta 0.4,x", USAGE, "--theta: x: a number > 0"),
    ("list with a gap", "accuracy good.txt --theta 0.4,,0.6", USAGE, r"--theta: \(empty\): a number > 0"),
    ("criteria with an unknown one", "accuracy good.txt --criterion relative,momentts", USAGE, "--criterion: momentts: is not one of .*did you mean 'moments'"),
    ("criteria with a gap", "accuracy good.txt --criterion relative,,moments", USAGE, "--criterion: relative,,moments: a name is missing"),
    ("angles that no criterion takes", "accuracy good.txt --criterion relative,moments --theta 0.5", USAGE, "accuracy: --theta: no --criterion of the list takes it"),
    ("tolerances that no criterion takes", "bench good.txt --criterion geometric,minimum-distance --tolerance 0.1", USAGE, "bench: --tolerance: no --criterion of the list takes it"),
    ("one criterion, the other's value", "accuracy good.txt --criterion geometric --tolerance 0.01", USAGE, "accuracy: --tolerance: no --criterion of the list takes it"),
    ("no sample", "accuracy good.txt --sample 0", USAGE, "--sample: 0: a whole number >= 1"),
    ("multipoles of order 1", "accuracy good.txt --order 1", USAGE, "--order: 1: is not one of 0, 2, 3, 4"),
    ("multipoles of order 5", "accuracy good.txt --order 0,5", USAGE, "--order: 5: is not one of 0, 2, 3, 4"),
    ("accuracy of nothing", "accuracy missing.txt", INPUT, "missing.txt: file: No such file"),
    ("accuracy over a file", "accuracy good.txt --csv good.hdf5", OUTPUT, "good.hdf5: exists"),
    ("accuracy into no folder", "accuracy good.txt --csv none/e.csv", OUTPUT, "none/e.csv: .*does not exist"),
    ("accuracy at one place", "accuracy coincident.txt --csv e.csv", INPUT, "ids 1 and 2: position"),
    ("accuracy without particles", "accuracy", USAGE, "accuracy: missing: FILE or --model MODEL"),
    ("accuracy, model unknown", "accuracy --model plummer,herquist", USAGE, "--model: herquist: .*did you mean 'hernquist'"),
    ("accuracy, model missing", "accuracy --model plummer,", USAGE, "--model: plummer,: a name is missing"),
    ("accuracy, numbers with a gap", "accuracy --model cube -n 100,,200", USAGE, r"--particles: \(empty\): a whole number"),
    ("accuracy, eps with a gap", "accuracy good.txt --eps 0.1,,0.2", USAGE, r"--eps: \(empty\): a number >= 0"),
    ("accuracy, eps negative", "accuracy good.txt --eps 0.1,-1", USAGE, "--eps: -1: a number >= 0"),
    ("accuracy, solver unknown", "accuracy good.txt --solver tree,dirct", USAGE, "--solver: dirct: .*did you mean 'direct'"),
    ("accuracy, precision unknown", "accuracy good.txt --precision half", USAGE, "--precision: half: is not one of float, double"),
    ("accuracy, reference unknown", "accuracy good.txt --reference tpu", USAGE, "--reference: tpu: is not one of auto, cpu, gpu"),
    ("accuracy, no repetition", "accuracy good.txt --repeat 0", USAGE, "--repeat: 0: a whole number from 1"),
    ("accuracy, HDF5 over a file", "accuracy good.txt --hdf5 good.hdf5", OUTPUT, "good.hdf5: exists"),
    ("accuracy, HDF5 into no folder", "accuracy good.txt --hdf5 none/e.hdf5", OUTPUT, "none/e.hdf5: .*does not exist"),
    ("accuracy, HDF5 a folder", "accuracy good.txt --hdf5 folder --overwrite", OUTPUT, "folder: is a folder"),
    ("accuracy, HDF5 not writable", "accuracy good.txt --eps 0.1 --sample 3 --tolerance 0.01 -q --hdf5 /proc/e.hdf5", OUTPUT, "/proc/e.hdf5"),
    ("accuracy, one file for both", "accuracy good.txt --csv e --hdf5 e", USAGE, "--hdf5: e: is the file of --csv"),
    ("NFW, concentration 0", "model nfw -c 0 -o x.hdf5", USAGE, "--concentration: 0: a number from 1 to 100"),
    ("accuracy of a cut file", "accuracy cut.tipsy --csv e.csv", INPUT, r"cut.tipsy: size: \d+ bytes: truncated"),
    ("accuracies with a word", "bench -n 10 --accuracy 1e-3,x", USAGE, "--accuracy: x: a number from 1e-12"),
    ("bench, accuracy and tolerance", "bench -n 10 --accuracy 1e-3 --tolerance 0.1", USAGE, "bench: --accuracy and --tolerance: give one"),
    ("bench, accuracy and tuning", "bench -n 10 --accuracy 1e-3 --tune", USAGE, "bench: --accuracy and --tune: give one"),
    ("accuracy, accuracy and theta", "accuracy good.txt --accuracy 1e-3 --theta 0.5", USAGE, "accuracy: --accuracy and --theta: give one"),
    ("bench of no particles", "bench -n 0", USAGE, "--particles: 0: a whole number from 1"),
    ("bench without repetition", "bench good.txt --repeat 0", USAGE, "--repeat: 0: a whole number from 1 to 1000"),
    ("bench, sample negative", "bench good.txt --sample -1", USAGE, "--sample: -1: a whole number >= 0"),
    ("bench, theta 0", "bench good.txt --theta 0.5,0", USAGE, "--theta: 0: a number > 0"),
    ("bench, tolerance with a word", "bench --tolerance 0.01,x", USAGE, "--tolerance: x: a number > 0"),
    ("bench, tolerances with a gap", "bench --tolerance 0.01,", USAGE, r"--tolerance: \(empty\): a number > 0"),
    ("bench, local order 2", "bench -n 10 --local-order 0,2", USAGE, "--local-order: 2: is not one of 0, 3, 4, 5, 6"),
    ("bench, group size negative", "bench --group-size 64,-1", USAGE, "--group-size: -1: a whole number from 0"),
    ("bench, leaf size no number", "bench --leaf-size 8,l6", USAGE, "--leaf-size: l6: a whole number"),
    ("bench, device unknown", "bench -n 10 --device cpu,tpu", USAGE, "device: tpu: must be auto, cpu"),
    ("bench, device missing", "bench -n 10 --device cpu,,cpu", USAGE, "--device: cpu,,cpu: a name is missing"),
    ("bench on an absent GPU", "bench -n 10 --device cpu,gpu:99", DEVICE, "device: gpu:99"),
    ("bench, instruction set unknown", "bench -n 10 --instruction-set avx2,sse", USAGE, "--instruction-set: sse: is not one of"),
    ("bench, no threads", "bench -n 10 --threads 1,0", USAGE, "--threads: 0: a whole number from 1 to 4096"),
    ("bench, model unknown", "bench --model plumer", USAGE, "--model: plumer: .*did you mean 'plummer'"),
    ("bench, nothing to tune", "bench --tune --group-size 64 --cluster-size 8 --leaf-size 8", USAGE, "--tune: contradicts --group-size"),
    ("bench over a file", "bench good.txt --csv empty.txt", OUTPUT, "empty.txt: exists"),
    ("devices of a file", "devices good.txt", USAGE, "good.txt: one argument too many"),
    ("bench of nothing", "bench missing.txt", INPUT, "missing.txt: file: No such file"),
    ("letters for a number", "info letters.txt", INPUT, r"letters.txt: line 2, column 3 \(y\): zero: must be a number"),
    ("info of a pipe", "info pipe", INPUT, "pipe: file: not a regular file"),
    ("convert to nothing", "convert good.txt", USAGE, "OUT"),
    ("convert to a folder", "convert good.txt folder --overwrite", USAGE, "folder: extension"),
    ("convert over a file", "convert good.txt good.hdf5", OUTPUT, "good.hdf5: exists"),
    ("convert nan", "convert nan.txt x.hdf5", INPUT, "position y: nan"),
    # The output folder.
    ("folder below a file", "run good.txt --t-end 0.2 --dt 0.1 --eps 0.05 -o good.txt/out", OUTPUT, "--output: good.txt/out: .*is a file"),
    ("input among the replaced", "run done/snapshot_000.hdf5 --t-end 0.2 --dt 0.1 --eps 0.05 -o done --overwrite", OUTPUT, "--overwrite would remove the input"),
]


def every_case(folder):
    write_inputs(folder)
    plain = rows(20)
    for name, text in {"letters.txt": "1 0 0 0\n1 0 zero 0\n", "heavy.txt": "1e300 0 0 0 0 0 0 1\n1e300 1e-200 0 0 0 0 0 2\n", "repel.txt": "# G: -1\n" + plain,
                       "spline.txt": "# softening_length: 0.05\n# softening_kind: spline\n" + plain, "garbage.hdf5": "garbage\n", "words.ini": "just words\n",
                       "theta.ini": "theta = 0.5\n", "wrong.ini": "theta = -3\n"}.items():
        (folder / name).write_text(text)
    whole = bytearray((folder / "good.hdf5").read_bytes())
    (folder / "stub.hdf5").write_bytes(whole[:len(whole) // 200])
    whole[135] ^= 0xff
    (folder / "flipped.hdf5").write_bytes(whole)
    for _, command, status, pattern in CASES:
        refused(folder, status, pattern, *(command.split() if isinstance(command, str) else command))
    # The checks themselves: a command that works must not pass as an error.
    before = len(failures)
    refused(folder, USAGE, "", *RUN.split(), "-q")
    found, failures[before:] = len(failures) - before, []
    check(found == 3 and (folder / "out/snapshot_000.hdf5").exists(), "a good command was taken for a bad one, or did nothing")


run_parts(f"{len(CASES)} commands are refused in one line", every_case)
