"""The functions of pytreegrav (Grudic & Gurvich 2021, version 1.5) on chamomile's solvers.

    from chamomile.pytreegrav import Accel, Potential        # instead of: from pytreegrav import ...

Arguments and results are pytreegrav's: array_likes are converted to float64, softenings are support radii h of
the cubic spline (chamomile's softening is h / 2.8), a pair uses the larger of two softenings, and a source at exactly the
position of a target exerts no force. Differences: the criterion with theta holds for a whole group of targets, so errors
are smaller, and theta is at most 1.5. `group_size` is ignored. `device` defaults to "auto". Direct sums are in double.
"""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from typing import Any, Iterator, Optional

import numpy as np

from ._chamomile import thread_count, use_threads
from ._functions import symmetric_matrix
from ._plain import require_plain
from ._solver import Solver
from .errors import InputError

__all__ = ["Accel", "AccelTarget", "ConstructTree", "Potential", "PotentialTarget", "TidalTensor", "TidalTensorTarget"]

SPLINE_RADIUS = 2.8  # h in softening lengths
MOST_DIRECT_PAIRS = 4000**2
_COMPONENTS = {"acceleration": (3,), "potential": (), "tidal_tensor": (6,)}


class Tree:
    """Sources with softenings. Solvers are made when first needed, and kept."""

    def __init__(self, pos: Any, m: Any, softening: Any, quadrupole: bool) -> None:
        require_plain(pos, "pos")
        self.pos = np.atleast_2d(np.asarray(pos, dtype=np.float64))
        self.masses = _for_each(m, len(self.pos), "m")
        self.softening = _for_each(softening, len(self.pos), "softening")
        self.quadrupole = quadrupole
        self._solvers: dict[Any, Solver] = {}

    def solver(self, h: Optional[float], options: dict[str, Any]) -> Solver:
        """Returns the solver with common softening `h`, or per-particle softening for None."""
        known = (h, *sorted(options.items()))
        if known not in self._solvers:
            if h is None:
                solver = Solver(kernel="spline", **options)
                solver.build(self.pos, self.masses, softenings=self.softening / SPLINE_RADIUS)
            else:
                solver = Solver(kernel="spline", softening=h / SPLINE_RADIUS, **options).build(self.pos, self.masses)
            self._solvers[known] = solver
        return self._solvers[known]


def _for_each(values: Any, n: int, name: str) -> np.ndarray:
    require_plain(values, name)
    array = np.zeros(n) if values is None else np.atleast_1d(np.asarray(values, dtype=np.float64))
    if array.shape == (1,) and n > 1 and np.ndim(values) == 0:
        array = np.full(n, array[0])
    if array.shape != (n,):
        raise InputError(f"{name}: shape {array.shape}: must be ({n},)")
    return array


@contextmanager
def _threads(parallel: bool) -> Iterator[None]:
    before = thread_count()
    if not parallel:
        use_threads(1)
    try:
        yield
    finally:
        use_threads(before)


def _common(h: np.ndarray, sources: np.ndarray) -> Optional[float]:
    """Returns the larger softening of target and source if common to all pairs, otherwise None."""
    least, most = sources.min(), max(sources.max(), h.max())
    return float(most) if most == max(least, h.min()) else None


def _field(name: str, points: np.ndarray, h: np.ndarray, tree: Tree, own: bool, options: dict[str, Any]) -> np.ndarray:
    """Returns the field at targets with softenings h. `own`: targets are the sources."""
    if not len(points) or not len(tree.pos):
        return np.zeros((len(points), *_COMPONENTS[name]))
    common = _common(h, tree.softening)
    solver = tree.solver(common, options)
    if own:
        try:
            return getattr(solver.evaluate(quantities=name), name)
        except InputError:  # coincident unsoftened particles, which pytreegrav allows
            return getattr(solver.evaluate(points, quantities=name, self_index=np.arange(len(points))), name)
    self_index = None
    if name != "acceleration":  # exclude a source at the same position
        there = solver.neighbours(points, 0.0)
        if there.indices.shape[1] > 1:
            raise InputError("targets: several sources at the position of one target")
        self_index = there.indices[:, 0] if there.indices.shape[1] else None
    lengths = None if common is not None else h / SPLINE_RADIUS
    return getattr(solver.evaluate(points, quantities=name, target_softenings=lengths, self_index=self_index), name)


