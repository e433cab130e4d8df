#include "interfaces/python/array.hpp"

#include <bit>
#include <memory>
#include <numeric>

#include "chamomile/core/error.hpp"
#include "chamomile/force/gpu_memory.hpp"
#include "interfaces/python/plain.hpp"

namespace chamomile::python {
namespace {

static_assert(std::endian::native == std::endian::little, "type names below are little-endian");

[[noreturn]] void refuse_type(const std::string& line)
{
    throw nb::type_error(line.c_str());
}

std::string shape_text(const std::vector<std::ptrdiff_t>& shape)
{
    std::string text = "(";
    for (std::size_t k = 0; k < shape.size(); ++k)
        text += (k ? ", " : "") + std::to_string(shape[k]);
    return text + (shape.size() == 1 ? ",)" : ")");
}

nb::object attribute(nb::handle object, const char* name)
{
    // PyTorch raises TypeError instead of AttributeError for host tensors.
    nb::object found = nb::steal(PyObject_GetAttrString(object.ptr(), name));
    if (!found.is_valid())
        PyErr_Clear();
    return found;
}

/// Returns numpy's name for a struct format, or the name of the object's own dtype.
std::string type_of(nb::handle object, const char* format)
{
    const std::string text = format ? format : "B";
    if (text == "d" || text == "<d" || text == "=d" || text == "@d")
        return "<f8";
    if (text == "f" || text == "<f" || text == "=f" || text == "@f")
        return "<f4";
    const nb::object type = attribute(object, "dtype");
    return type.is_valid() ? nb::str(type).c_str() : "format '" + text + "'";
}

std::ptrdiff_t positive_remainder(std::ptrdiff_t a, std::ptrdiff_t b)
{
    return ((a % b) + b) % b;
}

} // namespace

struct Array::Buffer {
    Py_buffer buffer{};
    ~Buffer()
    {
        nb::gil_scoped_acquire held;
        PyBuffer_Release(&buffer);
    }
};

Array::Array(nb::handle object, const std::string& name, int components, Access access,
             std::optional<std::size_t> count, const char* of)
    : name_(name), components_(components)
{
    take(layout_of(object, access), components, access, count, of);
}

Array Array::stacked(nb::handle object, const std::string& name, int components, Access access,
                     const Array* like)
{
    Array array;
    array.name_ = name;
    array.components_ = components;
    Layout layout = array.layout_of(object, access);
    array.join_leading(layout, like);
    std::vector<std::ptrdiff_t> shape = array.shape_;
    array.take(layout, components, access, {}, "");
    array.shape_ = std::move(shape);
    return array;
}

/// Joins the leading dimensions to one; components stay apart.
void Array::join_leading(Layout& layout, const Array* like)
{
    const std::size_t tail = components_ == 1 ? 0 : 1, dimensions = layout.shape.size();
    const bool right = dimensions > tail && (tail == 0 || layout.shape.back() == components_);
    if (right)
        shape_.assign(layout.shape.begin(), layout.shape.end() - std::ptrdiff_t(tail));
    if (!right || (like && shape_ != like->shape_)) {
        std::string wanted = "(..., N";
        if (like) {
            wanted = shape_text(like->shape_);
            wanted.resize(wanted.size() - 1 - (like->shape_.size() == 1));
        }
        throw Error(Fault::input, name_ + ": shape " + shape_text(layout.shape) + ": must be " +
                                      wanted +
                                      (tail   ? ", " + std::to_string(components_) + ")"
                                       : like ? (like->shape_.size() == 1 ? ",)" : ")")
                                              : ")") +
                                      (like ? ", like " + like->name_ : ""));
    }
    std::ptrdiff_t rows = 1, stride = 0;
    for (std::size_t k = shape_.size(); k-- > 0; rows *= shape_[k]) {
        if (rows == 1)
            stride = layout.strides[k];
        else if (rows > 1 && shape_[k] > 1 && layout.strides[k] != rows * stride)
            refuse_type(name_ +
                        ": rows are not evenly spaced: convert with numpy.ascontiguousarray(" +
                        name_ + ")");
    }
    layout.shape.assign(1, rows);
    layout.strides.erase(layout.strides.begin(), layout.strides.end() - std::ptrdiff_t(tail));
    layout.strides.insert(layout.strides.begin(), stride);
    if (tail)
        layout.shape.push_back(components_);
}

Array::Layout Array::layout_of(nb::handle object, Access access)
{
    const std::string& name = name_;
    require_plain(object, name);
    if (const nb::object interface = attribute(object, "__cuda_array_interface__");
        interface.is_valid() && nb::isinstance<nb::dict>(interface)) {
        owner_ = nb::borrow(object);
        return of_cuda_interface(interface);
    }
    if (PyObject_CheckBuffer(object.ptr()))
        return of_buffer(object, access);
    if (!nb::hasattr(object, "__dlpack__"))
        refuse_type(name + ": " + nb::type_name(object.type()).c_str() +
                    ": must be an array, such as numpy.asarray(" + name + ", dtype=float)");
    return of_dlpack(object, access);
}

Array::Layout Array::of_buffer(nb::handle object, Access access)
{
    auto held = std::make_shared<Buffer>();
    const int flags = PyBUF_STRIDES | PyBUF_FORMAT | (access == Access::write ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(object.ptr(), &held->buffer, flags) != 0) {
        nb::python_error reason;
        const std::string text = nb::str(reason.value()).c_str();
        if (access == Access::write && text.find("read") != std::string::npos)
            throw Error(Fault::input, name_ + ": read-only: must be writable for results");
        refuse_type(name_ + ": " + text + ": convert with numpy.array(" + name_ + ", dtype=float)");
    }
    buffer_ = held;
    const Py_buffer& buffer = held->buffer;
    Layout layout;
    layout.data = static_cast<std::byte*>(buffer.buf);
    layout.shape.assign(buffer.shape, buffer.shape + buffer.ndim);
    layout.strides.assign(buffer.strides, buffer.strides + buffer.ndim);
    layout.type = type_of(object, buffer.format);
    layout.read_only = buffer.readonly;
    return layout;
}

Array::Layout Array::of_cuda_interface(nb::handle dictionary)
{
    const nb::dict fields = nb::borrow<nb::dict>(dictionary);
    const auto field = [&](const char* key) -> nb::object {
        return fields.contains(key) ? nb::object(fields[key]) : nb::none();
    };
    if (!field("mask").is_none())
        refuse_type(name_ + ": masked: must be an array without a mask");
    Layout layout;
    const nb::tuple data = nb::cast<nb::tuple>(field("data"));
    layout.data = reinterpret_cast<std::byte*>(nb::cast<std::uintptr_t>(data[0]));
    layout.read_only = nb::cast<bool>(data[1]);
    layout.type = nb::cast<nb::str>(field("typestr")).c_str();
    for (nb::handle length : field("shape"))
        layout.shape.push_back(nb::cast<std::ptrdiff_t>(length));
    if (const nb::object strides = field("strides"); !strides.is_none()) {
        for (nb::handle stride : strides)
            layout.strides.push_back(nb::cast<std::ptrdiff_t>(stride));
    } else {
        std::ptrdiff_t stride = layout.type == "<f4" ? 4 : 8;
        layout.strides.resize(layout.shape.size());
        for (std::size_t k = layout.shape.size(); k-- > 0; stride *= layout.shape[k])
            layout.strides[k] = stride;
    }
    if (layout.strides.size() != layout.shape.size())
        throw Error(Fault::input, name_ + ": strides: must be one per dimension");
    gpu_ = layout.data ? gpu_of(layout.data) : 0;
    if (gpu_ < 0)
        throw Error(
            Fault::device,
            name_ + ": address in __cuda_array_interface__: must be GPU memory of this process");
    if (const nb::object stream = field("stream"); !stream.is_none()) {
        stream_ = nb::cast<std::uintptr_t>(stream);
        if (*stream_ == 0)
            throw Error(Fault::input,
                        name_ + ": stream 0: ambiguous: must be 1 (default stream) or 2 (stream of "
                                "the thread), by CUDA array interface version 3");
    }
    return layout;
}

Array::Layout Array::of_dlpack(nb::handle object, Access access)
{
    constexpr int on_host = 1, on_cuda = 2, pinned = 3, managed = 13;
    const nb::tuple device = nb::cast<nb::tuple>(object.attr("__dlpack_device__")());
    const int kind = nb::cast<int>(device[0]);
    if (kind != on_host && kind != on_cuda && kind != pinned && kind != managed)
        refuse_type(name_ + ": on a device of DLPack kind " + std::to_string(kind) +
                    ": must be a processor or NVIDIA GPU; copy the array to the host");
    const bool on_gpu = kind == on_cuda || kind == managed;
    if (on_gpu) {
        gpu_ = nb::cast<int>(device[1]);
        // DLPack: the producer synchronizes with the default stream, and wait() waits for this
        // stream.
        stream_ = 1;
    }
    const auto export_it = [&](bool versioned) {
        nb::dict words;
        if (on_gpu)
            words["stream"] = 1;
        if (versioned)
            words["max_version"] = nb::make_tuple(1, 0);
        return nb::object(object.attr("__dlpack__")(**words));
    };
    nb::object capsule;
    try {
        capsule = export_it(true);
    } catch (nb::python_error& error) {
        if (!error.matches(PyExc_TypeError))
            throw;
        capsule = export_it(false); // for libraries before DLPack 1.0
    }
    Layout layout;
    const auto read = [&](const auto& array) {
        layout.data = reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(array.data()));
        const std::ptrdiff_t size = array.dtype().bits / 8;
        for (std::size_t k = 0; k < array.ndim(); ++k) {
            layout.shape.push_back(std::ptrdiff_t(array.shape(k)));
            layout.strides.push_back(std::ptrdiff_t(array.stride(k)) * size);
        }
        const bool real =
            array.dtype() == nb::dtype<float>() || array.dtype() == nb::dtype<double>();
        layout.type = real ? "<f" + std::to_string(size)
                           : std::to_string(array.dtype().bits) + " bits of an unsupported type";
    };
    if (access == Access::write) {
        nb::ndarray<> array;
        if (!nb::try_cast(capsule, array))
            throw Error(Fault::input, name_ + ": read-only: must be writable for results");
        read(writable_.emplace(std::move(array)));
    } else {
        read(imported_.emplace(nb::cast<nb::ndarray<nb::ro>>(capsule)));
    }
    return layout;
}

