/// \file  Arrays that are filled again at each step.
#pragma once

#include <cstddef>

#include "chamomile/core/populate.hpp"

namespace chamomile {

/// Resizes an array whose values will all be replaced; it keeps none if it grows. Unlike resize(),
/// which doubles the memory, an array that grows gets room for a sixteenth more: numbers of cells
/// and of particles of a rank change little between steps.
template <class Vector>
void resize_discarding(Vector& values, std::size_t n)
{
    if (values.capacity() < n) {
        const std::size_t room = values.capacity() > 0 ? n / 16 : 0;
        values = Vector(values.get_allocator());
        values.reserve(n + room);
        populate(values.data(), n * sizeof values[0]);
    }
    values.resize(n);
}

/// Resizes an array and keeps its values. An array that grows gets room for a sixteenth more.
template <class Vector>
void resize_keeping(Vector& values, std::size_t n)
{
    if (values.capacity() < n)
        values.reserve(n + n / 16);
    values.resize(n);
}

} // namespace chamomile
