"""The keywords that decide a force, and those of a run that writes files."""

from __future__ import annotations

import textwrap
from typing import Annotated, Literal, TypedDict, get_args, get_type_hints


class Options(TypedDict, total=False):
    """Keywords of Solver, Simulation, accuracy() and the functions; None counts as not given."""

    solver: Annotated[Literal["tree", "direct"], "default tree (Barnes & Hut 1986, walked once per group: Barnes 1990); direct sums all pairs"]
    criterion: Annotated[
        Literal["moments", "relative", "geometric", "minimum-distance"],
        "by which a tree's cell is accepted; default moments, geometric where only theta is given",
    ]
    tolerance: Annotated[float, "of moments and relative: a cell's error as a part of the acceleration; default 0.001"]
    theta: Annotated[float, "of geometric and minimum-distance: opening angle l / d, at most 1.5; default 0.6"]
    order: Annotated[Literal[0, 2, 3, 4], "of a tree's multipoles; default 2 (quadrupoles)"]
    local_order: Annotated[Literal[0, 3, 4, 5, 6], "of the expansions of distant cells about a group; default 6, 0: none"]
    group_size: Annotated[int, "most particles that share an interaction list; default 0: chosen by device"]
    leaf_size: Annotated[int, "most particles of a cell that is not divided; default 0: chosen by device"]
    batch_size: Annotated[int, "groups whose lists go to the GPU together; default 0: chosen; changes no result"]
    softening: Annotated[float, "Plummer-equivalent length eps, units of length; default 0; the spline is Newtonian beyond 2.8 eps"]
    kernel: Annotated[
        Literal["plummer", "spline"],
        "law of the softening; default plummer; spline: Monaghan & Lattanzio (1985) as in GADGET",
    ]
    G: Annotated[float, "gravitational constant in the units of the arrays, above 0; default 1"]
    precision: Annotated[Literal["single", "double"], "of pair sums; default single, with sums of tiles in double"]
    decorrelate: Annotated[
        int,
        "seed of a tree's root cube at a random place, another in each step of a Simulation and in each build() of a Solver, "
        "so that errors average out; default none: the smallest cube",
    ]
    accuracy: Annotated[
        float,
        "an error |da| / |a| to keep for 99 % of the particles, 1e-12 to 0.5; chooses what is not given of criterion, orders and sizes, "
        "and tolerance or theta, by trials: of a Solver in its first build(), of a Simulation in its first step",
    ]
    device: Annotated[str, "auto (default), cpu, gpu or gpu:n"]
    instruction_set: Annotated[Literal["auto", "avx512", "avx2", "baseline"], "of the processor; default auto"]


class RunSettings(TypedDict, total=False):
    """Keywords of Simulation.run(folder=...), as those of the program's run; None counts as not given."""

    snapshot_every: Annotated[float, "time between snapshots; default a tenth of the run"]
    energy_every: Annotated[float, "time between lines of energy.csv; default every ten steps"]
    steps_every: Annotated[int, "steps between lines of steps.csv; default 1"]
    check_forces: Annotated[int, "particles whose errors against direct sums go to forces.csv; default 0: none"]
    check_forces_every: Annotated[int, "steps between these; default 50"]
    frames: Annotated[bool, "pictures too, one with each snapshot"]
    frames_every: Annotated[float, "time between pictures"]
    frame_width: Annotated[float, "length across the pictures"]
    checkpoint_every: Annotated[int, "steps between checkpoints, with one at the start; default none by steps"]
    checkpoint_walltime: Annotated[float, "seconds between checkpoints; default 900, 0: none by time"]
    max_walltime: Annotated[float, "end with a checkpoint before so many seconds since the process began have passed"]
    max_energy_error: Annotated[float, "largest |dE/E| that is put up with: beyond it the run ends with a checkpoint and InaccurateError"]
    overwrite: Annotated[bool, "replace the results of a run in the folder"]
    restart: Annotated[bool, "go on from the newest whole checkpoint of the run in the folder, whose options must be the same"]


def _explained(options: type) -> str:
    """A paragraph for each option, with the values that it takes."""
    paragraphs = []
    for name, hint in get_type_hints(options, include_extras=True).items():
        kind, text = get_args(hint)
        values = " | ".join(map(repr, get_args(kind))) or kind.__name__
        paragraphs.append(textwrap.fill(f"{name} ({values}): {text}", 100, subsequent_indent="    "))
    return "\n".join(paragraphs)


for _kind in (Options, RunSettings):
    _kind.__doc__ = f"{_kind.__doc__}\n\n{_explained(_kind)}"
