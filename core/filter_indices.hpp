/// \file  Lists of indices that satisfy a condition, found with all threads.
#pragma once

#include <algorithm>
#include <vector>

#include "chamomile/core/particles.hpp"
#include "chamomile/core/threads.hpp"

namespace chamomile {

/// Fills `list` with every i < n for which `holds(i)` is true, in ascending order. Any thread may
/// call `holds`, twice for each i.
template <class Holds>
void list_where(std::size_t n, const Holds& holds, std::vector<Index>& list)
{
    constexpr std::size_t block = 4096;
    std::vector<Index> before((n + block - 1) / block + 1);
#ifdef _OPENMP
#pragma omp parallel for if (n > worth_threads)
#endif
    for (std::size_t b = 0; b < before.size() - 1; ++b) {
        Index count = 0;
        for (std::size_t i = b * block; i < std::min(n, (b + 1) * block); ++i)
            count += bool(holds(i));
        before[b + 1] = count;
    }
    for (std::size_t b = 1; b < before.size(); ++b)
        before[b] += before[b - 1];
    list.resize(before.back());
#ifdef _OPENMP
#pragma omp parallel for if (n > worth_threads)
#endif
    for (std::size_t b = 0; b < before.size() - 1; ++b) {
        if (before[b] == before[b + 1])
            continue;
        Index k = before[b];
        for (std::size_t i = b * block; i < std::min(n, (b + 1) * block); ++i)
            if (holds(i))
                list[k++] = Index(i);
    }
}

} // namespace chamomile
