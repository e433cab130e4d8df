"""Orbits of massless bodies in external potentials."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional, Sequence, Union

from . import _chamomile
from ._chamomile import Snapshot

if TYPE_CHECKING:
    import numpy as np


def orbits(
    snapshot: Snapshot,
    potentials: Sequence[str],
    *,
    duration: Union[float, str, None] = None,
    rows: int = 0,
) -> dict[str, np.ndarray]:
    """Follows each particle as a massless body in external potentials, like `chamomile orbit`.

    potentials: texts as in `chamomile run --potential`, such as "mwpotential2014" or "nfw,M=1e12Msun,c=12".
    duration: time for which bodies are followed; without, ten radial periods. Returns columns by name, in the units of
    the snapshot, with one row for each particle: id, time, x, y, z, vx, vy, vz, potential, ax, ay, az, circular_speed,
    escape_speed, energy, angular_momentum, angular_momentum_z, pericenter, apocenter, max_height, radial_period and
    revolution, NaN where a value does not exist. With rows=N the columns up to angular_momentum_z hold the path of each
    particle at N + 1 equal times. Speed and periods are explained in the guide to external potentials.

    >>> stars = make_snapshot([[8, 0, 0]], [1], velocities=[[0, 0.5, 0.1]])
    >>> table = orbits(stars, ["plummer,M=3,a=1"])
    >>> bool(table["pericenter"][0] < table["apocenter"][0])
    True
    """
    return _chamomile.orbits(snapshot, potentials, duration, rows)
