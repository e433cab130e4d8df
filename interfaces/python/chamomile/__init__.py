"""Gravity for N particles by a hybrid treecode, on processors and NVIDIA GPUs.

    import chamomile
    a = chamomile.acceleration(positions, masses, softening=0.01)       # (N, 3), numpy or on a GPU
    solver = chamomile.Solver(tolerance=1e-3).build(positions, masses)  # one tree, many evaluations
    solver.evaluate(points, quantities=("acceleration", "potential", "tidal_tensor"))
    chamomile.Batch().evaluate(positions, masses)                       # many small systems, (..., N, 3)

Units are the caller's, with G = 1 by default. Errors are subclasses of chamomile.Error with one-line messages.
"""

from . import errors, models
from ._accuracy import ForceErrors, Judgement, Percentiles, accuracy, judge
from ._arrays import Array
from ._batch import Batch
from ._chamomile import (
    DeviceArray,
    Snapshot,
    Statistics,
    devices,
    read_snapshot,
    thread_count,
    use_threads,
    why_no_gpu,
    write_snapshot,
)
from ._chamomile import version as __version__
from ._functions import acceleration, jerk, potential, symmetric_matrix, tidal_tensor
from ._options import Options, RunSettings, SimulationOptions
from ._orbits import orbits
from ._plots import PlotError, plot
from ._simulation import Diagnostics, Simulation, View
from ._snapshots import make_snapshot
from ._solver import Field, Gradient, Neighbours, Solver
from .errors import DeviceError, Error, InaccurateError, InputError, NumericError, OutputError, RestartError, StateError, UsageError
from .models import cold_sphere, cube, disk, einasto, exponential, galaxy, hernquist, king, merger, nfw, plummer, spheres, two_body

__all__ = [
    "Array",
    "Batch",
    "DeviceArray",
    "DeviceError",
    "Diagnostics",
    "Error",
    "Field",
    "ForceErrors",
    "Gradient",
    "InaccurateError",
    "InputError",
    "Judgement",
    "Neighbours",
    "NumericError",
    "Options",
    "OutputError",
    "Percentiles",
    "PlotError",
    "RestartError",
    "RunSettings",
    "Simulation",
    "SimulationOptions",
    "Snapshot",
    "Solver",
    "StateError",
    "Statistics",
    "UsageError",
    "View",
    "acceleration",
    "accuracy",
    "cold_sphere",
    "cube",
    "devices",
    "disk",
    "einasto",
    "errors",
    "exponential",
    "galaxy",
    "hernquist",
    "jerk",
    "judge",
    "king",
    "make_snapshot",
    "merger",
    "models",
    "nfw",
    "orbits",
    "plot",
    "plummer",
    "potential",
    "read_snapshot",
    "spheres",
    "symmetric_matrix",
    "thread_count",
    "tidal_tensor",
    "two_body",
    "use_threads",
    "why_no_gpu",
    "write_snapshot",
    "__version__",
]
