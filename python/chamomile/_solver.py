"""The solver that keeps its tree, and its results."""

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
    refuse_upon,
)
from ._processes import meeting, processes_of
from .errors import UsageError

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import Options

COMPONENTS = {"acceleration": 3, "potential": 1, "tidal_tensor": 6, "jerk": 3}


class Field(NamedTuple):
    """Results of one evaluation, per unit mass and with G included; None for quantities that were not asked for.

    Sums are in float unless precision="double" was asked for, in results of float64 too.
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
    """Shape (N,), int64: how many there are."""
    indices: np.ndarray
    """Shape (N, most), int64: their numbers, ascending; -1 beyond the count."""


class Solver:
    """Gravity of sources that are given once: one tree for many evaluations, at any points.

    Options are keywords, such as tolerance=1e-3: help(chamomile.Options) explains each. Results do not
    depend on the number of threads. Arrays are read and written in place, also on a GPU, while other
    Python threads run. One thread at a time may use a solver (StateError). Raises UsageError for options,
    DeviceError for an absent GPU.

    comm: a communicator of mpi4py. All of its processes make the solver and its calls, each with sources and
    targets of its own, of which there may be none; each gets what these feel by the sources of all, in its own
    order: the bits of one process that has all of them, those of process 0 first. Arrays are on the host. It
    gives accelerations and potentials of isolated sources; at targets, none of which is a source, by a tree on
    processors. What one process gives wrong is raised on all. peer_timeout: seconds for which a process may be
    silent within a call (600); share_gpu=True lets several use one GPU.

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
        """Takes the sources (a copy), orders them and sums moments.

        positions: (N, 3), units of length; masses: (N,), or one for all; velocities: (N, 3), for jerks;
        softenings: (N,), lengths of their own in place of the option softening: a pair has the larger of its two,
        or by softening_rule="root-of-squares" the root of the sum of their squares; evaluate() takes those of targets. The field of no sources is 0. With the option accuracy the first sources decide how it is reached; they
        must be on the host. Raises InputError naming a value that is not finite, or a negative mass of a tree.
        """
        return self._set(positions, masses, velocities, softenings, False)

    def refit(
        self,
        positions: Array,
        masses: Union[Array, float],
        velocities: Optional[Array] = None,
        softenings: Union[Array, float, None] = None,
    ) -> Solver:
        """Takes the same number of sources after they moved: keeps their order and cells and sums the moments anew.

        Errors stay within the criterion, but evaluations take longer the farther the sources moved.
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

        targets: (M, 3); None: the sources, or those that `active` numbers (row k belongs to active[k]).
        quantities: any of "acceleration" (default), "potential", "tidal_tensor", "jerk".
        target_velocities: (M, 3), of moving targets, for jerks.
        target_softenings: (M,), or one for all: lengths of the targets among sources that have softenings; without
        them a target has the length of the source that it is, else 0.
        self_index: (M,), the number of the source that a target is and does not feel; -1: none.
        out: arrays to write to, by quantity; missing ones are made in the type of the targets (else of the
        sources), on their device and by their library. `namespace` names another library, such as torch; numpy
        copies from a GPU. The arguments of build() may be among them, because it copied them.

        Raises StateError before build(), UsageError for what the solver cannot give, InputError for points
        that are not finite, numbers out of range and outputs that overlap inputs or each other.
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
                raise UsageError(f"quantities: {name}: must be of {', '.join(COMPONENTS)}")
        if targets is None:
            if any(given is not None for given in (self_index, target_velocities, target_softenings)):
                raise UsageError("self_index, target_velocities and target_softenings: are of targets; sources have their own")
            chosen_sources = numbers_of(active, "active")
            rows, size, gpu = self._field.size if chosen_sources is None else len(chosen_sources), self._size, self._gpu
            library = self._library
        else:
            if active is not None:
                raise UsageError("active: numbers sources; give it without targets")
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
            raise UsageError("namespace: is of new arrays, and out has one for each result")
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

    def neighbours(
        self,
        targets: Array,
        radius: Union[Array, float],
        *,
        most: Optional[int] = None,
        self_index: Optional[Array] = None,
    ) -> Neighbours:
        """Returns all sources within `radius` of each target, exactly; a target's self is left out.

        targets: (M, 3); radius: (M,), or one for all, units of length. With `most` no more than that many
        are listed for each, while all are counted; without it as many columns are made as are needed.
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
        """The options in force, with 0 and 'auto' replaced by the choices made."""
        return self._field.options

    @property
    def statistics(self) -> Optional[_chamomile.Statistics]:
        """Pairs, bytes to and from the device, and seconds of the last call; None before any.

        options["precision"] says whether its sums were in float or double."""
        return self._statistics

    def __repr__(self) -> str:
        return f"<chamomile.Solver: {self.options['solver']}, {self.size} sources, {self.device}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("Solver: holds a tree and threads or a GPU and cannot be pickled; make one in each process")

    __copy__ = __deepcopy__ = lambda self, *_: self.__reduce__()
