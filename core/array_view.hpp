/// \file  Callers' arrays as they lie in memory: strided, float or double, on host or device.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/vec3.hpp"

namespace chamomile {

enum class Scalar : std::uint8_t { float32, float64 };

/// Items of up to six components that another owns. Component c of item i lies at
/// component[c] + i * stride, so that rows, columns and members of larger records can be read and
/// written where they are.
struct ArrayView {
    static constexpr int most_components = 6;

    std::array<std::byte*, most_components> component{}; ///< those not used: null
    std::ptrdiff_t stride = 0;                           ///< bytes from an item to the next
    Scalar scalar = Scalar::float64;
    bool on_device = false; ///< memory of the solver's GPU

    explicit operator bool() const { return component[0] != nullptr; }
    int components() const
    {
        int n = 0;
        while (n < most_components && component[std::size_t(n)])
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

/// Vectors one after the other. What is only read may be const.
template <class T>
ArrayView
view_of(std::span<T> vectors) requires std::is_same_v<std::remove_const_t<T>, Vec3<double>>
{
    std::byte* data = detail::bytes(vectors.data());
    ArrayView view;
    if (data)
        view.component = {data, data + sizeof(double), data + 2 * sizeof(double)};
    view.stride = sizeof(Vec3<double>);
    return view;
}

/// Numbers one after the other.
template <class T>
    ArrayView view_of(std::span<T> numbers) requires std::is_same_v < std::remove_const_t<T>,
double >
{
    ArrayView view;
    view.component[0] = detail::bytes(numbers.data());
    view.stride = sizeof(double);
    return view;
}

/// Three numbers for each item, as in a row of a matrix or members of a record.
template <class T>
ArrayView vectors_at(T* first, std::ptrdiff_t stride_in_bytes)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
    std::byte* data = detail::bytes(first);
    ArrayView view;
    if (data)
        view.component = {data, data + sizeof(T), data + 2 * sizeof(T)};
    view.stride = stride_in_bytes;
    view.scalar = sizeof(T) == 4 ? Scalar::float32 : Scalar::float64;
    return view;
}

template <class T>
ArrayView numbers_at(T* first, std::ptrdiff_t stride_in_bytes)
{
    ArrayView view = vectors_at(first, stride_in_bytes);
    view.component[1] = view.component[2] = nullptr;
    return view;
}

} // namespace chamomile
