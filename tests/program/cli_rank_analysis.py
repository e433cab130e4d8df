#!/usr/bin/env python3
"""Tests that power spectra, halos, profiles, pictures and snapshots in pieces of runs and commands on several ranks (threads
or MPI processes) have the bytes of one rank, and that initial conditions have its bits.
"""
import pathlib
import resource
import tempfile

from processes import MPIRUN, own_lines, processes, results
from program import PROGRAM, as_text, chamomile, check, end, need, refused, run

need("h5py")
import h5py  # noqa: E402


def tables(folder, out):
    return {p.name: p.read_bytes() for kind in ("power", "halos", "mass_function", "profile") for p in sorted((folder / out).glob(kind + "_*"))}


def runs(folder):
    chamomile(folder, "model", "cosmology", "--n", 16, "--box", 3, "--seed", 3, "-o", "box.hdf5", "-q")
    words = ["run", "box.hdf5", "--cosmology", "--z-end", 3, "--outputs-z", 9, "--power", "--halos", "--set", "halos.min-members=4", "-q", "--overwrite"]
    chamomile(folder, *words, "-o", "one")
    one = tables(folder, "one")
    check(len(one) == 9, f"the run wrote {sorted(one)}")
    check((folder / "one/mass_function_002.txt").read_text().count("\n") > 6, "the box has too few halos for this test")
    for number in (1, 3, 7):
        chamomile(folder, *words, "-o", "out", "--ranks", number, "--threads", 4)
        check(tables(folder, "out") == one, f"--ranks {number}: spectra or halos differ from one rank")
    chamomile(folder, *words, "-o", "out", "--ranks", 3, "--max-walltime", 1e-4)
    chamomile(folder, "run", "--restart", "out", "-q", "--ranks", 2, "--max-walltime", 1000)
    check(tables(folder, "out") == one, "a restart on another number of ranks: spectra or halos differ")
    if MPIRUN:
        status, _, err = processes(folder, 3, *words, "-o", "out")
        check(status == 0 and not own_lines(err), f"3 processes: status {status}: {err}")
        check(tables(folder, "out") == one, "3 processes: spectra or halos differ from one rank")


def commands(folder):
    chamomile(folder, "convert", "one/snapshot_002.hdf5", "box.gadget2", "-q")
    chamomile(folder, "model", "galaxy", "-n", 4000, "--seed", 4, "-o", "galaxy.hdf5", "-q")
    chamomile(folder, "convert", "galaxy.hdf5", "galaxy.txt", "-q")

    def rows(name):
        return [line for line in (folder / name).read_text().splitlines() if not line.startswith("# halos") and "chamomile" not in line]

    for what, words in [
            ("power", ["power", "one/snapshot_002.hdf5", "--fold", 2]),
            ("power of GADGET-2", ["power", "box.gadget2", "--linear"]),
            ("power of some types", ["power", "galaxy.hdf5", "--box", 50, "--types", "disk,bulge"]),
            ("halos", ["halos", "one/snapshot_002.hdf5", "--min-members", 3, "--overdensity", "100,500"]),
            ("halos of isolated particles", ["halos", "galaxy.hdf5", "--length", 0.2, "--min-members", 5]),
            ("halos of some types", ["halos", "galaxy.hdf5", "--box", 50, "--length", 0.2, "--types", "disk,bulge"]),
            ("halos of text", ["halos", "galaxy.txt", "--length", 0.3])]:
        chamomile(folder, *words, "-o", "one.txt", "--overwrite", "-q")
        one = rows("one.txt")
        check(len(one) > 5, f"{what}: the table is empty")
        for number in (2, 7):
            chamomile(folder, *words, "-o", "out.txt", "--overwrite", "-q", "--ranks", number, "--threads", 2)
            check(rows("out.txt") == one, f"{what}: --ranks {number}: the table differs from one rank")
        if MPIRUN:
            status, _, err = processes(folder, 2, *words, "-o", "out.txt", "--overwrite", "-q")
            check(status == 0 and not own_lines(err), f"{what}: 2 processes: status {status}: {err}")
            check(rows("out.txt") == one, f"{what}: 2 processes: the table differs from one rank")
    refused(folder, 2, "linking length: 30: must be at most half the side", "halos", "galaxy.hdf5", "--box", 50, "--length", 30, "--ranks", 3)
    refused(folder, 2, "ranks.peer-timeout: needs --ranks", "power", "box.gadget2", "--set", "ranks.peer-timeout=3")
    refused(folder, 3, "absent.hdf5: file: No such file", "halos", "absent.hdf5", "--length", 1, "--ranks", 3)


