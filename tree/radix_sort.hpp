/// \file  A parallel sort of keys with their particle numbers.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "chamomile/tree/keys.hpp"

namespace chamomile {

/// RadixScratch is the memory of radix_sort, kept between calls: 14 bytes per particle.
struct RadixScratch {
    explicit RadixScratch(std::pmr::memory_resource* memory = std::pmr::get_default_resource())
        : keys(memory), order(memory), bucket(memory)
    {}

    std::pmr::vector<Key> keys;
    std::pmr::vector<Index> order;
    std::pmr::vector<std::uint16_t> bucket;
};

/// Sorts pairs (keys[k] below 2^63, order[k]) by key, and pairs of equal keys by order, or by
/// number[order[k]] where numbers are given: with distinct ones the result depends neither on the
/// number of threads nor on the order of the pairs. Nearly sorted pairs take less time. One
/// parallel pass moves the pairs to buckets between keys of a sample, so that no distribution of
/// keys is a hard one (Frazer & McKellar 1970); then each bucket is sorted in the cache by the
/// leading bits in which its keys differ.
void radix_sort(std::span<Key> keys, std::span<Index> order, RadixScratch& scratch,
                std::span<const Index> number = {});

} // namespace chamomile
