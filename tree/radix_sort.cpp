#include "tree/radix_sort.hpp"

#include <algorithm>

#include <omp.h>

#include "core/threads.hpp"

namespace chamomile {
namespace {

constexpr int digit_bits = 11, digits = 1 << digit_bits;

struct Part {
    std::size_t begin, end;
};

Part part_of(std::size_t n, int thread, int threads)
{
    return {n * std::size_t(thread) / std::size_t(threads),
            n * std::size_t(thread + 1) / std::size_t(threads)};
}

/// Turns counts per thread and digit into the first place of each; false if one digit has all.
bool counts_to_places(std::vector<std::vector<std::size_t>>& counts, std::size_t n)
{
    std::size_t place = 0;
    for (int d = 0; d < digits; ++d) {
        std::size_t all = 0;
        for (auto& of_thread : counts) {
            const std::size_t count = of_thread[d];
            of_thread[d] = place;
            place += count;
            all += count;
        }
        if (all == n)
            return false;
    }
    return true;
}

} // namespace

void radix_sort(std::vector<KeyedIndex>& items, std::vector<KeyedIndex>& buffer)
{
    const std::size_t n = items.size();
    if (n < worth_threads) { // too few to be worth the passes
        std::sort(items.begin(), items.end(), [](const KeyedIndex& a, const KeyedIndex& b) {
            return a.key != b.key ? a.key < b.key : a.index < b.index;
        });
        return;
    }
    buffer.resize(n);
    const int threads = omp_in_parallel() ? 1 : omp_get_max_threads();
    const std::vector<std::size_t> none(digits);
    std::vector<std::vector<std::size_t>> counts(std::size_t(threads), none);
    for (int shift = 0; shift < 3 * key_levels; shift += digit_bits) {
        const auto digit = [shift](Key key) { return (key >> shift) & (digits - 1); };
        bool moves = false;
#pragma omp parallel num_threads(threads)
        {
            const int thread = omp_get_thread_num();
            const Part part = part_of(n, thread, threads);
            std::vector<std::size_t>& own = counts[std::size_t(thread)];
            std::fill(own.begin(), own.end(), 0);
            for (std::size_t k = part.begin; k < part.end; ++k)
                ++own[digit(items[k].key)];
#pragma omp barrier
#pragma omp single
            moves = counts_to_places(counts, n);
            if (moves)
                for (std::size_t k = part.begin; k < part.end; ++k)
                    buffer[own[digit(items[k].key)]++] = items[k];
        }
        if (moves)
            items.swap(buffer);
    }
}

} // namespace chamomile