def catalogues(folder):
    """Catalogues on ranks have the members of one rank, by ids that are not row numbers."""
    with h5py.File(folder / "galaxy.hdf5", "r+") as file:
        for group in file.values():
            if "ParticleIDs" in group:
                group["ParticleIDs"][:] = 5 * (9000 - group["ParticleIDs"][:])

    def data(name):
        with h5py.File(folder / name) as file:
            return {f"{group}/{column}": values[:].tobytes() for group in ("Group", "IDs") for column, values in file[group].items()}

    for words in (["--types", "disk,bulge"], []):
        words = ["halos", "galaxy.hdf5", "--box", 50, "--length", 0.2, *words, "--overwrite", "-q"]
        chamomile(folder, *words, "-o", "one.hdf5")
        one = data("one.hdf5")
        check(len(one["IDs/ID"]) > 100, "the catalogue has too few members")
        for number in (1, 2, 7):
            chamomile(folder, *words, "-o", "out.hdf5", "--ranks", number)
            check(data("out.hdf5") == one, f"{words}: --ranks {number}: the catalogue differs from one rank's")


def pictures(folder):
    galaxy = ["run", "galaxy.hdf5", "--eps", 0.05, "--dt", 0.015625, "--t-end", 0.0625, "--snapshot-every", 0.0625, "--set", "frames.every=0.03125", "--frames", "--profile"]
    box = ["run", "box.hdf5", "--cosmology", "--z-end", 9, "--frames"]
    for what, words, view in [
            ("components", galaxy, ["components", "types=halo,disk,bulge", "inclination=70"]),
            ("velocity", galaxy, ["quantity=velocity", "inclination=90", "follow=densest", "mark=center"]),
            ("dispersion", galaxy, ["quantity=dispersion", "types=halo", "slice=2", "orbit=4"]),
            ("potential", galaxy, ["quantity=potential", "follow=bulge", "mark=halo"]),
            ("a slice of a box", box, ["inclination=20", "slice=500"]),
            ("velocity in a box", box, ["quantity=velocity", "fov=4500", "follow=densest"])]:
        words = [*words, *(word for one in [*view, "size=64"] for word in ("--set", "frames." + one)), "-q", "--overwrite"]
        chamomile(folder, *words, "-o", "one")
        one, profiles = results(folder, "one")[1], tables(folder, "one")
        check(len(profiles) == (2 if "--profile" in words else 0), f"{what}: the run wrote {sorted(profiles)}")
        check(len(one) > 2 and len(set(one.values())) > 1, f"{what}: the run drew {sorted(one)}")
        chamomile(folder, *words, "-o", "out", "--ranks", 3, "--threads", 4)
        check(results(folder, "out")[1] == one, f"{what}: --ranks 3: pictures differ from one rank")
        check(tables(folder, "out") == profiles, f"{what}: --ranks 3: profiles differ from one rank")
        if MPIRUN:
            status, _, err = processes(folder, 3, *words, "-o", "out")
            check(status == 0 and not own_lines(err), f"{what}: 3 processes: status {status}: {err}")
            check(results(folder, "out")[1] == one, f"{what}: 3 processes: pictures differ from one rank")
    chamomile(folder, *words, "-o", "out", "--ranks", 3, "--max-walltime", 1e-4)
    chamomile(folder, "run", "--restart", "out", "-q", "--ranks", 2, "--max-walltime", 1000)
    check(results(folder, "out")[1] == one, "a restart on another number of ranks: pictures differ")
    for number in (1, 2):
        refused(folder, 3, "view: no particles", *galaxy, "--set", "frames.center=99,0,0", "--set", "frames.fov=1", "-o", "none", "--ranks", number)


def models(folder):
    def written(*words):
        chamomile(folder, "convert", *words, "made.txt", "--overwrite", "-q")
        return [line for line in (folder / "made.txt").read_text().splitlines() if not line.startswith("#")]

    for load in (["--load", "grid", "--lpt", 1], ["--Mpc"], ["--load", "glass", "--glass", 6]):
        words = ["model", "cosmology", "--n", 12, "--box", 50, "--seed", 2, *load, "-q", "--overwrite", "-o"]
        chamomile(folder, *words, "ics.hdf5")
        one = written("ics.hdf5")
        check(len(one) == 12**3, f"{load}: {len(one)} particles")
        for number in (1, 3, 7):
            chamomile(folder, *words, "ics.hdf5", "--ranks", number)
            check(written("ics.hdf5") == one, f"{load}: --ranks {number}: the particles differ from one rank")
        if MPIRUN:
            status, _, err = processes(folder, 2, *words, "ics.hdf5")
            check(status == 0 and not own_lines(err), f"{load}: 2 processes: status {status}: {err}")
            check(written("ics.hdf5") == one, f"{load}: 2 processes: the particles differ from one rank")
    table = folder / "table.txt"
    table.write_text("".join(f"{k:.6g} {1e4 * k / (1 + (k / 0.02)**2)**1.8:.6g}\n" for k in (10**(-4 + 0.05 * i) for i in range(121))))
    words = ["model", "cosmology", "--n", 6, "--box", 50, "--transfer", "power-table", "--table", "table.txt", "-q", "--overwrite", "-o", "ics.hdf5"]
    chamomile(folder, *words)
    one = written("ics.hdf5")
    chamomile(folder, *words, "--ranks", 7)
    check(written("ics.hdf5") == one, "from a table: the particles differ from one rank")
    refused(folder, 2, "--output: new.txt: must be .hdf5 or .h5 on several ranks", "model", "cosmology", "--n", 4, "-o", "new.txt", "--ranks", 2)
    refused(folder, 2, "glass: 5: must divide", "model", "cosmology", "--n", 4, "-o", "new.hdf5", "--load", "glass", "--glass", 5, "--ranks", 2)
    chamomile(folder, "run", "ics.hdf5", "--cosmology", "--z-end", 40, "-o", "from", "-q", "--ranks", 2)


