"""Arrays for results, and conversion to the caller's library."""

from __future__ import annotations

import importlib
import numbers
from typing import Any, Callable, Mapping, Optional, Union

import numpy as np

from . import _chamomile
from ._plain import require_plain
from .errors import InputError

Array = Any
"""An array of numpy, CuPy, PyTorch, JAX, Numba, ..., with the buffer protocol, ``__cuda_array_interface__`` or
DLPack. float32 or float64, any strides. Nothing is copied or converted.
Sums are in float by default for both types: precision="double" sums in double."""

HandOver = Callable[[Any], Any]


def _from_dlpack(name: str) -> HandOver:
    module = importlib.import_module("jax.dlpack" if name in ("jax", "jaxlib") else name)
    return module.from_dlpack


def library_of(array: Array) -> Optional[HandOver]:
    """Returns the conversion of a result to the library of `array`, or None for no conversion."""
    name = type(array).__module__.partition(".")[0]
    if name in ("torch", "cupy", "jax", "jaxlib"):
        return _from_dlpack(name)
    if name != "numpy" and hasattr(array, "__array_namespace__"):
        return array.__array_namespace__().from_dlpack
    return None


def chosen(namespace: Any) -> HandOver:
    """Returns the conversion to the given module. numpy copies from a GPU."""
    if namespace is np:
        return lambda result: result.numpy() if isinstance(result, _chamomile.DeviceArray) else result
    if getattr(namespace, "__name__", "") == "jax":
        return _from_dlpack("jax")
    if not hasattr(namespace, "from_dlpack"):
        raise TypeError(f"namespace: {namespace!r}: must be a module with from_dlpack(), such as torch")
    return namespace.from_dlpack


def new(rows: Union[int, tuple[int, ...]], components: int, size: int, gpu: int) -> Any:
    """Returns an empty array for a result, on GPU number `gpu` or on the host (-1)."""
    shape = (rows if isinstance(rows, tuple) else (rows,)) + ((components,) if components > 1 else ())
    if gpu >= 0:
        return _chamomile.device_array(gpu, shape, size)
    return np.empty(shape, np.float32 if size == 4 else np.float64)


def refuse_immutable(array: Array, name: str, advice: str = "leave it out and use the returned array") -> None:
    """Raises InputError for a JAX array, which is immutable and may be shared."""
    if type(array).__module__.partition(".")[0] in ("jax", "jaxlib"):
        raise InputError(f"{name}: JAX array: must be writable; {advice}")


def is_one(values: Any) -> bool:
    """Returns whether `values` is a single number or a zero-dimensional array."""
    return isinstance(values, numbers.Real) or getattr(values, "shape", None) == ()


def one_per_row(values: Any, rows: int, name: str) -> Array:
    """Returns an array unchanged, or broadcasts one number to all rows."""
    require_plain(values, name)
    return np.broadcast_to(float(values), (rows,)) if is_one(values) else values


def refuse_upon(out: Mapping[str, Array], **read: tuple[Any, int]) -> None:
    """Raises InputError if a result would overwrite an array that the call reads: name=(array, components)."""
    for name, room in out.items():
        refuse_immutable(room, f"out[{name!r}]")
    arrays = {name: given for name, given in read.items() if given[0] is not None and not is_one(given[0])}
    _chamomile.refuse_overlap(dict(out), arrays)


def numbers_of(values: Any, name: str) -> Optional[np.ndarray]:
    """Returns source indices as int64, from any integer type."""
    if values is None:
        return None
    require_plain(values, name)
    array = np.asarray(values)
    if array.ndim != 1:
        raise InputError(f"{name}: shape {array.shape}: must be (N,)")
    if array.size and array.dtype.kind not in "iu":
        raise TypeError(f"{name}: {array.dtype}: must be whole numbers; for a mask use numpy.flatnonzero({name})")
    return np.ascontiguousarray(array, dtype=np.int64)


def memory_of(values: Any) -> tuple[Any, int]:
    """Returns integers for refuse_upon(), viewed as floats over the same bytes."""
    array = None if values is None else np.asarray(values)
    if array is None or array.dtype.itemsize not in (4, 8):
        return None, 1
    return array.view(f"f{array.dtype.itemsize}"), 1
