/// \file  A sort of few keys by three short launches.
#pragma once

#include "chamomile/core/particles.hpp"
#include "chamomile/gpu/device/device.cuh"
#include "chamomile/tree/keys.hpp"

namespace chamomile {

/// Up to so many keys ranking is faster than a radix sort.
inline constexpr Index most_to_rank = 1 << 15;

/// KeyRanker sorts by samples: every so manieth key cuts the others into bins, and a key's place is
/// that of its bin and how many stand before it there. No bit of the order depends on the bins. It
/// keeps its memory between sorts.
class KeyRanker {
public:
    /// Writes the numbers of the keys in ascending order. Equal keys keep the order of their
    /// numbers.
    void rank(const Key* keys, Index n, Index* order, cudaStream_t stream);

private:
    DeviceBuffer<Index> counts_, bins_, slots_, numbers_;
    DeviceBuffer<Key> binned_;
};

} // namespace chamomile
