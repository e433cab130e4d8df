// Results that stay on the GPU.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "chamomile/core/error.hpp"
#include "chamomile/force/gpu_memory.hpp"
#include "interfaces/python/array.hpp"
#include "interfaces/python/bindings.hpp"
#include "interfaces/python/faults.hpp"

namespace chamomile::python {
namespace {

/// A DeviceArray has float32 or float64 in GPU memory, C-contiguous.
struct DeviceArray {
    int gpu;
    std::vector<std::size_t> sides;
    int size; ///< bytes per number
    std::shared_ptr<std::byte> memory;

    std::size_t bytes() const
    {
        std::size_t all = std::size_t(size);
        for (const std::size_t side : sides)
            all *= side;
        return all;
    }
    std::uintptr_t address() const { return reinterpret_cast<std::uintptr_t>(memory.get()); }
    nb::object shape() const { return nb::steal(PySequence_Tuple(nb::cast(sides).ptr())); }
    std::string type() const { return size == 4 ? "<f4" : "<f8"; }
};

DeviceArray make(int gpu, const std::vector<std::size_t>& shape, int size)
{
    require_own_threads();
    DeviceArray array{gpu, shape, size, nullptr};
    array.memory = gpu_memory(gpu, array.bytes());
    return array;
}

nb::dict interface(const DeviceArray& array)
{
    nb::dict d;
    d["version"] = 3;
    d["shape"] = array.shape();
    d["typestr"] = array.type();
    d["data"] = nb::make_tuple(array.bytes() ? array.address() : 0, false);
    d["strides"] = nb::none();
    d["stream"] = nb::none(); // evaluations are synchronous
    return d;
}

/// Exports the array through nanobind, for any target device.
nb::object dlpack(nb::handle self, nb::kwargs words)
{
    const auto& array = nb::cast<const DeviceArray&>(self);
    const nb::ndarray<nb::array_api> exported(
        array.memory.get(), array.sides.size(), array.sides.data(), self, nullptr,
        array.size == 4 ? nb::dtype<float>() : nb::dtype<double>(), nb::device::cuda::value,
        array.gpu);
    return nb::cast(exported).attr("__dlpack__")(**words);
}

nb::object to_numpy(const DeviceArray& array)
{
    const nb::module_ numpy = nb::module_::import_("numpy");
    nb::object result = numpy.attr("empty")(array.shape(), array.type());
    {
        const Array into = Array::stacked(result, "result", 1, Array::Access::write);
        nb::gil_scoped_release released;
        copy_from_gpu(array.gpu, into.view().component[0], array.memory.get(), array.bytes());
    }
    return result;
}

} // namespace

void bind_device_array(nb::module_& m)
{
    nb::class_<DeviceArray>(
        m, "DeviceArray",
        "A result in the memory of a GPU. CuPy, PyTorch, JAX and Numba take it without a copy "
        "(from_dlpack(), __cuda_array_interface__).")
        .def_prop_ro("shape", &DeviceArray::shape, nb::sig("def shape(self) -> tuple[int, ...]"))
        .def_prop_ro("dtype",
                     [](const DeviceArray& a) { return a.size == 4 ? "float32" : "float64"; })
        .def_prop_ro(
            "gpu", [](const DeviceArray& a) { return a.gpu; }, "Number of the GPU.")
        .def("__len__", [](const DeviceArray& a) { return a.sides[0]; })
        .def_prop_ro("__cuda_array_interface__", &interface,
                     nb::sig("def __cuda_array_interface__(self) -> dict[str, object]"))
        .def("__dlpack_device__",
             [](const DeviceArray& a) { return std::tuple(nb::device::cuda::value, a.gpu); })
        .def(
            "__dlpack__",
            [](nb::handle_t<DeviceArray> self, nb::kwargs words) { return dlpack(self, words); },
            nb::sig("def __dlpack__(self, **words: object) -> object"))
        .def("numpy", &to_numpy, nb::sig("def numpy(self) -> NDArray"), "A copy on the host.");
    m.def("device_array", &make, nb::arg("gpu"), nb::arg("shape"), nb::arg("size"));
    m.def(
        "describe",
        [](nb::handle object, const std::string& name, int components) {
            const Array array(object, name, components, Array::Access::read);
            return std::tuple(array.count(), array.view().scalar == Scalar::float32 ? 4 : 8,
                              array.gpu());
        },
        nb::arg("array").none(), nb::arg("name"), nb::arg("components"),
        "Rows, bytes of a number and GPU (-1: host) of an array that could be read.");
}

} // namespace chamomile::python
