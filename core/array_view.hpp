/// \file  Callers' arrays as they lie in memory: strided, float or double, on host or device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "chamomile/core/host_device.hpp"
#include "chamomile/core/vec3.hpp"

namespace chamomile {

enum class Scalar : std::uint8_t { float32, float64 };

/// An ArrayView describes a caller's items of up to six components. Component c of item i lies at
/// component[c] + i * stride, so that rows, columns and members of larger records can be read and
/// written in place.
struct ArrayView {
    static constexpr int max_components = 6;

    std::byte* component[max_components] = {}; ///< null for unused components
    std::ptrdiff_t stride = 0;                 ///< bytes from an item to the next
    Scalar scalar = Scalar::float64;
    bool on_device = false; ///< memory of the solver's GPU

    explicit operator bool() const { return component[0] != nullptr; }
    CHAMOMILE_HD std::byte* at(std::size_t i, int c) const
    {
        return component[c] + std::ptrdiff_t(i) * stride;
    }
    CHAMOMILE_HD double load(std::size_t i, int c = 0) const
    {
        return scalar == Scalar::float64 ? *reinterpret_cast<const double*>(at(i, c))
                                         : double(*reinterpret_cast<const float*>(at(i, c)));
    }
    CHAMOMILE_HD Vec3<double> load_vector(std::size_t i) const
    {
        return {load(i, 0), load(i, 1), load(i, 2)};
    }
    CHAMOMILE_HD void store(std::size_t i, int c, double value) const
    {
        if (scalar == Scalar::float64)
            *reinterpret_cast<double*>(at(i, c)) = value;
        else
            *reinterpret_cast<float*>(at(i, c)) = float(value);
    }
    CHAMOMILE_HD void store_vector(std::size_t i, const Vec3<double>& v) const
    {
        store(i, 0, v.x);
        store(i, 1, v.y);
        store(i, 2, v.z);
    }
    /// Returns a view of the items from `first` on.
    ArrayView from(std::size_t first) const
    {
        ArrayView view = *this;
        for (std::byte*& data : view.component)
            if (data)
                data += std::ptrdiff_t(first) * stride;
        return view;
    }
    /// Returns whether the items are contiguous doubles, with adjacent components.
    bool is_packed() const
    {
        const int n = components();
        bool packed =
            n > 0 && scalar == Scalar::float64 && stride == n * std::ptrdiff_t(sizeof(double));
        for (int c = 1; c < n; ++c)
            packed = packed && component[c] == component[0] + sizeof(double) * std::size_t(c);
        return packed;
    }
    /// Returns whether the items are packed on the host.
    bool is_dense() const { return !on_device && is_packed(); }
    int components() const
    {
        int n = 0;
        while (n < max_components && component[n])
            ++n;
        return n;
    }
};

namespace detail {
template <class T>
std::byte* bytes(T* data)
{
    return reinterpret_cast<std::byte*>(const_cast<std::remove_const_t<T>*>(data));
}
} // namespace detail

/// Returns a view of contiguous vectors. Views of const vectors must only be read.
template <class T>
ArrayView
view_of(std::span<T> vectors) requires std::is_same_v<std::remove_const_t<T>, Vec3<double>>
{
    std::byte* data = detail::bytes(vectors.data());
    ArrayView view;
    for (std::size_t c = 0; data && c < 3; ++c)
        view.component[c] = data + c * sizeof(double);
    view.stride = sizeof(Vec3<double>);
    return view;
}

/// Returns a view of contiguous numbers.
template <class T>
    ArrayView view_of(std::span<T> numbers) requires std::is_same_v < std::remove_const_t<T>,
double >
{
    ArrayView view;
    view.component[0] = detail::bytes(numbers.data());
    view.stride = sizeof(double);
    return view;
}

/// Returns a view of three adjacent numbers per item, like a matrix row or members of a record.
template <class T>
ArrayView vectors_at(T* first, std::ptrdiff_t stride_in_bytes)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
    std::byte* data = detail::bytes(first);
    ArrayView view;
    for (std::size_t c = 0; data && c < 3; ++c)
        view.component[c] = data + c * sizeof(T);
    view.stride = stride_in_bytes;
    view.scalar = sizeof(T) == 4 ? Scalar::float32 : Scalar::float64;
    return view;
}

/// Returns a view of one number per item, like a matrix column or a member of a record.
template <class T>
ArrayView numbers_at(T* first, std::ptrdiff_t stride_in_bytes)
{
    ArrayView view = vectors_at(first, stride_in_bytes);
    view.component[1] = view.component[2] = nullptr;
    return view;
}

} // namespace chamomile
