"""Gravity as differentiable functions of JAX, also under jit, grad and vmap.

    from chamomile.jax import acceleration
    jax.grad(lambda x: (acceleration(x, masses, softening=0.01) ** 2).sum())(positions)

Leading dimensions are batches of systems. Each call is a callback to the host; derivatives are reverse mode, of first
order, with respect to positions, velocities and masses. Options are those of chamomile.Solver.
"""

from __future__ import annotations

import functools
from typing import Any, Callable, Optional

import numpy as np

try:
    import jax
    import jax.numpy as jnp
except ImportError as missing:
    raise ImportError("chamomile.jax: needs JAX: pip install jax") from missing

from . import _adjoint
from .errors import InputError

__all__ = ["acceleration", "potential", "simulate"]

Array = Any


def _shape(array: Array) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(array.shape, array.dtype)


def _systems(x: Array, *others: Optional[Array]) -> list[Optional[np.ndarray]]:
    """Returns host arrays with one leading dimension: positions (B, N, 3), others (B, N) or (B, N, 3)."""
    rows = tuple(x.shape[-2:])
    return [
        None if a is None else np.ascontiguousarray(np.asarray(a).reshape(-1, *(rows if a.ndim == x.ndim else rows[:1]))) for a in (x, *others)
    ]


def _sums(quantity: str, options: str, x: Array, m: Array, s: Optional[Array]) -> np.ndarray:
    sources = _systems(x, m, s)
    found = np.empty(sources[quantity == "potential"].shape, x.dtype)  # type: ignore[union-attr]
    if found.size:
        _adjoint.sums(options, *sources, *((found, None) if quantity == "acceleration" else (None, found)))
    return found.reshape(x.shape if quantity == "acceleration" else m.shape)


def _gradients(quantity: str, options: str, x: Array, m: Array, s: Optional[Array], of: Array) -> tuple[np.ndarray, np.ndarray]:
    sources, given = _systems(x, m, s), _systems(x, of)[1]
    into = np.empty(sources[0].shape, x.dtype), np.empty(sources[1].shape, x.dtype)  # type: ignore[union-attr]
    if into[1].size:
        _adjoint.gradients(options, *sources, (given, None) if quantity == "acceleration" else (None, given), into)
    return into[0].reshape(x.shape), into[1].reshape(m.shape)


def _call(function: Callable[..., Any], shapes: Any, *arrays: Any) -> Any:
    return jax.pure_callback(function, shapes, *arrays, vmap_method="broadcast_all")


@functools.partial(jax.custom_vjp, nondiff_argnums=(0, 1))
def _field(quantity: str, options: str, x: Array, m: Array, s: Optional[Array]) -> Array:
    return _call(functools.partial(_sums, quantity, options), _shape(x if quantity == "acceleration" else m), x, m, s)


def _forward(quantity: str, options: str, x: Array, m: Array, s: Optional[Array]) -> tuple[Array, Any]:
    return _field(quantity, options, x, m, s), (x, m, s)


def _backward(quantity: str, options: str, kept: Any, of: Array) -> tuple[Array, Array, Optional[Array]]:
    x, m, s = kept
    found = _call(functools.partial(_gradients, quantity, options), (_shape(x), _shape(m)), x, m, s, of)
    return (*found, None if s is None else jnp.zeros_like(s))


_field.defvjp(_forward, _backward)


def _checked(positions: Array, **others: Any) -> list[Optional[Array]]:
    """Returns arrays of one type, after checks of types and shapes."""
    positions = jnp.asarray(positions)
    if positions.dtype not in (jnp.float32, jnp.float64):
        raise TypeError(f"positions: {positions.dtype}: must be float32 or float64")
    if positions.ndim < 2 or positions.shape[-1] != 3:
        raise InputError(f"positions: shape {positions.shape}: must be (..., N, 3)")
    found: list[Optional[Array]] = [positions]
    for name, values in others.items():
        shape = positions.shape if name == "velocities" else positions.shape[:-1]
        if values is not None:
            values = jnp.asarray(values, positions.dtype)
            if values.shape not in ((), shape):
                raise InputError(f"{name}: shape {values.shape}: must be {shape}")
            values = jnp.broadcast_to(values, shape)
        found.append(values)
    if found[-1] is not None and "softenings" in others:
        found[-1] = jax.lax.stop_gradient(found[-1])
    return found


