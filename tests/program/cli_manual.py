#!/usr/bin/env python3
"""Tests the program's descriptions: help, manual and completion list equal options; licence, doctor, citations, and
notes printed once.
"""
import re
import shutil
import subprocess

from program import PROGRAM, ROOT, busy_cores, chamomile, check, children, refused, run, run_parts


def commands(top):
    """Returns every command and subcommand as words."""
    for name in children(chamomile(top, "--help"), "Commands"):
        yield [name]
        for child in children(chamomile(top, name, "--help"), "Models"):
            yield [name, child]


def options(text):
    return re.findall(r"^  (?:-\w, )?--([\w-]+)", text, re.M)


def help_manual_completion(top):
    (top / "man").mkdir()
    chamomile(top, "manual", "man", "-q")
    refused(top, 4, r"man/chamomile[\w-]*\.1: exists: give --overwrite", "manual", "man")
    scripts = {shell: chamomile(top, "completion", shell) for shell in ("bash", "zsh", "fish")}
    for shell, arguments in (("bash", ["-n"]), ("zsh", ["-n"]), ("fish", ["--no-execute"])):
        (top / shell).write_text(scripts[shell])
        if shutil.which(shell):
            done = subprocess.run([shell, *arguments, top / shell], capture_output=True, text=True)
            check(done.returncode == 0 and not done.stderr, f"{shell} does not read its completion: {done.stderr}")
    refused(top, 2, "SHELL: tcsh: must be one of bash, zsh, fish", "completion", "tcsh")
    pages, everything = 1, list(commands(top))
    check(["run"] in everything and ["model", "king"] in everything, f"not all commands are listed: {everything}")
    for words in everything:
        name = " ".join(words)
        common, whole = chamomile(top, *words, "--help"), chamomile(top, *words, "--help-all")
        every = options(whole)
        check(set(options(common)) <= set(every), f"{name} --help: lists more than --help-all")
        check(len(common.splitlines()) <= 70, f"{name} --help: {len(common.splitlines())} lines: at most 70")
        rare = len(every) - len(options(common))
        settings = re.findall(r"^  ([a-z-]+\.[\w-]+)", chamomile(top, *words, "--help-settings"), re.M) if "set" in every else []
        more = f"\n{rare} more options{f' and {len(settings)} settings' if settings else ''}: chamomile {name} --help-all\n"
        check((more in common) == (rare > 0), f"{name} --help: does not mention {rare} more options")
        keys = re.findall(r"^  ([\w-]+)  +(.*(?:\n    +.*)*)", whole.partition("\nSettings, by --set ")[2].partition("\n")[2], re.M)
        told = [f"{section}.{key}" for section, line in keys for key in line.replace("\n", " ").replace(" ", "").split(",")]
        check(told == settings, f"{name} --help-all: names other settings: {sorted(set(told) ^ set(settings))}")
        check("{" not in whole and (words != ["run"] or len(every) <= 80), f"{name} --help-all: {len(every)} options, or a mark of one")
        page = top / f"man/chamomile-{'-'.join(words)}.1"
        if not check(page.exists(), f"{name}: has no page of the manual"):
            continue
        pages += 1
        listed = re.findall(r"\\fB(?:-\w, )?(?:--)?([\w.-]+)\\fR", page.read_text().replace(r"\-", "-").partition(".SH OPTIONS")[2].partition(".SH SEE")[0])
        check(listed == [*every, *settings], f"{page.name}: its options are not those of --help-all: {sorted(set(listed) ^ {*every, *settings})}")
        # Bash completion after the command and "--".
        line = f'source {top}/bash; COMP_WORDS=(chamomile {name} --); COMP_CWORD={len(words) + 1}; _chamomile; echo "${{COMPREPLY[*]}}"'
        offered = subprocess.run(["bash", "-c", line], capture_output=True, text=True).stdout.split()
        check(offered == [f"--{option}" for option in every], f"bash offers other options of {name}: {sorted(set(offered) ^ {f'--{o}' for o in every})}")
        # zsh and fish completion, read from their scripts.
        part = scripts["zsh"].partition(f"    '{name}')\n")[2].partition(";;\n")[0]
        check(re.findall(r"^ +'--([\w-]+)\[", part, re.M) == every, f"zsh knows other options of {name}")
        where = f"complete -c chamomile -n '__fish_seen_subcommand_from {'; and __fish_seen_subcommand_from '.join(words)}"
        mine = re.findall(rf"^{re.escape(where)}(?:; and not [^']*)?' -l ([\w-]+)", scripts["fish"], re.M)
        check(mine == every, f"fish knows other options of {name}")
    check(len(list((top / "man").iterdir())) == pages, "the manual has pages of no command")
    line = f'source {top}/bash; COMP_WORDS=(chamomile run --softening ""); COMP_CWORD=3; _chamomile; echo "${{COMPREPLY[*]}}"'
    offered = subprocess.run(["bash", "-c", line], capture_output=True, text=True).stdout
    check(offered == "plummer spline\n", f"bash offers {offered!r} after --softening")
    line = f'source {top}/bash; COMP_WORDS=(chamomile run --set "hermite.i"); COMP_CWORD=3; _chamomile; echo "${{COMPREPLY[*]}}"'
    offered = subprocess.run(["bash", "-c", line], capture_output=True, text=True).stdout
    check(offered == "hermite.iterations=\n", f"bash offers {offered!r} after --set hermite.i")
    if shutil.which("mandoc"):
        done = subprocess.run(["mandoc", "-Tlint", "-Wwarning", *(top / "man").iterdir()], capture_output=True, text=True)
        check(done.returncode == 0, f"mandoc: {(done.stdout + done.stderr)[:500]}")


