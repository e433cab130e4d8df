/// \file  A parallel sort of keys with their particle numbers.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "chamomile/tree/keys.hpp"

namespace chamomile {

/// Memory for radix_sort(), kept between calls: 14 bytes per particle.
struct RadixScratch {
    explicit RadixScratch(std::pmr::memory_resource* memory = std::pmr::get_default_resource())
        : keys(memory), order(memory), bucket(memory)
    {}

    std::pmr::vector<Key> keys;
    std::pmr::vector<Index> order;
    std::pmr::vector<std::uint16_t> bucket;
};

/// Sorts pairs (keys[k], order[k]) by key; keys are below 2^63. Pairs with equal keys rise by
/// order[k], or by number[order[k]] if `number` is given; with distinct numbers the result is
/// independent of thread count and input order. Nearly sorted pairs take less time.
///
/// One parallel pass moves the pairs to buckets between sampled keys, which fill about equally for
/// any distribution of keys (Frazer & McKellar 1970). Then each bucket is sorted in the cache by
/// the leading bits in which its keys differ.
void radix_sort(std::span<Key> keys, std::span<Index> order, RadixScratch& scratch,
                std::span<const GlobalIndex> number = {});

} // namespace chamomile
