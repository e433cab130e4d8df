"""Many small systems in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, Mapping, NoReturn, Optional, Union

import numpy as np

from . import _chamomile
from ._arrays import Array, chosen, is_one, library_of, new, numbers_of, refuse_immutable
from ._plain import require_plain
from ._solver import COMPONENTS, Field
from .errors import UsageError

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import Options

QUANTITIES = ("acceleration", "potential", "jerk")


def _per_body(values: Any, shape: tuple[int, ...], name: str) -> Any:
    """Returns an array unchanged, or broadcasts one number to all bodies."""
    if values is None:
        return None
    require_plain(values, name)
    return np.broadcast_to(float(values), shape) if is_one(values) else values


class Batch:
    """Gravity and motion of many small systems in one call, by direct sums.

    Arrays have any leading dimensions: positions (..., N, 3) and masses (..., N) are systems of N bodies. Systems of
    different sizes follow each other in (N, 3): system b has the bodies offsets[b] to offsets[b + 1] - 1. Bodies feel
    only their own system. Arrays are read and written in place, also on a GPU. Options are those of a Solver with
    solver="direct", such as softening, G, precision and device. Only one thread at a time may use a batch (StateError).

    >>> batch = Batch(softening=0.01)
    >>> batch.evaluate(positions, masses, velocities, quantities=("acceleration", "jerk")).jerk     # (..., N, 3)
    >>> batch.advance(positions, velocities, masses, step=0.01, steps=100, scheme="hermite")
    """

    __slots__ = ("_systems",)

    def __init__(self, **options: Unpack[Options]) -> None:
        words: dict[str, Any] = dict(options)
        if words.pop("comm", None) is not None:
            raise UsageError("comm: a batch needs a single process")
        self._systems = _chamomile.Systems(words)

    def evaluate(
        self,
        positions: Array,
        masses: Union[Array, float],
        velocities: Optional[Array] = None,
        *,
        softenings: Union[Array, float, None] = None,
        offsets: Optional[Array] = None,
        quantities: Union[str, Iterable[str], None] = None,
        out: Optional[Mapping[str, Array]] = None,
        namespace: Any = None,
    ) -> Field:
        """Returns the field at each body due to the other bodies of its system.

        positions: (..., N, 3), units of length; masses: (..., N), or a number; velocities: (..., N, 3), for jerks.
        softenings: (..., N), or a number, per-particle softening in place of the option softening.
        offsets: ascending indices of the first body of each system, and the end, for positions (N, 3).
        quantities: any of "acceleration" (default), "potential", "jerk"; out and namespace as in Solver.evaluate().

        Raises InputError for offsets that decrease, empty systems, other shapes, values that are not finite, and bodies
        at one place without softening.
        """
        shape, size, gpu = _chamomile.describe_stack(positions, "positions")
        out = dict(out or {})
        if quantities is None:
            quantities = tuple(out) or ("acceleration",)
        wanted = {quantities} if isinstance(quantities, str) else set(quantities)
        for name in [*wanted, *out]:
            if name not in QUANTITIES:
                raise UsageError(f"quantities: {name}: must be one of {', '.join(QUANTITIES)}")
        for name, array in out.items():
            refuse_immutable(array, f"out[{name!r}]")
        made = dict(out)
        for name in wanted - set(out):
            made[name] = new(shape, COMPONENTS[name], size, gpu)
        bodies = self._bodies(positions, masses, velocities, softenings, offsets, shape)
        self._systems.evaluate(bodies, tuple(made.get(name) for name in QUANTITIES))
        hand_over = chosen(namespace) if namespace is not None else library_of(positions)
        if hand_over:
            made = {name: array if name in out else hand_over(array) for name, array in made.items()}
        _chamomile.look_at_signals()
        return Field(**made)

    def advance(
        self,
        positions: Array,
        velocities: Array,
        masses: Union[Array, float],
        *,
        step: Union[Array, float],
        steps: int = 1,
        scheme: str = "leapfrog",
        softenings: Union[Array, float, None] = None,
        offsets: Optional[Array] = None,
    ) -> None:
        """Moves the bodies by equal steps: overwrites positions and velocities.

        step: length of a step, one for all systems or one for each; steps: their number. scheme: "leapfrog" (second
        order), or "hermite" (fourth order, Plummer softening). An exception leaves the arrays as they were.
        """
        for name, array in (("positions", positions), ("velocities", velocities)):
            refuse_immutable(array, name, f"give a copy, numpy.array({name})")
        require_plain(step, "step")
        lengths = np.ascontiguousarray(np.asarray(step, dtype=np.float64).reshape(-1))
        shape = _chamomile.describe_stack(positions, "positions")[0]
        bodies = self._bodies(positions, masses, velocities, softenings, offsets, shape)
        self._systems.advance(bodies, scheme, lengths, steps)
        _chamomile.look_at_signals()

    @staticmethod
    def _bodies(positions: Array, masses: Any, velocities: Any, softenings: Any, offsets: Any, shape: tuple[int, ...]) -> tuple[Any, ...]:
        return (
            positions,
            _per_body(masses, shape, "masses"),
            velocities,
            _per_body(softenings, shape, "softenings"),
            numbers_of(offsets, "offsets"),
        )

    @property
    def device(self) -> str:
        """The device, such as 'CPU, avx512, 2 threads' or 'NVIDIA H200'."""
        return self._systems.device

    @property
    def options(self) -> dict[str, Any]:
        """The options in use, with 0 and 'auto' replaced by the choices made."""
        return self._systems.options

    def __repr__(self) -> str:
        return f"<chamomile.Batch: {self.device}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("Batch: cannot be pickled, because of threads or GPU; make one per process")

    __copy__ = __deepcopy__ = lambda self, *_: self.__reduce__()
