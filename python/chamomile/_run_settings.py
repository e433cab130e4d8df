"""The keywords of a run that writes files."""

from __future__ import annotations

from typing import Annotated, TypedDict

from ._options import explained


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


RunSettings.__doc__ = f"{RunSettings.__doc__}\n\n{explained(RunSettings)}"
