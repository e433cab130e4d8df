/// \file  First use of large memory by all threads.
#pragma once

#include <cstddef>

#include "chamomile/core/threads.hpp"

namespace chamomile {

/// Maps pages with all threads before they are written, huge ones if the system has them: their
/// first use takes longer than writing. Does nothing for small memory or on old systems.
void populate(void* memory, std::size_t bytes);

/// Like values.resize(n) of each vector, but maps the memory of empty ones with all threads, and
/// clears several at once.
template <class... Vectors>
void resize_large(std::size_t n, Vectors&... values)
{
    const auto make_room = [n](auto& one) {
        if (one.empty()) {
            one.reserve(n);
            populate(one.data(), n * sizeof one[0]);
        } else if (n > one.capacity())
            one.resize(n); // may throw, which the loop below must not
    };
    (make_room(values), ...);
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) if (sizeof...(values) > 1 && n > worth_threads)
#endif
    for (std::size_t column = 0; column < sizeof...(values); ++column) {
        std::size_t k = 0;
        ((k++ == column ? values.resize(n) : void()), ...);
    }
}

} // namespace chamomile
