"""The solver with a persistent tree, and its results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, Mapping, NamedTuple, NoReturn, Optional, Union

import numpy as np

from . import _chamomile
from ._arrays import (
    Array,
    HandOver,
    chosen,
    library_of,
    memory_of,
    new,
    numbers_of,
    one_per_row,
    refuse_immutable,
    refuse_upon,
)
from ._processes import meeting, processes_of
from .errors import UsageError

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import Options

COMPONENTS = {"acceleration": 3, "potential": 1, "tidal_tensor": 6, "jerk": 3}


class Field(NamedTuple):
    """Results of one evaluation, per unit mass, including G; None for quantities not requested.

    Sums are in float unless precision="double" is given, even if the results are float64.
    """

    acceleration: Any = None
    """Shape (N, 3), length / time^2."""
    potential: Any = None
    """Shape (N,), length^2 / time^2, negative."""
    tidal_tensor: Any = None
    """Shape (N, 6), 1 / time^2: d a_i / d x_j as xx, xy, xz, yy, yz, zz."""
    jerk: Any = None
    """Shape (N, 3), length / time^3: d a / dt along the target's path."""


class Neighbours(NamedTuple):
    """Sources within a radius of each target."""

    counts: np.ndarray
    """Shape (N,), int64: number of sources."""
    indices: np.ndarray
    """Shape (N, most), int64: indices of the sources, ascending; -1 beyond the count."""


class Gradient(NamedTuple):
    """The gradient of a loss of the fields at all sources."""

    positions: Any
    """Shape (N, 3)."""
    masses: Any
    """Shape (N,)."""


