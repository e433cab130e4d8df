"""Arrays of any stride, type and library: used in place, or refused with a message."""

import ctypes
import unittest

import numpy as np

import chamomile
from chamomile import _chamomile, pytreegrav
from sums import error, field

N = 211
WORDS = {"solver": "direct", "precision": "double", "softening": 0.1}


def cloud(seed=4):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(N, 3)), rng.uniform(0.5, 2, N) / N


def layouts(x):
    """Returns the same vectors in many memory layouts."""
    record = np.zeros(N, dtype=[("id", "i8"), ("x", "f8", 3), ("m", "f4"), ("pad", "f4")])
    record["x"] = x
    columns = np.asfortranarray(x)
    wide = np.zeros((2 * N, 7))
    wide[::2, 1:6:2] = x
    backwards = np.ascontiguousarray(x[::-1, ::-1])
    separate = np.zeros((3, N))
    separate[:] = x.T
    return {
        "rows": x,
        "a record's member": record["x"],
        "columns": columns,
        "every other row and column": wide[::2, 1:6:2],
        "backwards": backwards[::-1, ::-1],
        "x, y, z apart": separate.T,
        "read-only": np.frombuffer(x.tobytes()).reshape(N, 3),
        "memoryview": memoryview(np.ascontiguousarray(x)),
    }


def test_every_layout_gives_the_same_bits():
    x, m = cloud()
    expected = chamomile.acceleration(x, m, **WORDS)
    assert error(expected, field(x, x, m, 0.1, 1, np.arange(N))[0]) < 1e-13
    for name, same in layouts(x).items():
        result = chamomile.acceleration(same, m, **WORDS)
        assert result.dtype == np.float64 and np.array_equal(result, expected), name
        at = chamomile.acceleration(x, m, targets=same, self_index=np.arange(N), **WORDS)
        assert np.array_equal(at, expected), name
    spread = np.zeros((N, 3))
    spread[:, 1] = m
    assert np.array_equal(chamomile.acceleration(x, spread[:, 1], **WORDS), expected)


def test_results_go_where_they_are_wanted():
    x, m = cloud()
    solver = chamomile.Solver(**WORDS).build(x, m)
    expected = solver.evaluate(quantities=("acceleration", "potential", "tidal_tensor"))
    for name, room in layouts(np.zeros((N, 3))).items():
        if name in ("read-only", "memoryview"):
            continue
        assert solver.evaluate(out={"acceleration": room}).acceleration is room
        assert np.array_equal(room, expected.acceleration), name
    record = np.zeros(N, dtype=[("x", "f8", 3), ("a", "f8", 3), ("phi", "f8"), ("t", "f8", 6)])
    record["x"] = x
    out = {"acceleration": record["a"], "potential": record["phi"], "tidal_tensor": record["t"]}
    solver.evaluate(record["x"], self_index=np.arange(N), out=out)  # members of the input records
    for name, member in out.items():
        assert np.array_equal(member, getattr(expected, name)), name
    assert np.array_equal(record["x"], x)
    a, phi = np.empty((N, 3)), np.empty(N)
    given = chamomile.acceleration(x, m, potential=True, out=(a, phi), **WORDS)
    assert given[0] is a and given[1] is phi and np.array_equal(phi, expected.potential)


def test_float32_in_float32_out():
    x, m = cloud()
    x4, m4 = x.astype("f4"), m.astype("f4")
    result = chamomile.acceleration(x4, m4, **WORDS)
    expected = chamomile.acceleration(x4.astype("f8"), m4.astype("f8"), **WORDS)
    assert result.dtype == np.float32 and np.array_equal(result, expected.astype("f4"))
    mixed = np.empty((N, 3), "f8")
    chamomile.acceleration(x4, m4, out=mixed, **WORDS)
    assert np.array_equal(mixed, expected)
    assert chamomile.potential(x, m, targets=x4, **WORDS).dtype == np.float32


def test_one_mass_for_all_makes_no_array():
    x, m = cloud()
    assert np.array_equal(chamomile.acceleration(x, 0.5, **WORDS), chamomile.acceleration(x, np.full(N, 0.5), **WORDS))
    assert np.array_equal(
        chamomile.acceleration(x, np.broadcast_to(np.float32(0.5), N), **WORDS), chamomile.acceleration(x, 0.5, **WORDS)
    )


def test_results_lie_in_the_memory_given():
    x, m = cloud()
    room = np.zeros((N, 6))
    inner = room[:, ::2]
    result = chamomile.acceleration(x, m, out=inner, **WORDS)
    assert np.shares_memory(result, room) and np.count_nonzero(room[:, 1::2]) == 0
    guard = np.full((N + 2, 3), 7.0)
    chamomile.acceleration(x, m, out=guard[1:-1], **WORDS)
    assert (guard[0] == 7).all() and (guard[-1] == 7).all() and (guard[1:-1] != 7).all()
    unchanged = x.copy()
    chamomile.acceleration(x, m, **WORDS)
    assert np.array_equal(x, unchanged)


class Exporter:
    """An array of an unknown library with only DLPack."""

    def __init__(self, array, versioned=True):
        self.array, self.versioned, self.asked = array, versioned, []

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, *, stream=None, **words):
        self.asked.append({"stream": stream, **words})
        if words and not self.versioned:
            raise TypeError("unexpected keyword")
        return self.array.__dlpack__(**words) if self.versioned else self.array.__dlpack__()


