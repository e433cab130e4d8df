"""Gravity as differentiable functions of JAX, also under jit, grad and vmap.

    from chamomile.jax import acceleration
    jax.grad(lambda x: (acceleration(x, masses, softening=0.01) ** 2).sum())(positions)

Leading dimensions are batches of systems. Arrays are read and written where they lie, on the processor or on a GPU, which
also is the default device of the sums. Derivatives are reverse mode, of first order, with respect to positions, velocities
and masses. Options are those of chamomile.Solver; invalid ones raise its exceptions when a function is traced. Faults of
values, such as nan, are exceptions of JAX.
"""

from __future__ import annotations

import contextlib
import functools
import pathlib
import re
from typing import Any, Optional

import numpy as np

try:
    import jax
    import jax.numpy as jnp
except ImportError as missing:
    raise ImportError("chamomile.jax: needs JAX: pip install jax") from missing

from . import _chamomile
from ._adjoint import count_of
from ._plain import require_plain
from .errors import InputError, UsageError

if not hasattr(_chamomile, "xla_targets"):
    raise ImportError("chamomile.jax: built without JAX: set CHAMOMILE_JAX=1 and install chamomile again")
_minor = int(re.findall(r"define XLA_FFI_API_MINOR (\d+)", pathlib.Path(jax.ffi.include_dir(), "xla/ffi/api/c_api.h").read_text())[0])
if _minor < _chamomile.xla_minor:  # JAX would not start
    raise ImportError(f"chamomile.jax: built for XLA's interface 0.{_chamomile.xla_minor}: JAX {jax.__version__} has 0.{_minor}: install a newer JAX")
for _name, _handler, _platform in _chamomile.xla_targets():
    jax.ffi.register_ffi_target(_name, _handler, platform=_platform)

__all__ = ["acceleration", "potential", "simulate"]

Array = Any


def _in_doubles() -> Any:
    """Returns a context in which JAX has numbers of 64 bits."""
    if jax.config.jax_enable_x64:
        return contextlib.nullcontext()
    if not hasattr(jax, "enable_x64"):
        raise UsageError("simulate: needs jax.config.update('jax_enable_x64', True) with this version of JAX")
    return jax.enable_x64(True)


@functools.partial(jax.custom_jvp, nondiff_argnums=(0, 1, 2))
def _call(name: str, options: str, results: tuple[Any, ...], *arrays: Any) -> Any:
    call = jax.ffi.ffi_call(name, [jax.ShapeDtypeStruct(*result) for result in results], vmap_method="broadcast_all")
    return call(*arrays, options=options, threads=np.int64(_chamomile.thread_count()))


@_call.defjvp
def _refuse(*given: Any) -> Any:
    raise NotImplementedError("chamomile.jax: second derivatives: are not available")


def _sums(quantity: str, options: str, x: Array, m: Array, s: Array) -> list[Array]:
    """Returns the field and the marks of the trees, by which _gradients() finds them."""
    shape = x.shape if quantity == "acceleration" else m.shape
    return _call("chamomile_sums", options, ((shape, x.dtype), ((*x.shape[:-2], 2), jnp.float32)), x, m, s)


def _gradients(options: str, x: Array, m: Array, s: Array, marks: Array, of: Array) -> list[Array]:
    """Returns dL/dx and dL/dm from dL/da or dL/dphi, by the shape of `of`."""
    return _call("chamomile_gradients", options, ((x.shape, x.dtype), (m.shape, x.dtype)), x, m, s, marks, of)


@functools.partial(jax.custom_vjp, nondiff_argnums=(0, 1))
def _field(quantity: str, options: str, x: Array, m: Array, s: Array) -> Array:
    return _sums(quantity, options, x, m, s)[0]


def _forward(quantity: str, options: str, x: Array, m: Array, s: Array) -> tuple[Array, Any]:
    field, marks = _sums(quantity, options, x, m, s)
    return field, (x, m, s, marks)


def _backward(quantity: str, options: str, kept: Any, of: Array) -> tuple[Array, ...]:
    return (*_gradients(options, *kept, of), jnp.zeros_like(kept[2]))


