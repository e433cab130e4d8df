"""Arrays on a GPU: read, summed and written there. For a machine with an NVIDIA GPU; needs neither CuPy nor PyTorch.

    python interfaces/python/tests/gpu_arrays.py [N]        default N = 1000000, of the timing

Status 77 without a GPU. CuPy and PyTorch are tried where they are installed.
"""

import ctypes
import statistics
import sys
import time

import numpy as np

import chamomile
from sums import error, field

cuda = None


def driver(name, *arguments):
    status = getattr(cuda, name)(*arguments)
    if status:
        raise RuntimeError(f"{name}: CUDA error {status}")


def start_driver():
    """The primary context, also used by the CUDA runtime."""
    global cuda
    cuda = ctypes.CDLL("libcuda.so.1")
    device, context = ctypes.c_int(), ctypes.c_void_p()
    driver("cuInit", 0)
    driver("cuDeviceGet", ctypes.byref(device), 0)
    driver("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    driver("cuCtxSetCurrent", context)


class OnGpu:
    """A copy of a numpy array in device memory, with equal layout and only __cuda_array_interface__."""

    def __init__(self, array, stream=None):
        base = array.base if array.base is not None else array
        self.host, self.memory, self.stream = np.array(base, order="K", copy=True), ctypes.c_uint64(), stream
        driver("cuMemAlloc_v2", ctypes.byref(self.memory), ctypes.c_size_t(max(base.nbytes, 1)))
        self.offset = array.ctypes.data - base.ctypes.data
        self.shape, self.strides, self.type = array.shape, array.strides, array.dtype.str
        data = self.host.ctypes.data_as(ctypes.c_void_p)
        if stream is None:
            driver("cuMemcpyHtoD_v2", self.memory, data, ctypes.c_size_t(base.nbytes))
        else:
            driver("cuMemcpyHtoDAsync_v2", self.memory, data, ctypes.c_size_t(base.nbytes), stream)

    @property
    def __cuda_array_interface__(self):
        return {
            "version": 3, "shape": self.shape, "strides": self.strides, "typestr": self.type,
            "data": (self.memory.value + self.offset, False),
            "stream": self.stream.value if self.stream is not None else None,
        }

    def numpy(self):
        back = np.empty_like(self.host)
        driver("cuMemcpyDtoH_v2", back.ctypes.data_as(ctypes.c_void_p), self.memory, ctypes.c_size_t(back.nbytes))
        return np.ndarray(self.shape, self.type, back.data, self.offset, self.strides)

    def __del__(self):
        cuda.cuMemFree_v2(self.memory)


class OnlyDlpack:
    """A device array of a library with only DLPack. Records the arguments of calls."""

    def __init__(self, array):
        self.array, self.asked = array, []

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **words):
        self.asked.append(words)
        return self.array.__dlpack__(**words)


def cloud(n, seed=1):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 3)), rng.uniform(0.5, 2, n) / n


def check_layouts_and_types():
    x, m = cloud(3001)
    sample = np.arange(0, 3001, 30)
    exact = field(x[sample], x, m, 0.05, 1, sample)
    expected = chamomile.acceleration(x, m, softening=0.05, device="gpu")
    assert error(expected[sample], exact[0]) < 5e-3
    wide = np.zeros((3001, 8))
    wide[:, 1:7:2] = x
    for name, layout in {"rows": x, "columns": np.asfortranarray(x), "strided": wide[:, 1:7:2]}.items():
        result = chamomile.acceleration(OnGpu(layout), OnGpu(m), softening=0.05)
        assert isinstance(result, chamomile.DeviceArray) and result.shape == (3001, 3) and result.gpu == 0
        assert np.array_equal(result.numpy(), expected), name
        room = OnGpu(np.zeros_like(layout) if name != "strided" else np.zeros((3001, 8))[:, 1:7:2])
        assert chamomile.acceleration(x, m, softening=0.05, device="gpu", out=room) is room
        assert np.array_equal(room.numpy(), expected), name
    x4, m4 = x.astype("f4"), m.astype("f4")
    result = chamomile.acceleration(OnGpu(x4), OnGpu(m4), softening=0.05)
    assert result.dtype == "float32"
    assert np.array_equal(result.numpy(), chamomile.acceleration(x4, m4, softening=0.05, device="gpu"))
    # Positions on the GPU, one common mass on the host; results on both.
    mixed = chamomile.acceleration(OnGpu(x), 1 / 3001, softening=0.05, out=np.empty((3001, 3)))
    assert np.array_equal(mixed, chamomile.acceleration(x, 1 / 3001, softening=0.05, device="gpu"))
    quantities = ("acceleration", "potential", "tidal_tensor")
    solver = chamomile.Solver(softening=0.05, device="gpu").build(OnGpu(x), OnGpu(m))
    there = solver.evaluate(OnGpu(x[sample]), quantities=quantities, self_index=sample)
    here = solver.evaluate(x[sample], quantities=quantities, self_index=sample)
    for name, expected, limit in zip(quantities, exact, (5e-3, 1e-3, 1e-4)):
        assert np.array_equal(getattr(there, name).numpy(), getattr(here, name)), name
        assert error(getattr(here, name), expected) < limit, name
    found = solver.neighbours(OnGpu(x[sample]), 0.3)
    assert np.array_equal(found.indices, solver.neighbours(x[sample], 0.3).indices)