def test_dlpack():
    x, m = cloud()
    expected = chamomile.acceleration(x, m, **WORDS)
    for versioned in (True, False):
        source = Exporter(np.asfortranarray(x), versioned)
        assert np.array_equal(chamomile.acceleration(source, Exporter(m, versioned), **WORDS), expected)
        assert source.asked[0] == {"stream": None, "max_version": (1, 0)} and source.asked[-1]["stream"] is None
        room = np.zeros((N, 3))
        chamomile.acceleration(x, m, out=Exporter(room, versioned), **WORDS)
        assert np.array_equal(room, expected)  # written through the capsule without a copy

    class Elsewhere(Exporter):
        def __dlpack_device__(self):
            return (10, 0)  # ROCm

    try:
        chamomile.acceleration(Elsewhere(x), m, **WORDS)
    except TypeError as refused:
        assert "DLPack kind 10" in str(refused)
    else:
        raise AssertionError("a foreign device was taken")


class Cuda:
    """An array that claims to be on a GPU."""

    def __init__(self, pointer, **words):
        fields = {"version": 3, "shape": (N, 3), "typestr": "<f8", "data": (pointer, False), "strides": None}
        self.__cuda_array_interface__ = {**fields, **words}


def test_a_host_address_is_no_gpu_array():
    x, m = cloud()
    try:
        chamomile.acceleration(Cuda(x.ctypes.data), m, **WORDS)
    except chamomile.DeviceError as refused:
        assert "must be GPU memory of this process" in str(refused)
    else:
        raise AssertionError("a host address was taken for a GPU's")


def _library(name, array_of):
    try:
        module = __import__(name)
    except ImportError as missing:
        raise unittest.SkipTest(f"no {name}") from missing
    x, m = cloud()
    expected = chamomile.acceleration(x, m, **WORDS)
    result = chamomile.acceleration(array_of(module, x), array_of(module, m), **WORDS)
    assert type(result).__module__.partition(".")[0] in (name, name + "lib"), type(result)
    assert np.array_equal(np.asarray(result), expected)
    return module


def _refused(call):
    """Returns the message of the TypeError."""
    try:
        call()
    except TypeError as refused:
        return str(refused)
    raise AssertionError("no TypeError")


def test_pytorch_on_the_host():
    torch = _library("torch", lambda torch, a: torch.from_numpy(a))
    x, m = cloud()
    room = torch.zeros(N, 3, dtype=torch.float64)
    assert chamomile.acceleration(x, m, out=room, **WORDS) is room and room.abs().sum() > 0
    assert isinstance(chamomile.acceleration(x, m, namespace=torch, **WORDS), torch.Tensor)
    z = torch.complex(torch.zeros(N, 3, dtype=torch.float64), torch.from_numpy(x))
    with torch.autograd.forward_ad.dual_level():
        for odd, way in (
            (torch.from_numpy(x).requires_grad_(), "positions.detach()"),
            (torch.autograd.forward_ad.make_dual(torch.from_numpy(x), torch.ones(N, 3)), "torch.autograd.forward_ad.unpack_dual(positions).primal"),
            (z.conj().imag, "positions.resolve_neg()"),
        ):
            for call in (lambda: chamomile.acceleration(odd, m, **WORDS), lambda: chamomile.Solver(**WORDS).build(odd, m), lambda: pytreegrav.Accel(odd, m)):
                refused = _refused(call)
                assert refused.replace("pos.", "positions.").replace("(pos)", "(positions)").endswith(f"give {way}") and refused.startswith("pos"), refused
    result = chamomile.acceleration(torch.from_numpy(x).requires_grad_().detach(), m, **WORDS)
    assert np.array_equal(result.numpy(), chamomile.acceleration(x, m, **WORDS))
    assert np.array_equal(chamomile.acceleration(x, torch.tensor(0.5), **WORDS), chamomile.acceleration(x, 0.5, **WORDS))


def test_jax_on_the_host():
    def array_of(jax, a):
        jax.config.update("jax_enable_x64", True)
        return jax.numpy.asarray(a)

    jax = _library("jax", array_of)
    x, m = cloud()
    try:
        chamomile.acceleration(x, m, out=jax.numpy.zeros((N, 3)), **WORDS)
    except chamomile.InputError as refused:
        assert "JAX" in str(refused)
    else:
        raise AssertionError("a constant was written to")
    for transform in (jax.jit, jax.grad, jax.vmap):
        refused = _refused(lambda: transform(lambda y: chamomile.acceleration(y, m, **WORDS).sum())(jax.numpy.asarray(x)))
        assert refused.startswith("positions: ") and "chamomile.jax" in refused, refused


def test_nothing_is_converted():
    """Input is the caller's memory: describe() returns its address."""
    x, _ = cloud()
    assert _chamomile.describe(x, "x", 3) == (N, 8, -1)
    assert _chamomile.describe(x.astype("f4"), "x", 3) == (N, 4, -1)
    big = np.zeros((2_000_000, 3))
    before = _resident()
    _chamomile.describe(big[::-1, ::-1], "x", 3)
    assert _resident() - before < big.nbytes // 4


def _resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * ctypes.CDLL(None).sysconf(30)