def acceleration(positions: Array, masses: Any, *, softenings: Any = None, **options: Any) -> Array:
    """Returns accelerations at the sources, (..., N, 3), each without itself.

    positions: (..., N, 3), float32 or float64; masses and softenings: (..., N), or a number. Softenings count as constants.
    """
    return _field("acceleration", _adjoint.text_of(options), *_checked(positions, masses=masses, softenings=softenings))


def potential(positions: Array, masses: Any, *, softenings: Any = None, **options: Any) -> Array:
    """Returns potentials at the sources, (..., N), each without itself. For the arguments see acceleration()."""
    return _field("potential", _adjoint.text_of(options), *_checked(positions, masses=masses, softenings=softenings))


def _runs(work: Callable[..., Any], options: str, step: float, arrays: list[Any]) -> list[np.ndarray]:
    """Returns what work(run, k) returns for each system k, stacked."""
    x, v, m, s = _systems(arrays[0], *arrays[1:])
    found = []
    for k in range(len(x)):  # type: ignore[arg-type]
        run = _adjoint.Run(options, m[k].astype(np.float64), None if s is None else s[k].astype(np.float64), step)  # type: ignore[index]
        run.start(x[k].astype(np.float64), v[k].astype(np.float64))  # type: ignore[index]
        found.append(work(run, k))
    return [np.stack(parts).reshape(like.shape).astype(like.dtype) for parts, like in zip(zip(*found), arrays)]


def _run(options: str, step: float, steps: int, *arrays: Any) -> tuple[np.ndarray, ...]:
    def work(run: _adjoint.Run, k: int) -> tuple[np.ndarray, ...]:
        run.forward(steps)
        return run.positions, run.velocities

    return tuple(_runs(work, options, step, list(arrays)))


def _run_back(options: str, step: float, steps: int, x: Any, v: Any, m: Any, s: Any, of_x: Any, of_v: Any) -> tuple[np.ndarray, ...]:
    given = _systems(x, of_x, of_v)[1:]

    def work(run: _adjoint.Run, k: int) -> tuple[np.ndarray, ...]:
        run.forward(steps)
        return run.backward(steps, *(of[k].astype(np.float64) for of in given))  # type: ignore[index]

    return tuple(_runs(work, options, step, [x, v, m, s]))


@functools.partial(jax.custom_vjp, nondiff_argnums=(0, 1, 2))
def _simulate(options: str, step: float, steps: int, x: Array, v: Array, m: Array, s: Optional[Array]) -> tuple[Array, Array]:
    return _call(functools.partial(_run, options, step, steps), (_shape(x), _shape(v)), x, v, m, s)


def _simulate_back(options: str, step: float, steps: int, kept: Any, of: tuple[Array, Array]) -> tuple[Optional[Array], ...]:
    x, v, m, s = kept
    found = _call(functools.partial(_run_back, options, step, steps), (_shape(x), _shape(v), _shape(m)), x, v, m, s, *of)
    return (*found, None if s is None else jnp.zeros_like(s))


_simulate.defvjp(lambda options, step, steps, *arrays: (_simulate(options, step, steps, *arrays), arrays), _simulate_back)


def simulate(
    positions: Array, velocities: Array, masses: Any, *, step: float, steps: int, softenings: Any = None, **options: Any
) -> tuple[Array, Array]:
    """Returns positions and velocities after `steps` leapfrog steps, (..., N, 3).

    The backward pass makes the run again and then runs the steps back, exactly: positions and velocities are integers of
    52 bits. It keeps one state.
    """
    x, v, m, s = _checked(positions, velocities=velocities, masses=masses, softenings=softenings)
    return _simulate(_adjoint.text_of(options), float(step), _adjoint.count_of(steps), x, v, m, s)
