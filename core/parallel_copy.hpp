/// \file  Copies arrays with all threads.
#pragma once

#include <cstddef>
#include <vector>

#include "chamomile/core/populate.hpp"
#include "chamomile/core/threads.hpp"

namespace chamomile {

/// Copies an array with all threads. Reuses the memory of `to`.
template <class T>
void parallel_copy(const std::vector<T>& from, std::vector<T>& to)
{
    const std::size_t n = from.size();
    resize_large(n, to);
#pragma omp parallel for if (n > worth_threads) schedule(static)
    for (std::size_t i = 0; i < n; ++i)
        to[i] = from[i];
}

} // namespace chamomile
