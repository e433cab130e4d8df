/// \file  First use of large memory by all threads.
#pragma once

#include <cstddef>

namespace chamomile {

/// Maps the pages of memory that will be written next, with all threads: a page's first use takes
/// longer than writing it. Does nothing to small memory, or where the system cannot map in advance.
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