_field.defvjp(_forward, _backward)


def _checked(options: dict[str, Any], positions: Array, **others: Any) -> list[Any]:
    """Returns the options as a text, and arrays of one type, after checks of types and shapes."""
    for name, values in {"positions": positions, **others}.items():
        if values is not None and not isinstance(values, jax.Array):
            require_plain(values, name)
    positions = jnp.asarray(positions)
    if positions.dtype not in (jnp.float32, jnp.float64):
        raise TypeError(f"positions: {positions.dtype}: must be float32 or float64")
    if positions.ndim < 2 or positions.shape[-1] != 3:
        raise InputError(f"positions: shape {positions.shape}: must be (..., N, 3)")
    found = [_chamomile.xla_options(dict(sorted(options.items())), others["softenings"] is not None), positions]
    for name, values in others.items():
        shape = positions.shape if name == "velocities" else positions.shape[:-1]
        if values is None:  # no softenings
            shape, values = (*positions.shape[:-2], 0), 0
        values = jnp.asarray(values, positions.dtype)
        if values.shape not in ((), shape):
            raise InputError(f"{name}: shape {values.shape}: must be {shape}")
        found.append(jnp.broadcast_to(values, shape))
    found[-1] = jax.lax.stop_gradient(found[-1])  # softenings
    return found


def acceleration(positions: Array, masses: Any, *, softenings: Any = None, **options: Any) -> Array:
    """Returns accelerations at the sources, (..., N, 3), each without itself.

    positions: (..., N, 3), float32 or float64; masses and softenings: (..., N), or a number. Softenings count as constants.
    """
    return _field("acceleration", *_checked(options, positions, masses=masses, softenings=softenings))


def potential(positions: Array, masses: Any, *, softenings: Any = None, **options: Any) -> Array:
    """Returns potentials at the sources, (..., N), each without itself. For the arguments see acceleration()."""
    return _field("potential", *_checked(options, positions, masses=masses, softenings=softenings))


_BITS = 52  # of the largest coordinate at the start; runs may reach 1000 times farther


class _Run:
    """Leapfrog steps (kick, drift, kick) on a lattice of integers, as in _adjoint.Run. A state is x, v and whether they fit."""

    def __init__(self, options: str, step: float, m: Array, s: Array, units: tuple[Array, Array]) -> None:
        self.options, self.step, self.sources, self.units = options, step, (m.astype(jnp.float64), s.astype(jnp.float64)), units

    @staticmethod
    def units_of(x: Array, v: Array, step: float) -> tuple[Array, Array]:
        """Returns the units of positions and velocities, powers of two, (..., 1, 1)."""

        def unit(values: Array, of_zeros: Any) -> Array:
            largest = jnp.abs(values).max(axis=(-2, -1), keepdims=True, initial=0)
            words = jax.lax.bitcast_convert_type(largest, jnp.int64) & 0x7FF0000000000000  # exponents
            powers = jax.lax.bitcast_convert_type(words, jnp.float64)
            return jnp.where(powers > 0, powers * 2.0 ** (1 - _BITS), of_zeros)

        of_x = unit(x, 2.0**-_BITS)
        return of_x, unit(v, of_x / abs(step))

    def add(self, values: Array, change: Array, axis: int, fits: Array, times: Any = 1) -> tuple[Array, Array]:
        steps = jnp.rint(change / self.units[axis])
        fits &= (jnp.abs(values.astype(jnp.float64) + times * steps) < 2.0**62).all(axis=(-2, -1), keepdims=True)
        return values + times * steps.astype(jnp.int64), fits

    def force(self, x: Array) -> list[Array]:
        return _sums("acceleration", self.options, x * self.units[0], *self.sources)

    def kick(self, state: Any, force: Array, sign: int, times: Any) -> Any:
        x, v, fits = state
        return (x, *self.add(v, 0.5 * sign * self.step * force, 1, fits, times))

    def drift(self, state: Any, sign: int) -> Any:
        x, v, fits = state
        x, fits = self.add(x, sign * self.step * (v * self.units[1]), 0, fits)
        return x, v, fits

    def forward(self, state: Any, count: int) -> Any:
        def advance(k: Array, state: Any) -> Any:
            return self.drift(self.kick(state, self.force(state[0])[0], 1, jnp.where(k == 0, 1, 2)), 1)

        state = jax.lax.fori_loop(0, count, advance, state)
        return self.kick(state, self.force(state[0])[0], 1, 1) if count else state

    def backward(self, state: Any, count: int, of: Any) -> Any:
        """Returns the state at the start, and dL/dx, dL/dv and dL/dm there, from these at the end."""

        def kick(state: Any, of: Any, times: Any) -> Any:
            (force, marks), (of_x, of_v, of_m) = self.force(state[0]), of
            more = _gradients(self.options, state[0] * self.units[0], *self.sources, marks, times * 0.5 * self.step * of_v)
            return self.kick(state, force, -1, times), (of_x + more[0], of_v, of_m + more[1])

        def retreat(k: Array, both: Any) -> Any:
            state, (of_x, of_v, of_m) = kick(*both, jnp.where(k == 0, 1, 2))
            return self.drift(state, -1), (of_x, of_v + self.step * of_x, of_m)

        state, of = jax.lax.fori_loop(0, count, retreat, (state, of))
        return kick(state, of, 1) if count else (state, of)


