/// \file  Arrays of numpy, CuPy, PyTorch, JAX and others, used without a copy.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "chamomile/core/array_view.hpp"

namespace chamomile::python {

namespace nb = nanobind;

/// An Array is a Python array in use by C++. It reads the buffer protocol, __cuda_array_interface__
/// (version 3) and DLPack, accepts float32 and float64 with any strides, and copies nothing.
///
/// Throws nb::type_error with a suggested conversion if an array would need a copy, and
/// Error(input) for a wrong shape.
class Array {
public:
    enum class Access { read, write };

    Array() = default;
    Array(const Array&) = delete;
    Array(Array&&) noexcept = default;
    Array& operator=(Array&&) noexcept = default;

    /// Reads the argument called `name`. The shape is (N,) for one component, otherwise (N,
    /// components). If `count` is given, N must equal the `count` rows of the argument called `of`
    /// ("positions").
    Array(nb::handle object, const std::string& name, int components, Access access,
          std::optional<std::size_t> count = {}, const char* of = "");

    /// Reads an argument with any leading dimensions: (..., N), or (..., N, components) for several
    /// components. count() is the product of `shape()`, which is as in `like` if given.
    static Array stacked(nb::handle object, const std::string& name, int components, Access access,
                         const Array* like = nullptr);

    const ArrayView& view() const { return view_; }
    std::size_t count() const { return count_; }
    /// Returns (..., N), without components.
    const std::vector<std::ptrdiff_t>& shape() const { return shape_; }
    int gpu() const { return gpu_; } ///< index of the GPU that holds the data; -1: host
    explicit operator bool() const { return bool(view_) || count_ > 0; }

    /// Waits for the work that the owner has queued on a GPU.
    void wait() const;

    /// Throws Error(input) if this array (to be written) may share a byte with an item of `other`.
    void refuse_overlap(const Array& other) const;

private:
    struct Layout {
        std::byte* data = nullptr;
        std::vector<std::ptrdiff_t> shape, strides; ///< strides in bytes
        std::string type;                           ///< in numpy's notation, such as "<f8"
        bool read_only = false;
    };
    struct Buffer;

    Layout layout_of(nb::handle object, Access access);
    void join_leading(Layout& layout, const Array* like);
    Layout of_buffer(nb::handle object, Access access);
    Layout of_cuda_interface(nb::handle dictionary);
    Layout of_dlpack(nb::handle object, Access access);
    void take(const Layout& layout, int components, Access access, std::optional<std::size_t> count,
              const char* of);

    std::string name_;
    ArrayView view_;
    std::size_t count_ = 0;
    std::vector<std::ptrdiff_t> shape_;
    int components_ = 0;
    int gpu_ = -1;
    std::optional<std::uintptr_t> stream_;
    std::shared_ptr<Buffer> buffer_;
    std::optional<nb::ndarray<nb::ro>> imported_;
    std::optional<nb::ndarray<>> writable_;
    nb::object owner_;
};

/// Throws Error(usage) if arrays on GPU `gpu` (-1: on the host) cannot be used by a solver on GPU
/// `of_solver` (-1: the processor), which the message calls `solver`.
void require_gpu(int gpu, int of_solver, const std::string& solver);

} // namespace chamomile::python