class Solver:
    """Gravity of fixed sources: one tree for many evaluations, at any points.

    Options are keywords, such as tolerance=1e-3: help(chamomile.Options) explains each. Results do not
    depend on the number of threads. Arrays are read and written in place, also on a GPU, while other
    Python threads run. Only one thread at a time may use a solver (StateError). Raises UsageError for
    invalid options, DeviceError for a missing GPU.

    comm: an mpi4py communicator. All processes make the solver and its calls, each with local sources and
    targets (possibly none). Each gets the field of all sources at its local targets, in local order. Results
    are bitwise those of one process with all sources, in order of rank. Arrays must be on the host. Only
    accelerations and potentials are supported; targets other than sources need a tree on
    the CPU. An invalid argument on one process is raised on all. peer_timeout: max seconds without a message
    from a process within a call (600). share_gpu=True lets several processes use one GPU.

    >>> solver = Solver(tolerance=1e-3, softening=0.01).build(positions, masses)
    >>> solver.evaluate().acceleration          # at the sources, each without itself
    >>> solver.evaluate(points, quantities="potential").potential
    """

    __slots__ = ("_processes", "_field", "_size", "_gpu", "_library", "_statistics")

    def __init__(self, *, comm: Any = None, **options: Unpack[Options]) -> None:
        words: dict[str, Any] = dict(options)
        self._processes = processes_of(comm, words)
        with meeting(self._processes, "Solver()"):
            self._field = _chamomile.Field(words, self._processes)
        self._size, self._gpu = 8, -1
        self._library: Optional[HandOver] = None
        self._statistics: Optional[_chamomile.Statistics] = None

    def build(
        self,
        positions: Array,
        masses: Union[Array, float],
        velocities: Optional[Array] = None,
        softenings: Union[Array, float, None] = None,
    ) -> Solver:
        """Copies the sources, sorts them and sums moments.

        positions: (N, 3), units of length; masses: (N,), or a number; velocities: (N, 3), for jerks.
        softenings: (N,), per-particle softening, which replaces the option softening. A pair uses the larger of
        two lengths, or with softening_rule="root-of-squares" the root of the sum of squares. evaluate() has an argument
        for targets. The field of no sources is 0. The option accuracy is resolved with the first sources, which must be
        on the host. Raises InputError naming a non-finite value, or a negative mass in a tree.
        """
        return self._set(positions, masses, velocities, softenings, False)

    def refit(
        self,
        positions: Array,
        masses: Union[Array, float],
        velocities: Optional[Array] = None,
        softenings: Union[Array, float, None] = None,
    ) -> Solver:
        """Updates the same number of sources after they have moved: keeps order and cells, and recomputes the moments.

        Errors stay within the criterion, but evaluations become slower the farther the sources have moved.
        """
        return self._set(positions, masses, velocities, softenings, True)

    def _set(self, positions: Array, masses: Any, velocities: Optional[Array], softenings: Any, refit: bool) -> Solver:
        with meeting(self._processes, "refit()" if refit else "build()"):
            rows, size, gpu = _chamomile.describe(positions, "positions", 3)
            masses = one_per_row(masses, rows, "masses")
            if softenings is not None:
                softenings = one_per_row(softenings, rows, "softenings")
            self._statistics = self._field.set(positions, masses, velocities, softenings, refit)
        self._size, self._gpu, self._library = size, gpu, library_of(positions)
        _chamomile.look_at_signals()
        return self

    def evaluate(
        self,
        targets: Optional[Array] = None,
        *,
        quantities: Union[str, Iterable[str], None] = None,
        target_velocities: Optional[Array] = None,
        target_softenings: Union[Array, float, None] = None,
        self_index: Optional[Array] = None,
        active: Optional[Array] = None,
        out: Optional[Mapping[str, Array]] = None,
        namespace: Any = None,
    ) -> Field:
        """Returns the field at `targets`, or at the sources, each without itself.

        targets: (M, 3); None: all sources, or the sources with indices `active` (row k belongs to active[k]).
        quantities: any of "acceleration" (default), "potential", "tidal_tensor", "jerk".
        target_velocities: (M, 3), of moving targets, for jerks.
        target_softenings: (M,), or a number, for sources with per-particle softening. Default: a target with a
        self_index has the length of that source, any other target 0.
        self_index: (M,), index of the source that coincides with the target and is excluded; -1: none.
        out: arrays for the results, by quantity. Missing arrays are created with type, device and library of the
        targets (or sources). `namespace` selects another library, such as torch; numpy copies from a GPU. Arguments of
        build() may be reused here, because build() copies.

        Raises StateError before build(), UsageError for unsupported quantities, InputError for non-finite points,
        indices out of range and outputs that overlap inputs or each other.
        """
        with meeting(self._processes, "evaluate()"):
            field = self._evaluate((targets, target_velocities, target_softenings), quantities, self_index, active, out, namespace)
        _chamomile.look_at_signals()
        return field

    def _evaluate(
        self,
        at: tuple[Optional[Array], Optional[Array], Union[Array, float, None]],
        quantities: Union[str, Iterable[str], None],
        self_index: Optional[Array],
        active: Optional[Array],
        out: Optional[Mapping[str, Array]],
        namespace: Any,
    ) -> Field:
        targets, target_velocities, target_softenings = at
        out = dict(out or {})
        if quantities is None:
            quantities = tuple(out) or ("acceleration",)
        wanted = [quantities] if isinstance(quantities, str) else list(quantities)
        for name in [*wanted, *out]:
            if name not in COMPONENTS:
                raise UsageError(f"quantities: {name}: must be one of {', '.join(COMPONENTS)}")
        if targets is None:
            if any(given is not None for given in (self_index, target_velocities, target_softenings)):
                raise UsageError("self_index, target_velocities and target_softenings: need targets")
            chosen_sources = numbers_of(active, "active")
            rows, size, gpu = self._field.size if chosen_sources is None else len(chosen_sources), self._size, self._gpu
            library = self._library
        else:
            if active is not None:
                raise UsageError("active: contradicts targets; give one")
            chosen_sources = None
            rows, size, gpu = _chamomile.describe(targets, "targets", 3)
            library = library_of(targets)
            if target_softenings is not None:
                target_softenings = one_per_row(target_softenings, rows, "target_softenings")
        made = {}
        for name in COMPONENTS:
            if name in out:
                made[name] = out[name]
            elif name in wanted:
                made[name] = new(rows, COMPONENTS[name], size, gpu)
        if namespace is not None and all(name in out for name in made):
            raise UsageError("namespace: contradicts out, which has an array for each result")
        own = numbers_of(self_index, "self_index")
        if out:
            refuse_upon(out, active=memory_of(active), self_index=memory_of(self_index))
        self._statistics = self._field.evaluate(
            (targets, target_velocities, target_softenings),
            own,
            chosen_sources,
            tuple(made.get(name) for name in COMPONENTS),
        )
        hand_over = chosen(namespace) if namespace is not None else library
        if hand_over:
            made = {name: array if name in out else hand_over(array) for name, array in made.items()}
        return Field(**made)

    def vjp(
        self,
        acceleration: Optional[Array] = None,
        potential: Optional[Array] = None,
        *,
        out: Optional[Gradient] = None,
        namespace: Any = None,
    ) -> Gradient:
        """Returns the gradient of a loss L of the fields at all sources, each without itself.

        acceleration: (N, 3), dL/da; potential: (N,), dL/dphi; None: not part of L. The sums are over the lists of
        evaluate(), with moments one degree higher, or direct. Softening lengths count as constants. On a single
        process. A tree on a GPU of another order than 2, or with several softening lengths, is built again on the host.
        out: two arrays for the results. With the default precision, sums over near pairs are in float.

        >>> a = solver.evaluate().acceleration
        >>> solver.vjp(acceleration=2 * a).positions    # of the sum of a^2
        """
        if acceleration is None and potential is None:
            raise UsageError("vjp: acceleration and potential: missing: give one or both")
        if out is None:
            made = Gradient(*(new(self._field.size, components, self._size, self._gpu) for components in (3, 1)))
        else:
            if len(out) != 2:
                raise UsageError(f"out: {len(out)} arrays: must be 2, for positions and masses")
            made = Gradient(*out)
            for name, array in made._asdict().items():
                refuse_immutable(array, f"out.{name}")
        self._statistics = self._field.adjoint(acceleration, potential, *made)
        hand_over = chosen(namespace) if namespace is not None else self._library
        _chamomile.look_at_signals()
        return Gradient(*map(hand_over, made)) if hand_over and out is None else made

    def neighbours(
        self,
        targets: Array,
        radius: Union[Array, float],
        *,
        most: Optional[int] = None,
        self_index: Optional[Array] = None,
    ) -> Neighbours:
        """Returns all sources within `radius` of each target, exactly, excluding the source in self_index.

        targets: (M, 3); radius: (M,), or a number, units of length. `most` limits the indices listed per target,
        but not the counts. Without it there are as many columns as needed.
        """
        rows = _chamomile.describe(targets, "targets", 3)[0]
        radius = one_per_row(radius, rows, "radius")
        own = numbers_of(self_index, "self_index")
        count = np.empty(rows, np.int64)
        if most is None:
            self._field.neighbours(targets, radius, 0, own, count, np.empty(0, np.int64))
            most = int(count.max(initial=0))
        if most < 0:
            raise UsageError(f"most: {most}: must be 0 or more")
        index = np.full((rows, most), -1, np.int64)
        self._field.neighbours(targets, radius, most, own, count, index.reshape(-1))
        return Neighbours(count, index)

    @property
    def size(self) -> int:
        """Sources of the last build; 0 before."""
        return self._field.size

    @property
    def device(self) -> str:
        """The device, such as 'CPU, avx512, 2 threads' or 'NVIDIA H200'."""
        return self._field.device

    @property
    def options(self) -> dict[str, Any]:
        """The options in use, with 0 and 'auto' replaced by the choices made."""
        return self._field.options

    @property
    def statistics(self) -> Optional[_chamomile.Statistics]:
        """Pairs, bytes to and from the device, and seconds of the last call; None before the first.

        options["precision"] states whether sums were in float or double."""
        return self._statistics

    def __repr__(self) -> str:
        return f"<chamomile.Solver: {self.options['solver']}, {self.size} sources, {self.device}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("Solver: cannot be pickled, because of the tree and threads or GPU; make one per process")

    __copy__ = __deepcopy__ = lambda self, *_: self.__reduce__()
