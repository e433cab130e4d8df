"""Sums and their gradients for many systems, for chamomile.torch."""

from __future__ import annotations

import ast
import operator
import threading
from typing import Any, NamedTuple, Optional

import numpy as np

from ._solver import Gradient, Solver
from .errors import UsageError

_MAX_KEPT = 4


class _Kept(NamedTuple):
    """A solver with copies of its sources."""

    options: str
    sources: tuple[Any, ...]
    solver: Solver


_kept: list[_Kept] = []  # most recent first
_lock = threading.RLock()


def text_of(options: dict[str, Any]) -> str:
    """Returns options as one constant, which traced programs keep."""
    return ";".join([f"{name}={options[name]!r}" for name in sorted(options)])


def read_options(text: str) -> dict[str, Any]:
    return {name: ast.literal_eval(value) for name, _, value in (item.partition("=") for item in text.split(";") if item)}


def count_of(steps: Any) -> int:
    """Returns a number of steps. Raises TypeError or UsageError."""
    try:
        count = operator.index(steps)
    except TypeError:
        raise TypeError(f"steps: {steps!r}: must be a whole number") from None
    if count < 0:
        raise UsageError(f"steps: {count}: must be 0 or more")
    return count


def _are_equal(a: Any, b: Any) -> bool:
    if a is None or b is None:
        return a is b
    if type(a) is not type(b) or a.shape != b.shape or a.dtype != b.dtype or getattr(a, "device", None) != getattr(b, "device", None):
        return False
    return bool((a == b).all())


def built(options: str, *sources: Any) -> Solver:
    """Returns a solver with these positions, masses and softenings: if possible, the one of an earlier call, with its tree.

    The caller holds the lock while it uses the solver.
    """
    for k, kept in enumerate(_kept):
        if kept.options == options and all(map(_are_equal, kept.sources, sources)):
            _kept.insert(0, _kept.pop(k))
            return kept.solver
    solver = None
    if len(_kept) == _MAX_KEPT:
        oldest = _kept.pop()
        solver = oldest.solver if oldest.options == options else None
    solver = (solver or Solver(**read_options(options))).build(sources[0], sources[1], softenings=sources[2])
    copies = tuple(None if s is None else s.copy() if isinstance(s, np.ndarray) else s.clone() for s in sources)
    _kept.insert(0, _Kept(options, copies, solver))
    return solver


def _system(array: Any, k: int) -> Any:
    return None if array is None else array[k]


def sums(options: str, positions: Any, masses: Any, softenings: Any, acceleration: Any, potential: Any) -> None:
    """Computes the fields of B systems: positions (B, N, 3), masses (B, N); softenings and results may be None."""
    wanted = {name: into for name, into in (("acceleration", acceleration), ("potential", potential)) if into is not None}
    with _lock:
        for k in range(len(positions)):
            solver = built(options, positions[k], masses[k], _system(softenings, k))
            solver.evaluate(out={name: into[k] for name, into in wanted.items()})


def gradients(options: str, positions: Any, masses: Any, softenings: Any, given: tuple[Any, Any], into: tuple[Any, Any]) -> None:
    """Computes gradients of losses of B systems from dL/da and dL/dphi, which may be None, to dL/dx and dL/dm."""
    with _lock:
        for k in range(len(positions)):
            solver = built(options, positions[k], masses[k], _system(softenings, k))
            solver.vjp(*(_system(array, k) for array in given), out=Gradient(into[0][k], into[1][k]))


class Run:
    """A run by leapfrog steps (kick, drift, kick) of one system, on a lattice of integers: it reverses exactly.

    Positions and velocities are multiples of powers of two, rounded to nearest (Levesque & Verlet 1993).
    """

    _BITS = 2.0**52  # of the largest coordinate at the start; runs may reach 1000 times farther

    def __init__(self, options: str, masses: np.ndarray, softenings: Optional[np.ndarray], step: float) -> None:
        self._options, self._masses, self._softenings, self.step = options, masses, softenings, step

    def _unit(self, values: np.ndarray) -> float:
        largest = float(np.abs(values).max(initial=0))
        return 2.0 ** np.ceil(np.log2(largest)) / self._BITS if largest > 0 else 1 / self._BITS

    def start(self, positions: np.ndarray, velocities: np.ndarray) -> None:
        self._unit_x, self._unit_v = self._unit(positions), self._unit(velocities)
        if not velocities.any():
            self._unit_v = self._unit_x / abs(self.step)
        self._x, self._v = self._steps(positions, self._unit_x), self._steps(velocities, self._unit_v)
        self._force: Optional[np.ndarray] = None  # acceleration at the positions

    @staticmethod
    def _steps(values: np.ndarray, unit: float, before: Any = 0, times: int = 1) -> np.ndarray:
        """Returns values in units. With `times` of them `before` must stay in range."""
        steps = np.rint(values / unit)
        if not (np.abs(before + times * steps) < 2.0**62).all():
            raise UsageError("simulate: a coordinate grew 1000-fold or is not finite: use more softening or shorter steps")
        return steps.astype(np.int64)

    @property
    def positions(self) -> np.ndarray:
        return self._x * self._unit_x

    @property
    def velocities(self) -> np.ndarray:
        return self._v * self._unit_v

    def solver(self) -> Solver:
        return built(self._options, self.positions, self._masses, self._softenings)

    def _kick(self, times: int, time: float) -> None:
        if self._force is None:
            self._force = self.solver().evaluate().acceleration
        self._v += times * self._steps(time * self._force, self._unit_v, self._v, times)

    def _drift(self, time: float) -> None:
        self._x += self._steps(time * self.velocities, self._unit_x, self._x)
        self._force = None

    def forward(self, count: int) -> None:
        with _lock:
            for k in range(count):
                self._kick(1 if k == 0 else 2, 0.5 * self.step)
                self._drift(self.step)
            self._kick(min(count, 1), 0.5 * self.step)

    def backward(self, count: int, of_positions: np.ndarray, of_velocities: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Runs back to the start; returns dL/dx and dL/dv there, and dL/dm, from dL/dx and dL/dv at the end."""
        of_x, of_v, of_m, half = of_positions.copy(), of_velocities.copy(), np.zeros(len(of_positions)), 0.5 * self.step

        def kick_back(times: int) -> None:
            gradient = self.solver().vjp(times * half * of_v)
            np.add(of_x, gradient.positions, out=of_x)
            np.add(of_m, gradient.masses, out=of_m)
            self._kick(times, -half)

        with _lock:
            for k in range(count):
                kick_back(1 if k == 0 else 2)
                np.add(of_v, self.step * of_x, out=of_v)
                self._drift(-self.step)
            if count > 0:
                kick_back(1)
        return of_x, of_v, of_m
