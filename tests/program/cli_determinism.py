#!/usr/bin/env python3
"""Tests that a run's bits depend on its physics only: not on threads, batches, repetition, restarts, pictures or
measurements.
"""
import pathlib
import tempfile

from program import end, failures, run as chamomile, without_comments

COMMON = ["plummer.hdf5", "--t-end", 0.125, "--eps", 0.05, "-q"]
COMOVING = ["box.hdf5", "-q"]
SCHEMES = {
    "tree": ["--dt", 0.0078125],
    "tree, hexadecapoles in double": ["--dt", 0.0078125, "--order", 4, "--precision", "double", "--tolerance", 1e-4],
    "tree, decorrelated": ["--dt", 0.0078125, "--set", "tree.decorrelate=5", "--softening", "spline"],
    "direct": ["--dt", 0.0078125, "--solver", "direct"],
    "hermite": ["--integrator", "hermite"],
    "blocks": ["--block-steps", "--dt-max", 0.03125],
    "tree and mesh in a box": ["--dt", 0.015625, "--box", 16, "--set", "periodic.mesh=32"],
    "tree and modes in a box": ["--dt", 0.03125, "--box", 16, "--set", "periodic.long-range=modes"],
    "comoving blocks": ["--block-steps", "--z-end", 8],
}
THREADS = [["--threads", n] for n in (1, 2, 3, 4, 7, 8, 12, 16)]
WITNESSES = [[], ["--frames"], ["--check-forces", 30, "--set", "check-forces.every=3"], ["--energy-every", 0.03125], ["--set", "steps.every=5"],
             ["--checkpoint-every", 1], ["--snapshot-every", 0.0625]]
BATCHES = [["--set", f"tree.batch-size={n}"] for n in (1, 7, 300)]


def last_rows(folder, out):
    name = sorted((folder / out).glob("snapshot_*"))[-1]
    done = chamomile(folder, "convert", name, "rows.txt", "-q", "--overwrite")
    text = (folder / "rows.txt").read_text()
    return done.returncode, [line for line in text.splitlines() if line.startswith("# time")] + without_comments(text)


def main():
    runs = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        chamomile(folder, "model", "plummer", "-n", 1500, "--seed", 1, "-o", "plummer.hdf5", "-q")
        chamomile(folder, "model", "cosmology", "--n", 12, "--box", 2, "--z-start", 9, "--seed", 1, "-o", "box.hdf5", "-q")
        for scheme, words in SCHEMES.items():
            first, common = None, COMOVING if scheme == "comoving blocks" else COMMON
            # Output times shorten steps, so these witnesses apply to steps with a fixed length only.
            witnesses = [w for w in WITNESSES if scheme not in ("hermite", "blocks", "comoving blocks") or not {"--energy-every", "--snapshot-every"} & {str(word) for word in w}]
            batches = BATCHES if scheme.startswith("tree") else []
            for more in [["--threads", 2]] + THREADS + witnesses + batches:
                if "--snapshot-every" not in more:
                    more = [*more, "--snapshot-every", 0.125]
                done = chamomile(folder, "run", *common, *words, *more, "-o", "out", "--overwrite")
                status, rows = last_rows(folder, "out")
                first = first or rows
                runs += 1
                if done.returncode or status or rows != first or len(rows) < 1500:
                    failures.append(f"{scheme}, {more}: bits differ, or no result: {done.stderr}")
            # In parts, one step each, with a different number of threads each time.
            chamomile(folder, "run", *common, *words, "--snapshot-every", 0.125, "--max-walltime", 1e-4, "-o", "out", "--overwrite")
            parts = 1
            while len(list((folder / "out").glob("snapshot_*"))) < 2 and parts < 100:
                chamomile(folder, "run", "--restart", "out", "--threads", 1 + parts % 5, "-q")
                parts += 1
            runs += parts
            if parts < 2 or last_rows(folder, "out")[1] != first:
                failures.append(f"{scheme}, in {parts} parts: bits differ")
    print(f"{runs} runs")
    end("all bits are the same")


main()
