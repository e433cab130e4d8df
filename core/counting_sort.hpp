/// \file  Counting sort of indices by a small key, with all threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "chamomile/core/large_memory.hpp"
#include "chamomile/core/particles.hpp"
#include "chamomile/core/threads.hpp"

namespace chamomile {

/// Indices sorted by key: those with key k are order[begin[k]] to order[begin[k + 1] - 1],
/// ascending.
struct SortedIndices {
    UnsetArray<Index> order;
    std::vector<std::size_t> begin;
};

/// Sorts the indices 0 to n - 1 by key_of(i) < keys. Any thread may call key_of.
template <class Key>
SortedIndices sorted_by(std::size_t n, std::size_t keys, const Key& key_of)
{
    std::size_t threads = 0;
#pragma omp parallel reduction(+ : threads) if (n > worth_threads)
    threads += 1;
    // Each part of the indices has its counters, apart from cache lines of others. They must cost
    // less than the indices.
    const std::size_t parts = std::clamp<std::size_t>(n / (8 * keys), 1, threads),
                      stride = (keys + 31) / 16 * 16;
    UnsetArray<Index> key(n), next(parts * stride);
    const auto for_parts = [&](const auto& visit) {
#pragma omp parallel for schedule(static, 1) if (parts > 1)
        for (std::size_t part = 0; part < parts; ++part)
            visit(n * part / parts, n * (part + 1) / parts, &next[part * stride]);
    };
#pragma omp parallel for schedule(static) if (n > worth_threads)
    for (std::size_t i = 0; i < n; ++i)
        key[i] = Index(key_of(i));
    for_parts([&](std::size_t begin, std::size_t end, Index* count) {
        std::fill_n(count, keys, Index(0));
        for (std::size_t i = begin; i < end; ++i)
            ++count[key[i]];
    });
    SortedIndices sorted{UnsetArray<Index>(n), {}};
    Index sum = 0;
    for (std::size_t k = 0; k < keys; ++k) {
        sorted.begin.push_back(sum);
        for (std::size_t part = 0; part < parts; ++part)
            sum += std::exchange(next[part * stride + k], sum);
    }
    sorted.begin.push_back(sum);
    for_parts([&](std::size_t begin, std::size_t end, Index* place) {
        for (std::size_t i = begin; i < end; ++i)
            sorted.order[place[key[i]]++] = Index(i);
    });
    return sorted;
}

} // namespace chamomile