def _evaluate(
    name: str,
    pos: Any,
    h: Any,
    tree: Optional[Tree],
    sources: Any,
    G: float,
    theta: float,
    method: str,
    parallel: bool,
    quadrupole: bool,
    device: str,
    return_tree: bool,
) -> Any:
    """Returns the result of a function. `sources`: (pos, m, softening); None: from the tree. h: softenings of the targets, or None."""
    if not isinstance(method, str):
        raise TypeError(f"Invalid method type {type(method)}, must be str")
    if method not in ("adaptive", "bruteforce", "tree"):
        raise ValueError(f"Invalid method {method}. Must be one of: ['adaptive', 'bruteforce', 'tree']")
    require_plain(pos, "pos")
    points = np.atleast_2d(np.asarray(pos, dtype=np.float64))
    own = h is None and tree is None
    if tree is not None and not isinstance(tree, Tree):
        raise TypeError(f"tree: {type(tree).__name__}: must come from chamomile.pytreegrav.ConstructTree()")
    few = tree is None and len(points) * len(np.atleast_2d(sources[0])) <= MOST_DIRECT_PAIRS
    kept: Optional[Tree] = None
    if method == "bruteforce" or (method == "adaptive" and few):
        method = "bruteforce"
        tree = Tree(sources[0], sources[1], sources[2], quadrupole)
    else:
        tree = kept = tree if tree is not None else Tree(sources[0], sources[1], sources[2], quadrupole)
    if quadrupole and not tree.quadrupole:
        raise ValueError("quadrupole=True requires a tree of ConstructTree(..., quadrupole=True)")
    options: dict[str, Any] = {"G": float(G), "device": {"cuda": "gpu"}.get(device, device)}
    if method == "bruteforce":
        options.update(solver="direct", precision="double")
    else:
        options.update(theta=float(theta), order=2 if quadrupole else 0)
    if h is None:
        h = sources[2] if sources else None
    with _threads(parallel):
        result = _field(name, points, _for_each(h, len(points), "softening"), tree, own, options)
    if name == "tidal_tensor":
        result = symmetric_matrix(result)
    return (result, kept) if return_tree else result


def ConstructTree(
    pos: Any,
    m: Any = None,
    softening: Any = None,
    quadrupole: bool = False,
    vel: Any = None,
    compute_moments: bool = True,
    morton_order: bool = True,
    radix: bool = True,
) -> Tree:
    """Returns sources for the argument `tree`: pos (N, 3), m (N,), softening (N,). The last four arguments are ignored."""
    if m is None or vel is not None:
        warnings.warn("trees of chamomile need masses and ignore velocities")
    tree = Tree(pos, m, softening, quadrupole)
    for name, values in (("pos", tree.pos), ("m", tree.masses), ("softening", tree.softening)):
        if not np.isfinite(values).all():
            raise InputError(f"{name}: must be finite")
    return tree


def _of_sources(name: str, doc: str) -> Any:
    def function(
        pos: Any,
        m: Any,
        softening: Any = None,
        G: float = 1.0,
        theta: float = 0.7,
        tree: Optional[Tree] = None,
        return_tree: bool = False,
        parallel: bool = False,
        method: str = "adaptive",
        quadrupole: bool = False,
        group_size: int = 8,
        device: str = "auto",
    ) -> Any:
        if tree is not None:
            n = len(np.atleast_2d(pos))
            return _evaluate(name, pos, _for_each(softening, n, "softening"), tree, (pos, m, softening),
                             G, theta, method, parallel, quadrupole, device, return_tree)
        return _evaluate(name, pos, None, None, (pos, m, softening), G, theta, method, parallel,
                         quadrupole, device, return_tree)

    function.__doc__ = doc
    return function


def _of_targets(name: str, doc: str) -> Any:
    def function(
        pos_target: Any,
        pos_source: Any,
        m_source: Any,
        softening_target: Any = None,
        softening_source: Any = None,
        G: float = 1.0,
        theta: float = 0.7,
        tree: Optional[Tree] = None,
        return_tree: bool = False,
        parallel: bool = False,
        method: str = "adaptive",
        quadrupole: bool = False,
        group_size: int = 8,
        device: str = "auto",
    ) -> Any:
        if tree is None and (pos_source is None or m_source is None):
            raise ValueError("Must pass either pos_source & m_source or source tree.")
        if pos_source is None and method == "bruteforce":
            raise ValueError("method='bruteforce' needs pos_source and m_source")
        h = _for_each(softening_target, len(np.atleast_2d(pos_target)), "softening_target")
        sources = None if pos_source is None else (pos_source, m_source, softening_source)
        return _evaluate(name, pos_target, h, tree, sources, G, theta, method, parallel,
                         quadrupole, device, return_tree)

    function.__doc__ = doc
    return function


Accel = _of_sources("acceleration", "Accelerations (N, 3) of particles by each other.")
Potential = _of_sources("potential", "Potentials (N,) of particles by each other, negative.")
TidalTensor = _of_sources("tidal_tensor", "Tidal tensors d g_i / d x_j (N, 3, 3) of particles by each other.")
AccelTarget = _of_targets("acceleration", "Accelerations (M, 3) at pos_target by sources, or those of `tree`.")
PotentialTarget = _of_targets("potential", "Potentials (M,) at pos_target by sources, or those of `tree`.")
TidalTensorTarget = _of_targets("tidal_tensor", "Tidal tensors (M, 3, 3) at pos_target by sources, or those of `tree`.")
for _name in __all__:
    globals()[_name].__name__ = globals()[_name].__qualname__ = _name