def pieces(folder):
    """Ranks write the files of one rank. A piece that does not fit ends the run in one line; a rank in another folder leaves all to rank 0."""
    words = ["run", "galaxy.hdf5", "--dt", 0.01, "--eps", 0.05, "--t-end", 0.02, "--snapshot-every", 0.02, "-q", "--overwrite"]

    def files(out):
        return {p.name: p.read_bytes() for p in sorted((folder / out).iterdir()) if "snapshot" in p.name}

    def texts(out):
        return [as_text(folder, f"{out}/snapshot_00{k}.hdf5") for k in range(2)]

    for number in (1, 2, 5):
        chamomile(folder, *words, "-o", "one", "--files", number)
        one, names = texts("one"), sorted(files("one"))
        check(len(names) == (2 if number == 1 else 2 * (number + 1)), f"--files {number}: {names}")
        for ranks in (1, 2, 3):
            chamomile(folder, *words, "-o", "out", "--files", number, "--ranks", ranks)
            check(texts("out") == one and sorted(files("out")) == names, f"--files {number} --ranks {ranks}: other snapshots than one rank's")
            if MPIRUN:
                status, _, err = processes(folder, ranks, *words, "-o", "out", "--files", number)
                check(status == 0 and not own_lines(err), f"{ranks} processes: status {status}: {err}")
                check(texts("out") == one and sorted(files("out")) == names, f"--files {number}: {ranks} processes: other snapshots than one rank's")
    chamomile(folder, "model", "cosmology", "--n", 8, "--box", 50, "-o", "ics.hdf5", "--overwrite", "--files", 2, "-q")
    one = as_text(folder, "ics.hdf5")
    chamomile(folder, "model", "cosmology", "--n", 8, "--box", 50, "-o", "ics.hdf5", "--overwrite", "--files", 3, "--ranks", 2, "-q")
    check(as_text(folder, "ics.hdf5") == one, "initial conditions of ranks in pieces differ from one rank's")

    chamomile(folder, "model", "plummer", "-n", 901, "-o", "sphere.hdf5", "-q")
    sphere = ["run", "sphere.hdf5", *words[2:], "--files", 3]
    room = int(300 * 96 * 1.01) + 6 * 2**12 + 2**17  # for 300 particles in 6 columns; piece 2 of 3 has 301
    done = run(folder, *sphere, "-o", "none", "--ranks", 3, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room)))
    check(done.returncode == 4 and done.stderr.count("\n") == 1 and "snapshot_000.2.hdf5: file: File too large" in done.stderr, f"no room on rank 2: {done}")
    check(not files("none"), f"no room on rank 2: left {sorted(files('none'))}")
    if MPIRUN:
        written = []
        for line, status in (("ulimit -f 8", 4), ("cd /", 0), ("true", 0)):
            other = folder / "other"
            other.write_text(f'#!/bin/bash\n[ "$OMPI_COMM_WORLD_RANK$PMI_RANK" = 2 ] && {line}\nexec {PROGRAM} "$@"\n')
            other.chmod(0o755)
            found, _, err = processes(folder, 3, *sphere, "-o", "there", program=other)
            check(found == status and len(own_lines(err)) == (status > 0), f"rank 2 with {line}: status {found}: {err}")
            written.append(files("there"))
        check([len(names) for names in written] == [0, 8, 8], f"rank 2 with another room or folder: {written}")
        check(written[1] == written[2], "pieces that rank 0 writes differ from those that ranks write")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        runs(folder)
        commands(folder)
        catalogues(folder)
        pictures(folder)
        models(folder)
        pieces(folder)
    end("spectra, halos, profiles, pictures, pieces and initial conditions on ranks are those of one rank")


main()
