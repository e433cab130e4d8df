/// \file  First use of large memory by all threads.
#pragma once

#include <cstddef>

namespace chamomile {

/// Maps pages with all threads before they are written: their first use takes longer than writing.
/// Does nothing for small memory or on old systems.
void populate(void* memory, std::size_t bytes);

/// Like values.resize(n) of a vector, but maps the memory of an empty one with all threads.
template <class Vector>
void resize_large(Vector& values, std::size_t n)
{
    if (values.empty()) {
        values.reserve(n);
        populate(values.data(), n * sizeof values[0]);
    }
    values.resize(n);
}

} // namespace chamomile
