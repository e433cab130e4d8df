"""Gravity as differentiable operators of PyTorch.

    from chamomile.torch import acceleration
    a = acceleration(positions, masses, softening=0.01)    # (..., N, 3)
    a.square().sum().backward()                            # positions.grad, masses.grad

Leading dimensions and torch.func.vmap are batches of systems. torch.compile keeps the operators as they are, without a
graph break. Derivatives are with respect to positions, velocities and masses, of first order. Options are those of
chamomile.Solver; the sums and gradients of a tensor on a GPU run on it.
"""

from __future__ import annotations

from typing import Any, Optional, Union

try:
    import torch
    from torch import library as operators
except ImportError as missing:
    raise ImportError("chamomile.torch: needs PyTorch: pip install torch") from missing

from . import _adjoint
from .errors import InputError, UsageError

__all__ = ["acceleration", "potential", "simulate"]

Tensor = torch.Tensor


def _array(tensor: Optional[Tensor]) -> Any:
    """Returns (B, ...) as numpy in place, or on a GPU as a tensor."""
    if tensor is None:
        return None
    tensor = tensor.detach()
    return tensor if tensor.is_cuda else tensor.numpy()


def _systems(*tensors: Optional[Tensor]) -> list[Any]:
    """Returns positions as (B, N, 3) and other tensors, each with its number of dimensions behind the batch, alike."""
    positions = tensors[0]
    assert positions is not None
    rows = tuple(positions.shape[-2:])
    found = []
    for tensor in tensors:
        if tensor is None:
            found.append(None)
            continue
        shape = rows if tensor.dim() == positions.dim() else rows[:1]
        found.append(_array(tensor.contiguous().reshape(-1, *shape)))
    return found


def _on_device(options: str, positions: Tensor) -> str:
    if "device=" in options:
        return options
    device = f"gpu:{positions.device.index or 0}" if positions.is_cuda else "cpu"
    return f"{options};device={device!r}" if options else f"device={device!r}"


@operators.custom_op(
    "chamomile::sums", mutates_args=(), schema="(Tensor x, Tensor m, Tensor? s, str options, bool a, bool phi) -> (Tensor, Tensor)"
)
def _sums(x: Tensor, m: Tensor, s: Optional[Tensor], options: str, a: bool, phi: bool) -> tuple[Tensor, Tensor]:
    found = _fake_sums(x, m, s, options, a, phi)
    if x.numel():
        into = [_array(t.reshape(-1, *x.shape[-2 : t.dim() - x.dim() or None])) if t.numel() else None for t in found]
        _adjoint.sums(_on_device(options, x), *_systems(x, m, s), *into)
    return found


def _fake_sums(x: Tensor, m: Tensor, s: Optional[Tensor], options: str, a: bool, phi: bool) -> tuple[Tensor, Tensor]:
    return x.new_empty(x.shape if a else (0,)), x.new_empty(x.shape[:-1] if phi else (0,))


@operators.custom_op(
    "chamomile::gradients",
    mutates_args=(),
    schema="(Tensor x, Tensor m, Tensor? s, Tensor? of_a, Tensor? of_phi, str options) -> (Tensor, Tensor)",
)
def _gradients(
    x: Tensor, m: Tensor, s: Optional[Tensor], of_a: Optional[Tensor], of_phi: Optional[Tensor], options: str
) -> tuple[Tensor, Tensor]:
    found = _fake_gradients(x, m, s, of_a, of_phi, options)
    if x.numel():
        sources, given = _systems(x, m, s), _systems(x, of_a, of_phi)[1:]
        into = _array(found[0].view(-1, *x.shape[-2:])), _array(found[1].view(-1, x.shape[-2]))
        _adjoint.gradients(_on_device(options, x), *sources, given, into)
    return found


def _fake_gradients(x: Tensor, m: Tensor, s: Any, of_a: Any, of_phi: Any, options: str) -> tuple[Tensor, Tensor]:
    return x.new_empty(x.shape), m.new_empty(m.shape)


_sums.register_fake(_fake_sums)
_gradients.register_fake(_fake_gradients)


def _to_front(info: Any, dims: tuple[Optional[int], ...], inputs: tuple[Any, ...]) -> list[Any]:
    """Returns the inputs with the batch as first dimension of all tensors."""
    return [
        t if not isinstance(t, torch.Tensor) else t.unsqueeze(0).expand(info.batch_size, *t.shape) if d is None else t.movedim(d, 0)
        for t, d in zip(inputs, dims)
    ]


class _Gradients(torch.autograd.Function):
    """The operator without derivatives, but with batches."""

    @staticmethod
    def forward(x: Any, m: Any, s: Any, of_a: Any, of_phi: Any, options: str) -> Any:
        return _gradients(x, m, s, of_a, of_phi, options)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        pass

    @staticmethod
    def backward(ctx: Any, *given: Any) -> Any:
        raise NotImplementedError("chamomile.torch: second derivatives: are not available; leave out create_graph=True")

    @staticmethod
    def vmap(info: Any, dims: Any, *inputs: Any) -> Any:
        return _Gradients.apply(*_to_front(info, dims, inputs)), (0, 0)


