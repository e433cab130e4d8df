"""Functions to compute a field in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Union

from ._arrays import Array, refuse_upon
from ._batch import Batch
from ._processes import meeting
from ._solver import Solver
from .errors import UsageError

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import Options


def _results(
    names: tuple[str, ...],
    sources: dict[str, tuple[Any, int]],
    targets: Any,
    out: Any,
    options: Any,
    comm: Any = None,
    offsets: Any = None,
    **words: Any,
) -> Any:
    """Returns the quantities `names` of a Solver. `sources`: arguments of build(), each with its number of components."""
    if offsets is not None or len(getattr(sources["positions"][0], "shape", ())) > 2:
        return _results_of_batch(names, sources, out, options, {"comm": comm, "targets": targets, **words}, offsets)
    if options.pop("comm", None) is not None:
        raise UsageError("comm: tidal tensors and jerks need a single process")
    solver = Solver(comm=comm, **options)
    with meeting(solver._processes, "out"):
        given = _rooms(names, out)
        if given:
            refuse_upon(given, **sources)
    solver.build(**{name: array for name, (array, _) in sources.items()})
    field = solver.evaluate(targets, quantities=names, out=given, **words)
    found = tuple(getattr(field, name) for name in names)
    return found if len(names) > 1 else found[0]


def _rooms(names: tuple[str, ...], out: Any) -> Optional[dict[str, Any]]:
    """Returns the arrays for results by name."""
    if out is not None and len(names) > 1 and (not isinstance(out, (tuple, list)) or len(out) != len(names)):
        raise UsageError("out: must be two arrays, (acceleration, potential), with potential=True")
    return None if out is None else dict(zip(names, out if len(names) > 1 else (out,)))


def _results_of_batch(
    names: tuple[str, ...], sources: dict[str, tuple[Any, int]], out: Any, options: Any, words: dict[str, Any], offsets: Any
) -> Any:
    """Returns the quantities `names` of a Batch. `words`: arguments that only a Solver has, and namespace."""
    namespace = words.pop("namespace")
    for name, value in words.items():
        if value is not None:
            raise UsageError(f"{name}: must be left out for a batch, which has no other targets and a single process")
    arrays = {name: array for name, (array, _) in sources.items()}
    field = Batch(**options).evaluate(**arrays, offsets=offsets, quantities=names, out=_rooms(names, out), namespace=namespace)
    found = tuple(getattr(field, name) for name in names)
    return found if len(names) > 1 else found[0]


def _sources(softenings: Any, **arrays: Any) -> Any:
    """Returns the source arrays with their numbers of components, including per-particle softenings if given."""
    return arrays if softenings is None else {**arrays, "softenings": (softenings, 1)}


def acceleration(
    positions: Array,
    masses: Union[Array, float],
    *,
    targets: Optional[Array] = None,
    active: Optional[Array] = None,
    self_index: Optional[Array] = None,
    softenings: Union[Array, float, None] = None,
    target_softenings: Union[Array, float, None] = None,
    potential: bool = False,
    out: Any = None,
    namespace: Any = None,
    comm: Any = None,
    offsets: Optional[Array] = None,
    **options: Unpack[Options],
) -> Any:
    """Returns accelerations sum_j G m_j r_ij / (r_ij^2 + eps^2)^1.5 by a tree or directly.

    positions: (N, 3), units of length; masses: (N,), or a number. Targets are the sources (or the sources with indices
    `active`), each without itself, or the points `targets` (M, 3). Returns (N or M, 3), length / time^2 in units
    with the given G, in the type, library and device of the points; with potential=True also the potentials (N or M,).
    softenings: (N,), per-particle softening, see Solver.build(); target_softenings: (M,), for `targets`.
    `out`: an array for the result, or two arrays, different from all arguments. Solver.evaluate() describes the other
    arguments, and help(chamomile.Options) the options, such as softening.
    comm: an mpi4py communicator. All processes make the call, each with local particles and targets, like a Solver
    with comm.
    positions (..., N, 3) or `offsets`: many small systems, summed directly and without `targets` or `comm`; Batch
    describes them.
    """
    sources = _sources(softenings, positions=(positions, 3), masses=(masses, 1))
    words = {"active": active, "self_index": self_index, "namespace": namespace, "target_softenings": target_softenings}
    return _results(("acceleration", "potential")[: 1 + potential], sources, targets, out, options, comm, offsets, **words)


def potential(
    positions: Array,
    masses: Union[Array, float],
    *,
    targets: Optional[Array] = None,
    active: Optional[Array] = None,
    self_index: Optional[Array] = None,
    softenings: Union[Array, float, None] = None,
    target_softenings: Union[Array, float, None] = None,
    out: Optional[Array] = None,
    namespace: Any = None,
    comm: Any = None,
    offsets: Optional[Array] = None,
    **options: Unpack[Options],
) -> Any:
    """Returns potentials -sum_j G m_j / (r_ij^2 + eps^2)^0.5, (N,), negative, with the arguments of acceleration()."""
    sources = _sources(softenings, positions=(positions, 3), masses=(masses, 1))
    words = {"active": active, "self_index": self_index, "namespace": namespace, "target_softenings": target_softenings}
    return _results(("potential",), sources, targets, out, options, comm, offsets, **words)


def tidal_tensor(
    positions: Array,
    masses: Union[Array, float],
    *,
    targets: Optional[Array] = None,
    active: Optional[Array] = None,
    self_index: Optional[Array] = None,
    softenings: Union[Array, float, None] = None,
    target_softenings: Union[Array, float, None] = None,
    out: Optional[Array] = None,
    namespace: Any = None,
    **options: Unpack[Options],
) -> Any:
    """Returns tidal tensors d a_i / d x_j, (N, 6) as xx, xy, xz, yy, yz, zz, 1 / time^2, with the arguments of acceleration().

    symmetric_matrix() converts the result to (N, 3, 3).
    """
    sources = _sources(softenings, positions=(positions, 3), masses=(masses, 1))
    words = {"active": active, "self_index": self_index, "namespace": namespace, "target_softenings": target_softenings}
    return _results(("tidal_tensor",), sources, targets, out, options, **words)


def jerk(
    positions: Array,
    velocities: Array,
    masses: Union[Array, float],
    *,
    targets: Optional[Array] = None,
    target_velocities: Optional[Array] = None,
    active: Optional[Array] = None,
    self_index: Optional[Array] = None,
    softenings: Union[Array, float, None] = None,
    target_softenings: Union[Array, float, None] = None,
    out: Optional[Array] = None,
    namespace: Any = None,
    offsets: Optional[Array] = None,
    **options: Unpack[Options],
) -> Any:
    """Returns jerks d a / dt, (N, 3), length / time^3, due to moving sources, at the sources or at moving targets.

    velocities: (N, 3); target_velocities: (M, 3), required with `targets`. For the other arguments, and for (..., N, 3),
    see acceleration().
    """
    if targets is not None and target_velocities is None:
        raise UsageError("target_velocities: missing: needed for jerks at targets")
    sources = _sources(softenings, positions=(positions, 3), masses=(masses, 1), velocities=(velocities, 3))
    words = {"active": active, "self_index": self_index, "namespace": namespace, "target_softenings": target_softenings}
    words["target_velocities"] = target_velocities
    return _results(("jerk",), sources, targets, out, options, offsets=offsets, **words)


def symmetric_matrix(six: Array) -> Any:
    """Returns (N, 3, 3) from the components xx, xy, xz, yy, yz, zz of tidal_tensor(), in the same library."""
    return six[:, [[0, 1, 2], [1, 3, 4], [2, 4, 5]]]
