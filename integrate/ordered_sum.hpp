/// \file  Parallel sums whose value does not depend on the number of threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "chamomile/core/threads.hpp"

namespace chamomile {

inline constexpr std::size_t ordered_sum_block = 2048;

/// The sum of n terms in blocks of a fixed length, each summed in order by one thread, and then the
/// blocks in order. Sum needs `+=` and a default value that is zero.
template <class Sum>
class OrderedSum {
public:
    explicit OrderedSum(std::size_t n)
        : n_(n), sums_((n + ordered_sum_block - 1) / ordered_sum_block)
    {}

    std::size_t blocks() const { return sums_.size(); }

    /// Sums the terms of one block. Threads may add different blocks at once.
    template <class Term>
    void add(std::size_t block, const Term& term)
    {
        Sum sum{};
        const std::size_t begin = block * ordered_sum_block;
        for (std::size_t i = begin; i < std::min(n_, begin + ordered_sum_block); ++i)
            sum += term(i);
        sums_[block] = sum;
    }

    Sum total() const
    {
        Sum total{};
        for (const Sum& sum : sums_)
            total += sum;
        return total;
    }

private:
    std::size_t n_;
    std::vector<Sum> sums_;
};

/// term(0) + ... + term(n - 1), by all threads.
template <class Sum, class Term>
Sum ordered_sum(std::size_t n, const Term& term)
{
    OrderedSum<Sum> sum(n);
#pragma omp parallel for if (n > worth_threads) schedule(static)
    for (std::size_t b = 0; b < sum.blocks(); ++b)
        sum.add(b, term);
    return sum.total();
}

} // namespace chamomile
