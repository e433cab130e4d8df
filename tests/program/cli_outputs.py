#!/usr/bin/env python3
"""Tests the output folder: planted links, foreign files, names with line ends, two writers at once."""
import concurrent.futures
import os
import pathlib
import stat
import subprocess
import time

from program import PROGRAM, chamomile, check, refused, run, run_parts, without_comments

NASTY = "s\n9 9 9 9\n\x1b[31m.txt"  # a name that holds a row and steers a terminal


def with_own_number(folder, before, *arguments):
    """Runs a shell line with $$ as process number, then runs the program as the same process."""
    return subprocess.run(["bash", "-c", f'{before}; exec "$0" "$@"', PROGRAM, *arguments], cwd=folder, capture_output=True, text=True, timeout=60)


def processor_seconds(process):
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) / os.sysconf("SC_CLK_TCK")


def temporary_names(folder):
    """No predictable temporary name is written to, and no existing one is removed."""
    run(folder, "model", "plummer", "-n", 200, "--seed", 1, "-o", "s.hdf5", "-q")
    for output in ("a.txt", "a.hdf5", "a.gadget2", "a.tipsy"):
        (folder / "victim").write_text("precious")
        done = with_own_number(folder, f"ln -s victim {output}.tmp.$$", "convert", "s.hdf5", output, "-q")
        check(done.returncode == 0 and (folder / output).exists(), f"{output}, a symbolic link at the temporary name: {done.stderr}")
        check((folder / "victim").read_text() == "precious" and not (folder / output).is_symlink(), f"{output}: the target of a symbolic link is changed")
        with_own_number(folder, f"rm {output}*; echo mine > {output}.tmp.$$", "convert", "s.hdf5", output, "-q")
        left = list(folder.glob(f"{output}.tmp.*"))
        check(len(left) == 1 and left[0].read_text() == "mine\n", f"{output}: a foreign file at the temporary name is changed: {left}")
        for path in left:
            path.unlink()
    old = os.umask(0o027)
    run(folder, "convert", "s.hdf5", "mode.txt", "-q")
    os.umask(old)
    check(stat.S_IMODE((folder / "mode.txt").stat().st_mode) == 0o640, "the mode of a file ignores the umask")


def same_number_twice(folder):
    """Processes in two containers may have equal numbers."""
    contained = ["unshare", "--pid", "--fork", "--mount-proc"]
    if subprocess.run([*contained, "true"], capture_output=True).returncode != 0:
        print("not tested here: two processes of one number (it takes root)")
        return
    for seed in (2, 3):
        run(folder, "model", "plummer", "-n", 4000, "--seed", seed, "-o", f"{seed}.hdf5", "-q")
        run(folder, "convert", f"{seed}.hdf5", f"{seed}.txt", "-q")

    def rows(file):  # without provenance, which names the input
        return [line for line in (folder / file).read_text().splitlines() if not line.startswith("# provenance")]

    def convert(seed):
        return subprocess.run([*contained, PROGRAM, "convert", f"{seed}.hdf5", "both.txt", "-q"], cwd=folder, capture_output=True, text=True, timeout=60)

    for _ in range(4):
        with concurrent.futures.ThreadPoolExecutor() as pool:
            done = list(pool.map(convert, (2, 3)))
        check(rows("both.txt") in (rows("2.txt"), rows("3.txt")), "two processes with equal ids: the outputs are mixed")
        for each in done:
            check(each.returncode == 0 and not each.stderr or each.returncode == 4 and len(each.stderr.splitlines()) == 1 and
                  ("exists" in each.stderr or "both.txt.tmp." in each.stderr), f"two processes with equal ids: {each.returncode} {each.stderr}")
        for path in folder.glob("both.txt*"):
            path.unlink()


def links(folder):
    (folder / "loop.txt").symlink_to("loop.txt")
    (folder / "loop").symlink_to("loop")
    (folder / "nowhere").symlink_to("none/there")
    refused(folder, 4, "loop.txt: file: Too many levels of symbolic links: cannot be created", "convert", "s.hdf5", "loop.txt", "--overwrite")
    for name in ("loop", "nowhere"):
        refused(folder, 4, f"--output: {name}: is a broken symbolic link", "run", "s.hdf5", "--t-end", 1, "--dt", 1, "--eps", 1, "-o", name)