void Array::take(const Layout& layout, int components, Access access,
                 std::optional<std::size_t> count, const char* of)
{
    if (layout.type != "<f4" && layout.type != "<f8")
        refuse_type(
            name_ + ": " + layout.type +
            ": must be float32 or float64 in native byte order; convert with numpy.asarray(" +
            name_ + ", dtype=float)");
    const std::size_t dimensions = components == 1 ? 1 : 2;
    const bool right = layout.shape.size() == dimensions &&
                       (components == 1 || layout.shape[1] == components) &&
                       (!count || std::size_t(layout.shape[0]) == *count);
    if (!right) {
        const std::string n = count ? std::to_string(*count) : "N";
        throw Error(Fault::input,
                    name_ + ": shape " + shape_text(layout.shape) + ": must be (" + n +
                        (components == 1 ? ",)" : ", " + std::to_string(components) + ")") +
                        (count && *of ? std::string(", one per row of ") + of : ""));
    }
    if (access == Access::write && layout.read_only)
        throw Error(Fault::input, name_ + ": read-only: must be writable for results");
    count_ = std::size_t(layout.shape[0]);
    shape_.assign(1, layout.shape[0]);
    const std::ptrdiff_t size = layout.type == "<f4" ? 4 : 8;
    view_.scalar = size == 4 ? Scalar::float32 : Scalar::float64;
    view_.on_device = gpu_ >= 0;
    if (count_ == 0)
        return;
    const std::ptrdiff_t between = components == 1 ? 0 : layout.strides[1];
    view_.stride = count_ == 1 ? size * components : layout.strides[0];
    if (reinterpret_cast<std::uintptr_t>(layout.data) % std::size_t(size) || between % size ||
        view_.stride % size)
        refuse_type(name_ + ": not aligned to " + std::to_string(size) +
                    " bytes: convert with numpy.require(" + name_ + ", requirements='A')");
    for (int c = 0; c < components; ++c)
        view_.component[std::size_t(c)] = layout.data + c * between;
    if (access == Access::write)
        refuse_overlap(*this);
}