def version_and_doctor(top):
    first, licence = chamomile(top, "--version").splitlines()
    version = re.search(r"project\(chamomile VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
    check(first.startswith(f"chamomile {version}"), f"--version: {first}")
    # The licence follows from the loaded libraries.
    loaded = subprocess.run(["ldd", PROGRAM], capture_output=True, text=True).stdout
    expected = "GPL-3.0-or-later" if "libfftw3" in loaded else "Apache-2.0, with KissFFT (BSD-3-Clause)"
    check(licence.startswith(f"licence: {expected}") and licence.endswith("The sources of Chamomile are under Apache-2.0."), f"--version: {licence}")
    told = dict(re.findall(r"^(\S+(?: \S+)*?)  +(.*)$", chamomile(top, "doctor"), re.M))
    check(told["licence"] == licence.removeprefix("licence: ") and told["chamomile"] in first, f"doctor: {told}")
    for name in ("program", "compiler", "system", "processor", "instruction sets", "threads", "memory", "libraries", "GPU driver"):
        check(told.get(name), f"doctor: does not print {name}")
    check("GPU" in told or "a GPU: " in chamomile(top, "doctor"), "doctor: prints neither a GPU nor the reason for its absence")
    for library in ("Boost 1.", "HDF5 1.", "libpng 1.", "zlib 1."):
        check(library in told["libraries"], f"doctor: libraries: no {library}")
    check("MPI" in told["libraries"] if "libmpi" in loaded else "missing            MPI (" in chamomile(top, "doctor"), "doctor: does not print whether MPI is available")
    done = run(top, "doctor", env={"PATH": "/nowhere", "OMP_NUM_THREADS": "1"})
    for lacking in ("ffmpeg", "Python 3 with matplotlib"):
        check(f"missing            {lacking}" in done.stdout, f"doctor with an empty PATH: names no {lacking}")
    check("OMP_NUM_THREADS=1" in done.stdout, f"doctor with an empty PATH: {done.stdout}")
    # Waiting threads sleep soon if other programs run, unless the environment sets the wait policy.
    soon = {"GOMP_SPINCOUNT": "10000", "KMP_BLOCKTIME": "1"}
    for asked, expected in (({}, soon), ({"OMP_WAIT_POLICY": "active"},) * 2, ({"GOMP_SPINCOUNT": "7"},) * 2):
        with busy_cores():
            done = run(top, "doctor", env={"PATH": "/nowhere", "OMP_DISPLAY_ENV": "verbose"} | asked)
        named = dict(word.split("=") for word in re.findall(r"[A-Z_]+=\w+", re.search("^threads .*", done.stdout, re.M)[0]))
        check(named == expected, f"doctor with {asked}: {named}")
        spins = re.findall(r"GOMP_SPINCOUNT = '(\d+)'", done.stderr)  # value seen by libgomp, if linked
        check(not spins or spins[-1] == expected.get("GOMP_SPINCOUNT", "30000000000"), f"wrong spin count of libgomp with {asked}: {spins}")
    for words, count in ((("--ranks", 2), "10000"), (("--device", "gpu:0,1"), "10000")):
        done = run(top, "power", "absent.hdf5", *words, env={"PATH": "/nowhere", "OMP_DISPLAY_ENV": "verbose"})
        spins = re.findall(r"GOMP_SPINCOUNT = '(\d+)'", done.stderr)
        check(not spins or spins[-1] == count, f"wrong spin count of libgomp with {words}: {spins}")


METHOD = "barnes1986 barnes1990 hamada2007"
CITED = (  # command, and its expected citations
    ("", None, METHOD),
    ("run --model plummer -n 100 --eps 0.1 --dt 0.1 --t-end 0.1 -o FILE", "fixed", f"{METHOD} aarseth1974"),
    ("run --model plummer -n 100 --eps 0.1 --block-steps --softening spline --criterion relative --t-end 0.1 -o FILE", "blocks",
     f"{METHOD} monaghan1985 springel2005 quinn1997 aarseth1974"),
    ("run --model plummer -n 100 --eps 0.1 --solver direct --dt 0.1 --t-end 0.1 -o FILE", "direct", "hamada2007 aarseth1974"),
    ("run --model plummer -n 100 --eps 0 --integrator hermite --t-end 0.1 -o FILE", "stars", "hamada2007 makino1992 aarseth1974"),
    ("model merger -n 300 -o FILE", "merger.hdf5", "hernquist1990 hernquist1993 toomre1972"),
    ("run --tracers merger.hdf5 --potential point,M=1 --eps 0 --dt 0.1 --t-end 0.1 -o FILE", "tracers", f"{METHOD} hernquist1990 hernquist1993 toomre1972"),
    ("model spheres nfw,mass=10 hernquist,mass=1 -n 300 -o FILE", "spheres.hdf5", "navarro1997 hernquist1990"),
    ("model einasto -n 300 -o FILE", "king.hdf5", "einasto1965"),  # a file name is not a model
    ("run king.hdf5 --eps 0.1 --dt 0.1 --t-end 0.1 -o FILE", "after", f"{METHOD} einasto1965"),
    ("model cosmology --n 8 --box 50 --z-start 9 --seed 1 -o FILE", "ics.hdf5", "bouchet1995 eisenstein1998"),
    ("run ics.hdf5 --z-end 5 --dt 0.1 --power --halos -o FILE", "box",
     f"{METHOD} springel2005 ewald1921 hockney1981 quinn1997 bouchet1995 eisenstein1998 sefusatti2016 davis1985"),
)


def citations(top):
    every = ""
    for command, name, expected in CITED:
        if command:
            chamomile(top, *command.replace("FILE", name).split(), "-q")
        text = chamomile(top, "cite", *([name] if name else []))
        cited = re.findall(r"^@\w+\{(\w+),", text, re.M)
        check(set(cited) == {"chamomile", *expected.split()}, f"cite {name}: {cited}, not {expected}")
        for entry in re.findall(r"^@.*?^\}$", text, re.M | re.S):
            check(entry.count("{") == entry.count("}") and all(f"{field} = {{" in entry for field in ("author", "title", "year")), f"cite {name}: {entry}")
        every += "".join(entry + "\n" for entry in re.findall(r"^@.*?^\}$", text, re.M | re.S) if entry.split(",")[0] not in every)
    (top / "all.bib").write_text(every)
    if shutil.which("bibtex"):
        (top / "all.aux").write_text("\\citation{*}\n\\bibstyle{plain}\n\\bibdata{all}\n")
        done = subprocess.run(["bibtex", "all"], cwd=top, capture_output=True, text=True)
        check(done.returncode == 0 and "Warning" not in done.stdout.replace("Warning--empty", ""), f"bibtex: {done.stdout}")
    (top / "empty").mkdir()
    refused(top, 3, "empty: holds no snapshot_NNN.hdf5", "cite", "empty")
    refused(top, 3, "nothing.hdf5", "cite", "nothing.hdf5")


def notes_once(top):
    """A note repeated in several snapshots of a run is printed once."""
    for name in ("a.gadget2", "b.gadget2"):  # files without provenance
        chamomile(top, "convert", "ics.hdf5", name, "-q")
    told = re.findall("^note: .*", chamomile(top, *"render a.gadget2 b.gadget2 --size 20 -o note.png".split()), re.M)
    check(len(told) == 1 and "made peculiar" in told[0], f"render: wrong notes: {told}")


run_parts("the program says of itself what is so", help_manual_completion, version_and_doctor, citations, notes_once)