def _simulated(options: str, step: float, count: int, x: Array, v: Array, m: Array, s: Array) -> tuple[Any, Any]:
    """Returns the end, and what the backward pass needs. Numbers of 64 bits go out as pairs of 32."""
    with _in_doubles():
        begin = x.astype(jnp.float64), v.astype(jnp.float64)
        run = _Run(options, step, m, s, _Run.units_of(*begin, step))
        state: Any = (jnp.zeros(x.shape, jnp.int64),) * 2 + (jnp.ones((*x.shape[:-2], 1, 1), bool),)
        for axis in (0, 1):
            values, fits = run.add(state[axis], begin[axis], axis, state[2])
            state = (*state[:axis], values, *state[axis + 1 : 2], fits)
        state = run.forward(state, count)
        end = [jnp.where(state[2], state[axis] * run.units[axis], jnp.nan).astype(x.dtype) for axis in (0, 1)]
        words = [jax.lax.bitcast_convert_type(array, jnp.int32) for array in (*state[:2], *run.units)]
        return (end[0], end[1]), (words, state[2], m, s)


@functools.partial(jax.custom_vjp, nondiff_argnums=(0, 1, 2))
def _simulate(options: str, step: float, count: int, x: Array, v: Array, m: Array, s: Array) -> tuple[Array, Array]:
    return _simulated(options, step, count, x, v, m, s)[0]


def _simulate_back(options: str, step: float, count: int, kept: Any, of: tuple[Array, Array]) -> tuple[Array, ...]:
    words, fits, m, s = kept
    with _in_doubles():
        x, v = (jax.lax.bitcast_convert_type(word, jnp.int64) for word in words[:2])
        units = [jax.lax.bitcast_convert_type(word, jnp.float64) for word in words[2:]]
        run = _Run(options, step, m, s, (units[0], units[1]))
        (_, _, fits), found = run.backward((x, v, fits), count, (*(a.astype(jnp.float64) for a in of), jnp.zeros(m.shape)))
        of_x, of_v = (jnp.where(fits, a, jnp.nan).astype(m.dtype) for a in found[:2])
        return of_x, of_v, jnp.where(fits[..., 0], found[2], jnp.nan).astype(m.dtype), jnp.zeros_like(s)


_simulate.defvjp(_simulated, _simulate_back)


def simulate(
    positions: Array, velocities: Array, masses: Any, *, step: float, steps: int, softenings: Any = None, **options: Any
) -> tuple[Array, Array]:
    """Returns positions and velocities after `steps` leapfrog steps, (..., N, 3).

    The backward pass runs the steps back, exactly: positions and velocities are integers of 52 bits. It keeps one state.
    Systems with a coordinate that grew 1000-fold end as nan.
    """
    text, *arrays = _checked(options, positions, velocities=velocities, masses=masses, softenings=softenings)
    return _simulate(text, float(step), count_of(steps), *arrays)