void Array::wait() const
{
    if (gpu_ >= 0 && stream_ && count_ > 0)
        wait_for_stream(gpu_, *stream_);
}

void Array::refuse_overlap(const Array& other) const
{
    if (count_ == 0 || other.count_ == 0)
        return;
    const bool itself = this == &other;
    struct Extent {
        std::uintptr_t first, last; ///< byte range of one component
    };
    const auto extent = [](const Array& array, int c) {
        const auto start = reinterpret_cast<std::uintptr_t>(array.view_.component[std::size_t(c)]);
        const auto end =
            start + std::uintptr_t(array.view_.stride * std::ptrdiff_t(array.count_ - 1));
        const std::uintptr_t size = array.view_.scalar == Scalar::float32 ? 4 : 8;
        return Extent{std::min(start, end), std::max(start, end) + size - 1};
    };
    const std::ptrdiff_t size = view_.scalar == Scalar::float32 ? 4 : 8;
    const std::ptrdiff_t other_size = other.view_.scalar == Scalar::float32 ? 4 : 8;
    const std::ptrdiff_t stride = std::abs(view_.stride);
    for (int c = 0; c < components_; ++c)
        for (int d = itself ? c : 0; d < other.components_; ++d) {
            bool clash;
            if (itself && c == d) {
                clash = count_ > 1 && stride < size; // items overlap each other
            } else {
                const Extent a = extent(*this, c), b = extent(other, d);
                clash = a.first <= b.last && b.first <= a.last;
                // Members of records do not overlap if they differ modulo the greatest common
                // divisor of both strides.
                const std::ptrdiff_t period = std::gcd(stride, other.view_.stride);
                if (clash && period > 0) {
                    const std::ptrdiff_t apart = positive_remainder(
                        other.view_.component[std::size_t(d)] - view_.component[std::size_t(c)],
                        period);
                    clash = apart < size || apart + other_size > period;
                }
            }
            if (clash)
                throw Error(
                    Fault::input,
                    itself ? name_ + ": items share memory: must be an array with separate items"
                           : name_ + ": shares memory with " + other.name_ +
                                 ": must be separate memory for results");
        }
}

void require_gpu(int gpu, int of_solver, const std::string& solver)
{
    if (gpu < 0 || gpu == of_solver)
        return;
    const std::string name = "gpu:" + std::to_string(gpu);
    throw Error(Fault::usage,
                "arrays: on " + name + ": must be on the device of the " + solver + ", " +
                    (of_solver < 0 ? "the processor" : "gpu:" + std::to_string(of_solver)) +
                    "; make it with device='" + name + "'");
}

} // namespace chamomile::python
