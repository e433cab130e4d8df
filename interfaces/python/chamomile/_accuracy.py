"""Errors of forces against direct sums."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Union

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


def accuracy(
    positions: Array, masses: Union[Array, float], *, softenings: Union[Array, float, None] = None, sample: int = 1000, **options: Unpack[Options]
) -> ForceErrors:
    """Returns the force errors with these options, for `sample` particles spread evenly over all.

    positions: (N, 3), masses: (N,) or a number, softenings: (N,), like in Solver.build(), on the host. The direct sums need sample x N pairs in double,
    with code independent of the solvers. help(chamomile.Options) explains the options.
    """
    rows = _chamomile.describe(positions, "positions", 3)[0]
    masses = one_per_row(masses, rows, "masses")
    if softenings is not None:
        softenings = one_per_row(softenings, rows, "softenings")
    found = _chamomile.accuracy(positions, masses, softenings, sample, dict(options))
    parts = {name: Percentiles(**found[name]) for name in ("acceleration", "scaled", "potential")}
    return ForceErrors(**parts, worst=found["worst"], targets=found["targets"])
