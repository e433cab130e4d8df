"""Refusal of arguments with units, masks or derivatives."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

_NO_UNIT = ("", "dimensionless", "NoUnit()")
_CONVERSIONS = ("to_value", "m_as", "value_in", "in_units")  # of astropy and unyt, pint, AMUSE, pynbody


def _with_unit(value: Any, name: str) -> str:
    unit = getattr(value, "unit", None)
    unit = getattr(value, "units", None) if unit is None else unit
    if unit is None or str(unit) in _NO_UNIT:
        return ""
    method = next((method for method in _CONVERSIONS if hasattr(value, method)), None)
    how = f"{name}.{method}('{unit}')" if method else f"numpy.array({name})"
    return f"in {unit}: must be plain numbers, in units in which G is the option G: convert with {how}"


def _masked(value: Any, name: str) -> str:
    mask = getattr(value, "mask", None)
    if not isinstance(mask, (bool, np.bool_, np.ndarray)) or not np.any(mask):
        return ""
    return f"with {np.count_nonzero(mask)} masked values: must have none: leave out their rows, or give {name}.filled(VALUE)"


def _of_torch(value: Any, name: str) -> str:
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(value, torch.Tensor):
        return ""
    wrapped = getattr(getattr(torch._C, "_functorch", None), "is_functorch_wrapped_tensor", None)
    if wrapped is not None and wrapped(value):
        return "within a transform of torch.func: must be a plain tensor: call outside the transform"
    if value.requires_grad:
        return f"with requires_grad: no gradient passes through: use chamomile.torch, or give {name}.detach()"
    if torch.autograd.forward_ad.unpack_dual(value).tangent is not None:
        return f"dual: no tangent passes through: give torch.autograd.forward_ad.unpack_dual({name}).primal"
    if value.is_neg():
        return f"a view of the negative numbers: give {name}.resolve_neg()"
    return ""


def _of_jax(value: Any, name: str) -> str:
    jax = sys.modules.get("jax")
    if jax is None or not isinstance(value, jax.core.Tracer):
        return ""
    return "traced by jit, grad or vmap: must be an array of numbers: use chamomile.jax, or call outside"


def require_plain(value: Any, name: str) -> None:
    """Raises TypeError, with the name of the argument and a remedy, if the bare numbers of `value` would be wrong."""
    if type(value) in (np.ndarray, float, int, str):
        return
    for look in (_with_unit, _masked, _of_torch, _of_jax):
        if wrong := look(value, name):
            raise TypeError(f"{name}: {type(value).__name__} {wrong}")
