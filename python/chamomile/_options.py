"""The keywords that decide a force."""

from __future__ import annotations

from typing import Literal, TypedDict


class Options(TypedDict, total=False):
    """Keywords of Solver, Simulation, accuracy() and the functions; None counts as not given."""

    solver: Literal["tree", "direct"]
    """Default tree (Barnes & Hut 1986, walked once per group: Barnes 1990); direct sums all pairs."""
    criterion: Literal["moments", "relative", "geometric", "minimum-distance"]
    """By which a cell is accepted; default moments, geometric where only theta is given."""
    tolerance: float
    """Of moments and relative: a cell's error as a part of the acceleration; default 0.001."""
    theta: float
    """Of geometric and minimum-distance: opening angle l / d; default 0.6."""
    order: Literal[0, 2, 3, 4]
    """Of the multipoles; default 2 (quadrupoles)."""
    local_order: Literal[0, 3, 4, 5, 6]
    """Of the expansions of distant cells about a group; default 6, 0: none."""
    group_size: int
    """Most particles that share an interaction list; default 0: chosen by device."""
    leaf_size: int
    """Most particles of a cell that is not divided; default 0: chosen by device."""
    batch_size: int
    """Groups whose lists go to the GPU together; default 0: chosen; changes no result."""
    softening: float
    """Plummer-equivalent length eps, units of length; default 0. The spline is Newtonian beyond 2.8 eps."""
    kernel: Literal["plummer", "spline"]
    """Law of the softening; default plummer; spline: Monaghan & Lattanzio (1985) as in GADGET."""
    G: float
    """Gravitational constant in the units of the arrays; default 1."""
    precision: Literal["single", "double"]
    """Of pair sums; default single, with sums of tiles in double."""
    decorrelate: int
    """Seed of root cubes at random places, another in each evaluation; default none."""
    accuracy: float
    """An error to keep for 99 % of the particles (Simulation, accuracy()); chooses the rest."""
    device: str
    """auto (default), cpu, gpu or gpu:n."""
    instruction_set: Literal["auto", "avx512", "avx2", "baseline"]
    """Of the processor; default auto."""