def check_protocols():
    x, m = cloud(2003)
    expected = chamomile.acceleration(x, m, softening=0.05, device="gpu")
    result = chamomile.acceleration(OnGpu(x), OnGpu(m), softening=0.05)
    assert result.__dlpack_device__() == (2, 0) and result.__cuda_array_interface__["stream"] is None
    solver = chamomile.Solver(softening=0.05, device="gpu").build(x, m)
    at = solver.evaluate(result).acceleration  # a result used as points, through its __cuda_array_interface__
    assert np.array_equal(at.numpy(), solver.evaluate(expected).acceleration)
    points = OnlyDlpack(result)
    again = solver.evaluate(points).acceleration
    assert np.array_equal(again.numpy(), at.numpy()) and points.asked[0]["stream"] == 1
    stream = ctypes.c_void_p()
    driver("cuStreamCreate", ctypes.byref(stream), 1)  # a stream without synchronization with the default stream
    busy = chamomile.acceleration(OnGpu(x, stream), OnGpu(m), softening=0.05)
    assert np.array_equal(busy.numpy(), expected)
    there = chamomile.Solver(softening=0.05, device="gpu").build(OnGpu(x), OnGpu(m))
    gradient = there.vjp(OnGpu(x, stream))  # copied by the stream while the solver begins
    here = solver.vjp(x)
    for found, exact in zip(gradient, here):
        assert np.allclose(found.numpy(), exact, rtol=1e-6, atol=1e-6 * np.abs(exact).max())


def check_misuse():
    x, m = cloud(100)
    bad = x.copy()
    bad[3, 1] = np.nan
    there = OnGpu(x)
    for call, kind, part in [
        (lambda: chamomile.acceleration(OnGpu(x), OnGpu(m), device="cpu"), chamomile.UsageError, "device='gpu:0'"),
        (lambda: chamomile.acceleration(OnGpu(bad), OnGpu(m)), chamomile.InputError, "3"),
        (lambda: chamomile.acceleration(x, m, targets=there, out=there, device="gpu"), chamomile.InputError, "shares memory"),
        (lambda: chamomile.acceleration(OnGpu(x.astype(int)), m), TypeError, "float32 or float64"),
        (lambda: chamomile.accuracy(OnGpu(x), m), chamomile.UsageError, "host"),
    ]:
        try:
            call()
        except kind as refused:
            assert part in str(refused), refused
        else:
            raise AssertionError(f"{kind.__name__}: {part}")


def check_libraries():
    x, m = cloud(2003)
    expected = chamomile.acceleration(x, m, softening=0.05, device="gpu")
    for name in ("cupy", "torch"):
        try:
            library = __import__(name)
        except ImportError:
            print(f"  {name} is not installed")
            continue
        put = library.asarray if name == "cupy" else lambda a: library.from_numpy(a).cuda()
        result = chamomile.acceleration(put(x), put(m), softening=0.05)
        back = result.get() if name == "cupy" else result.cpu().numpy()
        assert type(result).__module__.startswith(name) and np.array_equal(back, expected)
        print(f"  {name}: evaluated where it lies")