def locks(folder):
    """A run that began where no folder was finds the results of another there."""
    run(folder, "model", "plummer", "-n", 60000, "--seed", 1, "-o", "large.hdf5", "-q")
    late = subprocess.Popen([PROGRAM, "run", "large.hdf5", "--t-end", "0", "--dt", "0.1", "--eps", "0.01", "--solver", "direct", "--precision", "double", "--threads", "1", "--device", "cpu", "--overwrite", "-o", "both"],
                           cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while late.poll() is None and processor_seconds(late) < 0.5:  # part of the time for its first forces: it has checked the
                                                                  # folder
        time.sleep(0.02)
    (folder / "both").mkdir()
    (folder / "both/snapshot_000.hdf5").write_bytes(b"of the first")
    _, errors = late.communicate(timeout=120)
    check(late.returncode == 4 and "both: folder changed by another run" in errors, f"two runs with --overwrite: {late.returncode} {errors}")
    check((folder / "both/snapshot_000.hdf5").read_bytes() == b"of the first", "two runs with --overwrite: the results of the first run are lost")


def names_in_headings(folder):
    """Table rows hold measured values for any file name."""
    def whole(text, count, columns, what):
        rows = [line.split() for line in without_comments(text) if line]
        check((count is None or len(rows) == count) and {len(row) for row in rows} == {columns} and "\x1b" not in text, f"{what}: {[len(row) for row in rows]}: {text[:300]!r}")

    (folder / NASTY).write_text("# columns: x y z mass\n1 2 3 1\n4 5 6 1\n")
    run(folder, "pairs", "--law", "gravity", "--sources", NASTY, "--no-self", "-o", "pairs.txt")
    whole((folder / "pairs.txt").read_text(), 2, 4, "pairs")
    (folder / ("law" + NASTY)).write_text("target x\nsource y\nsum s\ns += x - y\n")
    (folder / "x.txt").write_text("# columns: x y\n1 2\n3 4\n")
    whole(run(folder, "pairs", "--law", "law" + NASTY, "--sources", "x.txt").stdout, 2, 1, "a law's name")
    run(folder, "model", "cosmology", "--n", 4, "--box", 100, "--z-start", 9, "-o", "box.hdf5", "-q")
    box, table = NASTY + "box.hdf5", NASTY + "power.txt"
    (folder / "box.hdf5").rename(folder / box)
    (folder / table).write_text("".join(f"{k} {1e6 * k / (1 + (50 * k) ** 3.4)}\n" for k in (10 ** (n / 9 - 4) for n in range(60))))
    text = run(folder, "power", box, "--fits", "--linear-power", table).stdout
    whole(text, None, 10, "power")
    done = run(folder, "halos", box, "--linking-length", 2, "--min-members", 2, "-o", "halos.txt", "--mass-function", "numbers.txt", "--fits", "--linear-power", table)
    check(done.returncode == 0, f"halos: {done.stderr}")
    for name, columns in ("halos.txt", 23), ("numbers.txt", 17):
        whole((folder / name).read_text(), None, columns, name)
    run(folder, "convert", "s.hdf5", "in" + NASTY)
    run(folder, "convert", "in" + NASTY, "again.txt")
    whole((folder / "again.txt").read_text(), 200, 8, "convert")
    check(run(folder, "info", "again.txt").returncode == 0, "a text snapshot with special characters in its provenance cannot be read")
    done = run(folder, "run", "s.hdf5", "--t-end", 0.02, "--dt", 0.01, "--eps", 0.1, "-o", "out" + NASTY)
    log = (folder / ("out" + NASTY) / "run.log").read_text()
    check(done.returncode == 0 and "\n9 9 9 9" not in log and "\x1b" not in log, f"run.log: {log!r}")


def names_in_options(folder):
    (folder / "c.ini").write_text("# comment\n[output]\noutput = z#1 # another\n\teps = 0.1\t# in lengths\n")
    done = run(folder, "run", "s.hdf5", "--t-end", 0.02, "--dt", 0.01, "--config", "c.ini", "-q")
    (folder / "rows.txt").write_text("1 2 3 1\n4 5 6 1\n")
    law = run(folder, "pairs", "--law", "gravity", "--sources", "rows.txt", "--no-self", "-o", "gravity")
    check(law.returncode == 0 and (folder / "gravity").exists(), f"an output named like a built-in law: {law.stderr}")
    check(done.returncode == 0 and (folder / "z#1/run.log").exists() and not (folder / "z").exists(), f"z#1 in a file of options: {done.stderr}")


def pieces(folder):
    """Runs write the same snapshots in pieces for any number of ranks, start from the master or a piece, and remove their pieces."""
    chamomile(folder, "model", "galaxy", "-n", 2000, "-o", "g.hdf5", "--files", 3, "-q")
    chamomile(folder, "convert", "g.hdf5", "one.hdf5", "-q")
    check("2000" in chamomile(folder, "info", "g.2.hdf5") and "3 files" in chamomile(folder, "info", "g.hdf5"), "info: pieces are not read as a whole")
    words = ["--t-end", 0.02, "--dt", 0.01, "--eps", 0.1, "--snapshot-every", 0.02, "--overwrite", "-q"]
    for number, (source, *more) in enumerate([("one.hdf5",), ("g.hdf5", "--files", 2), ("g.1.hdf5", "--files", 2, "--ranks", 2)]):
        chamomile(folder, "run", source, *words, "-o", f"r{number}", *more)
        chamomile(folder, "convert", f"r{number}/snapshot_001.hdf5", f"r{number}.txt", "-q")
    rows = [[line.split()[:8] for line in without_comments((folder / f"r{number}.txt").read_text())] for number in range(3)]
    check(rows[0] == rows[1], "a run from a master is not the run from one file")
    check(sorted(rows[1], key=lambda row: int(row[7])) == sorted(rows[2], key=lambda row: int(row[7])), "a run on ranks wrote other pieces")
    names = sorted(path.name for path in (folder / "r1").glob("snapshot_*"))
    check(names == [f"snapshot_00{k}.{end}" for k in range(2) for end in ("0.hdf5", "1.hdf5", "hdf5")], f"names of pieces: {names}")
    check("wrote" in chamomile(folder, "render", "r1/snapshot_001.1.hdf5", "--size", 32, "-o", "p.png"), "render: no picture of a piece")
    refused(folder, 4, "would remove the input r1/snapshot_000.[01.]*hdf5", "run", "r1/snapshot_000.hdf5", *words, "-o", "r1")
    chamomile(folder, "run", "--restart", "r2", "--t-end", 0.04, "-q")
    check((folder / "r2/snapshot_002.1.hdf5").exists(), "a continued run writes no pieces")
    chamomile(folder, "run", "one.hdf5", *words, "-o", "r1")
    check(not list((folder / "r1").glob("snapshot_00?.?.hdf5")), "--overwrite leaves the pieces of an earlier run")
    for number in (5, 2):
        chamomile(folder, "convert", "one.hdf5", "less.hdf5", "--files", number, "--overwrite", "-q")
    check("2 files" in chamomile(folder, "info", "less.hdf5"), "a master with older pieces of higher numbers is not read")
    refused(folder, 3, "less.0.hdf5: Header/NumFilesPerSnapshot and Time: 2, 0: must be equal", "info", "less.4.hdf5")
    (folder / "g.1.hdf5").unlink()
    refused(folder, 3, "g.1.hdf5: file: missing: must exist, because the snapshot has 3 pieces", "info", "g.hdf5")
    (folder / "g.0.hdf5").rename(folder / "kept.hdf5")
    (folder / "g.1.hdf5").mkdir()
    before = sorted(path.name for path in folder.iterdir())
    refused(folder, 4, "g.1.hdf5", "convert", "one.hdf5", "g.hdf5", "--files", 3, "--overwrite")
    check(sorted(path.name for path in folder.iterdir()) == before, "an unwritable piece leaves others")


run_parts("nothing of others was touched", temporary_names, same_number_twice, links, locks, names_in_headings, names_in_options, pieces)
