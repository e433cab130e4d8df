"""Snapshots from arrays."""

from __future__ import annotations

from typing import Any, Optional, Union

from ._arrays import Array
from ._chamomile import Snapshot
from ._plain import require_plain
from .errors import InputError


def make_snapshot(
    positions: Array,
    masses: Union[Array, float],
    velocities: Optional[Array] = None,
    *,
    ids: Optional[Array] = None,
    types: Union[Array, int, None] = None,
    time: float = 0.0,
    G: Optional[float] = None,
    softening: Optional[float] = None,
    box_size: float = 0.0,
) -> Snapshot:
    """Returns a snapshot with copies of arrays: positions (N, 3), masses (N,) or a number, velocities (N, 3).

    ids: (N,), default 1 to N; types: as in GADGET, default 1 (halo). Raises InputError for wrong shapes.
    The numbers are in N-body units (G = 1) until use_units() sets the units: snapshot.use_units("galactic").
    """
    snapshot = Snapshot(len(positions))
    given: dict[str, Any] = {"positions": positions, "masses": masses, "velocities": velocities, "ids": ids, "types": types}
    for name, values in given.items():
        if values is None:
            continue
        require_plain(values, name)
        room = getattr(snapshot, name)
        shape = getattr(values, "shape", None)
        if shape is not None and shape != () and tuple(shape) != room.shape:
            raise InputError(f"{name}: shape {tuple(shape)}: must be {room.shape}")
        room[...] = values
    snapshot.time, snapshot.box_size = time, box_size
    if G is not None:
        snapshot.G = G
    if softening is not None:
        snapshot.softening = softening
    return snapshot