class _Sums(torch.autograd.Function):
    @staticmethod
    def forward(x: Any, m: Any, s: Any, options: str, a: bool, phi: bool) -> Any:
        return _sums(x, m, s, options, a, phi)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        x, m, s, ctx.options, ctx.a, ctx.phi = inputs
        ctx.save_for_backward(x, m, s)

    @staticmethod
    def backward(ctx: Any, of_a: Tensor, of_phi: Tensor) -> Any:
        given = of_a if ctx.a else None, of_phi if ctx.phi else None
        return (*_Gradients.apply(*ctx.saved_tensors, *given, ctx.options), None, None, None, None)

    @staticmethod
    def vmap(info: Any, dims: Any, *inputs: Any) -> Any:
        return _Sums.apply(*_to_front(info, dims, inputs)), tuple(0 if wanted else None for wanted in inputs[4:])


def _checked(positions: Tensor, others: dict[str, Any]) -> list[Optional[Tensor]]:
    """Returns the other tensors, numbers made into tensors, after checks of types, devices and shapes."""
    if not isinstance(positions, torch.Tensor):
        raise TypeError(f"positions: {type(positions).__name__}: must be a tensor")
    if positions.dtype not in (torch.float32, torch.float64):
        raise TypeError(f"positions: {positions.dtype}: must be float32 or float64")
    if positions.dim() < 2 or positions.shape[-1] != 3:
        raise InputError(f"positions: shape {tuple(positions.shape)}: must be (..., N, 3)")
    found: list[Optional[Tensor]] = []
    for name, values in others.items():
        if isinstance(values, (int, float)):
            values = positions.new_full(positions.shape[:-1], float(values))
        if values is not None:
            if not isinstance(values, torch.Tensor):
                raise TypeError(f"{name}: {type(values).__name__}: must be a tensor")
            if values.dtype != positions.dtype:
                raise TypeError(f"{name}: {values.dtype}: must be {positions.dtype}, like positions")
            if values.device != positions.device:
                raise InputError(f"{name}: on {values.device}: must be on {positions.device}, like positions")
            shape = positions.shape if name == "velocities" else positions.shape[:-1]
            if values.shape != shape:
                raise InputError(f"{name}: shape {tuple(values.shape)}: must be {tuple(shape)}")
            if name == "softenings" and values.requires_grad:
                raise UsageError("softenings: requires_grad: have no gradient; use softenings.detach()")
        found.append(values)
    return found


def acceleration(
    positions: Tensor, masses: Union[Tensor, float], *, softenings: Union[Tensor, float, None] = None, **options: Any
) -> Tensor:
    """Returns accelerations at the sources, (..., N, 3), each without itself.

    positions: (..., N, 3), float32 or float64; masses and softenings: (..., N), or a number.
    """
    masses, softenings = _checked(positions, {"masses": masses, "softenings": softenings})
    return _Sums.apply(positions, masses, softenings, _adjoint.text_of(options), True, False)[0]


def potential(
    positions: Tensor, masses: Union[Tensor, float], *, softenings: Union[Tensor, float, None] = None, **options: Any
) -> Tensor:
    """Returns potentials at the sources, (..., N), each without itself. For the arguments see acceleration()."""
    masses, softenings = _checked(positions, {"masses": masses, "softenings": softenings})
    return _Sums.apply(positions, masses, softenings, _adjoint.text_of(options), False, True)[1]


def _host(tensor: Optional[Tensor]) -> Any:
    return None if tensor is None else tensor.detach().cpu().double().numpy()


class _Simulate(torch.autograd.Function):
    """A run, whose end is all that the backward pass needs: it runs back."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, v: Tensor, m: Tensor, s: Optional[Tensor], step: float, count: int, options: str) -> Any:
        ctx.run, ctx.count = _adjoint.Run(_on_device(options, x), _host(m), _host(s), step), count
        ctx.run.start(_host(x), _host(v))
        ctx.run.forward(count)
        ctx.is_at_end = True
        return torch.from_numpy(ctx.run.positions).to(x), torch.from_numpy(ctx.run.velocities).to(v)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, of_x: Tensor, of_v: Tensor) -> Any:
        if not ctx.is_at_end:  # a second backward pass with retain_graph=True
            ctx.run.forward(ctx.count)
        ctx.is_at_end = False
        found = ctx.run.backward(ctx.count, _host(of_x), _host(of_v))
        return (*(torch.from_numpy(array).to(of_x) for array in found), None, None, None, None)


def simulate(
    positions: Tensor,
    velocities: Tensor,
    masses: Union[Tensor, float],
    *,
    step: float,
    steps: int,
    softenings: Union[Tensor, float, None] = None,
    **options: Any,
) -> tuple[Tensor, Tensor]:
    """Returns positions and velocities after `steps` leapfrog steps of one system, (N, 3).

    The backward pass runs the steps back, exactly: positions and velocities are integers of 52 bits. It keeps one state.
    """
    masses, velocities, softenings = _checked(positions, {"masses": masses, "velocities": velocities, "softenings": softenings})
    if positions.dim() != 2:
        raise InputError(f"positions: shape {tuple(positions.shape)}: must be (N, 3)")
    return _Simulate.apply(positions, velocities, masses, softenings, float(step), _adjoint.count_of(steps), _adjoint.text_of(options))
