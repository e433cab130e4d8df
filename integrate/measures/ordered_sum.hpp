/// \file  Parallel sums whose value does not depend on the number of threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "chamomile/core/threads.hpp"

namespace chamomile {

inline constexpr std::size_t ordered_sum_block = 2048;

/// Adds term(begin) + ... + term(end - 1) to a sum: blocks of a fixed length are summed in order,
/// each by one thread, and then the blocks in order. Sum needs `+=` and a default value that is
/// zero. A sum that begins at 0 has the same bits wherever it is divided between blocks.
template <class Sum, class Term>
void add_ordered(Sum& total, std::size_t begin, std::size_t end, const Term& term)
{
    constexpr std::size_t block = ordered_sum_block;
    std::vector<Sum> sums((end - begin + block - 1) / block);
#ifdef _OPENMP
#pragma omp parallel for if (end - begin > worth_threads) schedule(static)
#endif
    for (std::size_t b = 0; b < sums.size(); ++b) {
        Sum sum{};
        for (std::size_t i = begin + b * block; i < std::min(end, begin + (b + 1) * block); ++i)
            sum += term(i);
        sums[b] = sum;
    }
    for (const Sum& sum : sums)
        total += sum;
}

/// Returns term(0) + ... + term(n - 1) in that order.
template <class Sum, class Term>
Sum ordered_sum(std::size_t n, const Term& term)
{
    Sum total{};
    add_ordered(total, 0, n, term);
    return total;
}

} // namespace chamomile
