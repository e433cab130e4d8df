/// \file  Parallel sums whose value does not depend on the number of threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "chamomile/core/threads.hpp"

namespace chamomile {

inline constexpr std::size_t ordered_sum_block = 2048;

/// Returns term(0) + ... + term(n - 1): blocks of a fixed length are summed in order, each by one
/// thread, and then the blocks in order. Sum needs `+=` and a default value that is zero.
template <class Sum, class Term>
Sum ordered_sum(std::size_t n, const Term& term)
{
    constexpr std::size_t block = ordered_sum_block;
    std::vector<Sum> sums((n + block - 1) / block);
#pragma omp parallel for if (n > worth_threads) schedule(static)
    for (std::size_t b = 0; b < sums.size(); ++b) {
        Sum sum{};
        for (std::size_t i = b * block; i < std::min(n, (b + 1) * block); ++i)
            sum += term(i);
        sums[b] = sum;
    }
    Sum total{};
    for (const Sum& sum : sums)
        total += sum;
    return total;
}

} // namespace chamomile
