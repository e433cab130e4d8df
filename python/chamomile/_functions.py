"""One call for one field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Union

from ._arrays import Array
from ._solver import Solver
from .errors import UsageError

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import Options


def _one(name: str, solver: Solver, targets: Any, out: Any, **words: Any) -> Any:
    field = solver.evaluate(targets, quantities=name, out=None if out is None else {name: out}, **words)
    return getattr(field, name)


def acceleration(
    positions: Array,
    masses: Union[Array, float],
    *,
    targets: Optional[Array] = None,
    active: Optional[Array] = None,
    self_index: Optional[Array] = None,
    potential: bool = False,
    out: Any = None,
    namespace: Any = None,
    **options: Unpack[Options],
) -> Any:
    """Accelerations sum_j G m_j r_ij / (r_ij^2 + eps^2)^1.5 by a tree or directly.

    positions: (N, 3), units of length; masses: (N,), or one for all. At the sources (or those that
    `active` numbers), each without itself, or at `targets` (M, 3). Returns (N or M, 3), length / time^2 as
    G implies, in the type, library and device of the points; with potential=True also the potentials
    (N or M,). `out`: an array to write to, or two of them. See Solver.evaluate() and Options for the rest.
    """
    solver = Solver(**options).build(positions, masses)
    words = {"active": active, "self_index": self_index, "namespace": namespace}
    if not potential:
        return _one("acceleration", solver, targets, out, **words)
    if out is not None and (not isinstance(out, (tuple, list)) or len(out) != 2):
        raise UsageError("out: with potential=True two arrays are needed, (acceleration, potential)")
    names = ("acceleration", "potential")
    field = solver.evaluate(targets, quantities=names, out=dict(zip(names, out)) if out else None, **words)
    return field.acceleration, field.potential


def potential(
    positions: Array,
    masses: Union[Array, float],
    *,
    targets: Optional[Array] = None,
    active: Optional[Array] = None,
    self_index: Optional[Array] = None,
    out: Optional[Array] = None,
    namespace: Any = None,
    **options: Unpack[Options],
) -> Any:
    """Potentials -sum_j G m_j / (r_ij^2 + eps^2)^0.5, (N,), negative, otherwise as acceleration()."""
    solver = Solver(**options).build(positions, masses)
    words = {"active": active, "self_index": self_index, "namespace": namespace}
    return _one("potential", solver, targets, out, **words)


def tidal_tensor(
    positions: Array,
    masses: Union[Array, float],
    *,
    targets: Optional[Array] = None,
    active: Optional[Array] = None,
    self_index: Optional[Array] = None,
    out: Optional[Array] = None,
    namespace: Any = None,
    **options: Unpack[Options],
) -> Any:
    """Tidal tensors d a_i / d x_j, (N, 6) as xx, xy, xz, yy, yz, zz, 1 / time^2, as acceleration().

    symmetric_matrix() makes them (N, 3, 3).
    """
    solver = Solver(**options).build(positions, masses)
    words = {"active": active, "self_index": self_index, "namespace": namespace}
    return _one("tidal_tensor", solver, targets, out, **words)


def jerk(
    positions: Array,
    velocities: Array,
    masses: Union[Array, float],
    *,
    targets: Optional[Array] = None,
    target_velocities: Optional[Array] = None,
    active: Optional[Array] = None,
    self_index: Optional[Array] = None,
    out: Optional[Array] = None,
    namespace: Any = None,
    **options: Unpack[Options],
) -> Any:
    """Jerks d a / dt, (N, 3), length / time^3, of moving sources at themselves or moving targets.

    velocities: (N, 3); target_velocities: (M, 3), needed with `targets`. Otherwise as acceleration().
    """
    if targets is not None and target_velocities is None:
        raise UsageError("target_velocities: are needed for jerks at targets")
    solver = Solver(**options).build(positions, masses, velocities)
    words = {"active": active, "self_index": self_index, "namespace": namespace}
    return _one("jerk", solver, targets, out, target_velocities=target_velocities, **words)


def symmetric_matrix(six: Array) -> Any:
    """(N, 3, 3) from the six numbers xx, xy, xz, yy, yz, zz of tidal_tensor(), in their library."""
    return six[:, [[0, 1, 2], [1, 3, 4], [2, 4, 5]]]
