#!/usr/bin/env python3
"""Compares hierarchical steps with an independent integrator by recursion, and tests their options and restarts."""
import re

from program import as_text, chamomile, check, need, run_parts

need("numpy")
import numpy as np  # noqa: E402

EPS, ETA, LONGEST, END = 0.01, 0.1, 0.125, 0.5
RUNGS = 16


class Recursion:
    """Springel et al. (2021), section 4: particles with steps of a level and shorter, evolved by calls of itself."""

    def __init__(self, rows):
        self.mass, self.x, self.v = rows[:, 0], rows[:, 1:4].copy(), rows[:, 4:7].copy()
        self.everybody = np.arange(len(rows))
        self.level = np.zeros(len(rows), int)
        self.full = self.pull(self.everybody)
        self.wanted, self.measured = self.criterion(self.everybody), self.criterion(self.everybody)
        self.steps = 0

    def pull(self, those):
        """Accelerations of particles by each other."""
        d = self.x[those][None] - self.x[those][:, None]
        return np.sum(self.mass[those][None, :, None] * d / (np.sum(d * d, -1) + EPS * EPS)[..., None] ** 1.5, 1)

    def criterion(self, those):
        return np.minimum(ETA * np.sqrt(EPS / np.linalg.norm(self.full[those], axis=1)), LONGEST)

    def choose(self, those):
        """The steps wanted next: the criterion in the middle of the step, at most twice the last."""
        last, now = self.whole * 0.5 ** self.level[those], self.criterion(those)
        slope = np.clip((now - self.measured[those]) / last, -0.5, 0.5)
        self.measured[those] = now
        self.wanted[those] = np.minimum(now / (1 - slope / 2), 2 * last)

    def asked(self, those):
        return np.clip(np.ceil(np.log2(self.whole / self.wanted[those])), 0, RUNGS).astype(int)

    def evolve(self, those, level, pull):
        """One step of this level, from accelerations at its begin to those at its end."""
        dt = self.whole * 0.5**level
        self.v[those] += dt / 2 * pull
        fast = those[self.level[those] > level]
        slow = those[self.level[those] == level]
        self.x[slow] += dt * self.v[slow]
        self.steps += len(slow)
        if len(fast):
            own = self.pull(fast)
            self.v[fast] -= dt / 2 * own
            held = self.full[fast] - own
            own = self.evolve(fast, level + 1, own)
            self.full[fast] = held + own
            self.choose(fast)
            asked, before = self.asked(fast), self.level[fast]
            self.level[fast] = np.where(asked >= before, asked, np.where(before > level + 1, before - 1, before))
            own = self.evolve(fast, level + 1, own)
            self.v[fast] -= dt / 2 * own
        pull = self.pull(those)
        self.v[those] += dt / 2 * pull
        return pull

    def run(self):
        time = 0.0
        while time < END:
            rank = len(self.mass) // 3  # a third asks for less, or this
            self.whole = min(2.0 ** np.floor(np.log2(np.sort(self.wanted)[rank])), LONGEST, END - time)
            self.level = self.asked(self.everybody)
            self.full = self.evolve(self.everybody, 0, self.full)
            self.choose(self.everybody)
            time += self.whole


def start():
    """A cold clump with a binary."""
    random = np.random.default_rng(5)
    rows = np.column_stack([np.full(50, 0.02), random.normal(size=(50, 3)), 0.2 * random.normal(size=(50, 3))])
    rows[1] = rows[0] + [0, 0.01, 0, 0, 0, 1.2, 0]
    return rows


def equals_the_recursion(folder):
    rows = start()
    np.savetxt(folder / "start.txt", rows, fmt="%.17g", header="columns: mass x y z vx vy vz")
    out = chamomile(folder, "run", "start.txt", "--solver", "direct", "--precision", "double", "--eps", EPS, "--eta", ETA, "--block-steps",
                    "--step-criterion", "softening", "--block-scheme", "hierarchical", "--dt-max", LONGEST, "--t-end", END, "--snapshot-every", END, "-o", "out")
    check("in a hierarchy of individual steps" in out, f"the log does not name the scheme: {out}")
    own = Recursion(rows)
    own.run()
    text = as_text(folder, "out/snapshot_001.hdf5")
    got = np.array([line.split()[:7] for line in text], float)
    error = max(abs(got[:, 1:4] - own.x).max(), abs(got[:, 4:7] - own.v).max())
    print(f"largest difference {error:.1e}, levels to {own.level.max()}, {own.steps} particle steps")
    check(error < 1e-12, f"positions and velocities differ by {error}")
    steps = float(re.search(r"([\d.e+]+) particle steps in", out)[1])
    check(abs(steps - own.steps) < 1e-3 * own.steps, f"{steps} particle steps instead of {own.steps}")


SPHERE = ("--model", "plummer", "-n", 3000, "--eps", 0.02, "--block-steps")
NESTED = ("--block-scheme", "hierarchical")


def restarts_to_the_bit(folder):
    sphere = (*SPHERE, *NESTED, "--snapshot-every", 0.25)
    chamomile(folder, "run", *sphere, "--t-end", 1, "-o", "whole")
    chamomile(folder, "run", *sphere, "--t-end", 0.5, "-o", "parts")
    chamomile(folder, "run", "--restart", "parts", "--t-end", 1, "--ranks", 2)
    check(as_text(folder, "whole/snapshot_004.hdf5") == as_text(folder, "parts/snapshot_004.hdf5"), "a restart has other bits")
    error = chamomile(folder, "run", "--restart", "parts", "--t-end", 2, "--block-scheme", "all", status=7)
    check("cannot change in a run that goes on; it was hierarchical" in error, f"another scheme is accepted after a restart: {error}")


def refuses_what_contradicts(folder):
    for words, expected in (((*SPHERE, *NESTED, "--set", "blocks.rebuild-above=0.5"), "contradicts --block-scheme hierarchical"),
                            ((*SPHERE[:-1], *NESTED, "--dt", 0.1), "--block-scheme: needs --block-steps")):
        error = chamomile(folder, "run", *words, "--t-end", 1, "-o", "refused", status=2)
        check(expected in error, f"{words}: {error}")


run_parts("hierarchical steps are as they should be", equals_the_recursion, restarts_to_the_bit, refuses_what_contradicts)