def check_batches():
    rng = np.random.default_rng(3)
    x, v, m = rng.normal(size=(5, 7, 128, 3)), rng.normal(size=(5, 7, 128, 3)), rng.uniform(0.5, 2, (5, 7, 128)) / 128
    batch = chamomile.Batch(softening=0.05, device="gpu")
    quantities = ("acceleration", "potential", "jerk")
    here = batch.evaluate(x, m, v, quantities=quantities)
    there = batch.evaluate(OnGpu(x), OnGpu(m), OnGpu(v), quantities=quantities)
    for name in quantities:
        result = getattr(there, name)
        assert isinstance(result, chamomile.DeviceArray) and result.shape == getattr(here, name).shape
        assert np.array_equal(result.numpy(), getattr(here, name)), name
    exact = field(x[2, 3], x[2, 3], m[2, 3], 0.05, 1, np.arange(128), v[2, 3], v[2, 3])
    assert error(here.acceleration[2, 3], exact[0]) < 1e-4 and error(here.jerk[2, 3], exact[3]) < 1e-3
    moved, moving = OnGpu(x), OnGpu(v)
    batch.advance(moved, moving, OnGpu(m), step=0.01, steps=3, scheme="hermite")
    batch.advance(x, v, m, step=0.01, steps=3, scheme="hermite")
    assert np.array_equal(moved.numpy(), x) and np.array_equal(moving.numpy(), v)


def time_batch(systems):
    """Times force and jerk of many systems of 128 bodies, with arrays on the GPU."""
    rng = np.random.default_rng(3)
    shape = (systems, 128)
    x, v = (OnGpu(np.ascontiguousarray(np.broadcast_to(rng.normal(size=(128, 3)), (*shape, 3)))) for _ in range(2))
    m, out = OnGpu(np.full(shape, 1 / 128)), {name: OnGpu(np.zeros((*shape, 3))) for name in ("acceleration", "jerk")}
    batch = chamomile.Batch(softening=0.05, device="gpu")
    batch.evaluate(x, m, v, out=out)
    print(f"  {systems} systems of 128 bodies, force and jerk: {1e3 * median_of(lambda: batch.evaluate(x, m, v, out=out)):.2f} ms")


def median_of(call, times=9):
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def time_and_count(n):
    """The field at n points from n sources with a persistent tree, and the bytes transferred for it."""
    x, m = cloud(n)
    points = cloud(n, 2)[0]
    there, out = OnGpu(points), OnGpu(np.zeros((n, 3)))
    solver = chamomile.Solver(softening=0.001, device="gpu")
    moved = {}
    for name, (sources, masses, targets, results) in {
        "host arrays": (x, m, points, np.empty((n, 3))),
        "device arrays": (OnGpu(x), OnGpu(m), there, out),
    }.items():
        solver.build(sources, masses)
        solver.evaluate(targets, out={"acceleration": results})
        with_build = solver.statistics
        seconds = median_of(lambda: solver.evaluate(targets, out={"acceleration": results}))
        kept = solver.statistics
        moved[name] = (with_build.bytes_to_device, kept.bytes_to_device, kept.bytes_from_device)
        print(f"  {name}: {n} points of {n} sources, tree kept: {seconds * 1e3:.2f} ms; to the device {kept.bytes_to_device / n:.1f}, "
              f"from it {kept.bytes_from_device / n:.1f} bytes a point; with the build {with_build.bytes_to_device / n:.1f} to it")
    host, device = moved["host arrays"], moved["device arrays"]
    assert host[0] - device[0] == n * (24 + 8 + 24), "positions, masses or points went through the host"
    assert host[1] - device[1] == n * 24 and host[2] - device[2] == n * 12, "points or results went through the host"
    for name, targets in {"host": points, "device": there}.items():
        python = median_of(lambda: solver.evaluate(targets, out={"acceleration": out}))
        print(f"  {name} targets: the call from Python takes {python * 1e3:.2f} ms, {solver.statistics.seconds * 1e3:.2f} of the last in C++")


def main():
    if not chamomile.devices():
        print(f"skipped: no GPU: {chamomile.why_no_gpu()}")
        return 77
    print(chamomile.devices()[0])
    start_driver()
    for check in (check_layouts_and_types, check_protocols, check_misuse, check_libraries, check_batches):
        check()
        print(f"{check.__name__}: passed", flush=True)
    time_and_count(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
    time_batch(100_000)
    return 0


if __name__ == "__main__":
    sys.exit(main())
