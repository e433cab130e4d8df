"""Errors of forces against direct sums."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from . import _chamomile
from ._arrays import Array, one_per_row

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import Options


@dataclass(frozen=True)
class Percentiles:
    """Percentiles of relative errors over the measured targets."""

    rms: float
    median: float
    p90: float
    p99: float
    p999: float
    max: float


@dataclass(frozen=True)
class ForceErrors:
    """Errors relative to direct sums over all pairs in double."""

    acceleration: Percentiles
    """|da| / |a|."""
    scaled: Percentiles
    """|da| / sum_j G m_j / r_ij^2, the scaled error of Dehnen (2014); NaN in a periodic box."""
    potential: Percentiles
    """|dphi| / |phi|."""
    worst: int
    """Index of the particle with the largest |da| / |a|."""
    targets: int
    """Number of measured particles."""


@dataclass(frozen=True)
class Judgement:
    """The judgement on another code's forces."""

    findings: tuple[str, ...]
    """One sentence per systematic error, such as "all accelerations are 1.01 times the exact ones: another G, other masses or units?"."""
    stated: ForceErrors
    """Errors with the G and softening in the arguments."""
    found: ForceErrors
    """Errors with the factor, softening, axes and order below and in `findings`."""
    factor: float
    """Accelerations over exact ones, for all particles."""
    potential_factor: float
    """Potentials over exact ones, for all particles."""
    kernel: str
    """Kind of softening: plummer or spline."""
    softening: float
    """Plummer-equivalent length; the largest of several."""
    targets: Array
    """Indices of the compared particles."""
    acceleration_errors: Array
    """|da| / |a| of each target, with the law found; empty without accelerations."""
    potential_errors: Array
    """|dphi| / |phi| of each target; empty without potentials."""


def accuracy(
    positions: Array, masses: Union[Array, float], *, softenings: Union[Array, float, None] = None, sample: int = 1000, **options: Unpack[Options]
) -> ForceErrors:
    """Returns the force errors with these options, for `sample` particles spread evenly over all.

    positions: (N, 3), masses: (N,) or a number, softenings: (N,), like in Solver.build(), on the host. The direct sums need sample x N pairs in double,
    with code independent of the solvers. help(chamomile.Options) explains the options.
    """
    masses, softenings = _of_particles(positions, masses, softenings)
    found = _chamomile.accuracy(positions, masses, softenings, sample, dict(options))
    return _errors(found, found["targets"])


def judge(
    positions: Array,
    masses: Union[Array, float],
    accelerations: Optional[Array] = None,
    potentials: Optional[Array] = None,
    *,
    softenings: Union[Array, float, None] = None,
    sample: int = 5000,
    **options: Unpack[Options],
) -> Judgement:
    """Returns the errors of another code's accelerations (N, 3) and potentials (N,), and what is wrong with all of them.

    Exact forces are direct sums in double at `sample` particles. G and softening are those with the smallest errors, unless given: G=, softening=, kernel=.
    Like `chamomile accuracy --compare`. help(chamomile.Options) explains the options; those of the method have no effect.
    """
    masses, softenings = _of_particles(positions, masses, softenings)
    found = _chamomile.judge(positions, masses, accelerations, potentials, softenings, sample, dict(options))
    targets = np.array(found.pop("targets"), dtype=np.int64)
    errors = {name: _errors(found.pop(name), len(targets)) for name in ("stated", "found")}
    arrays = {name: np.array(found.pop(name)) for name in ("acceleration_errors", "potential_errors")}
    return Judgement(findings=tuple(found.pop("findings")), targets=targets, **errors, **arrays, **found)


def _of_particles(positions: Array, masses: Union[Array, float], softenings: Union[Array, float, None]) -> tuple[Array, Optional[Array]]:
    rows = _chamomile.describe(positions, "positions", 3)[0]
    return one_per_row(masses, rows, "masses"), None if softenings is None else one_per_row(softenings, rows, "softenings")


def _errors(found: dict[str, Any], targets: int) -> ForceErrors:
    parts = {name: Percentiles(**found[name]) for name in ("acceleration", "scaled", "potential")}
    return ForceErrors(**parts, worst=found["worst"], targets=targets)
