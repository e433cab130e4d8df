/// \file  A sort of few keys by three short launches.
#pragma once

#include "chamomile/core/particles.hpp"
#include "chamomile/gpu/device/device.cuh"
#include "chamomile/tree/keys.hpp"

namespace chamomile {

/// Up to this count, ranking is faster than a radix sort.
inline constexpr Index max_to_rank = 1 << 15;

/// A KeyRanker sorts by samples. Keys at regular intervals cut all keys into bins. The place of a
/// key is the start of its bin plus the number of smaller keys in the bin. The order does not
/// depend on the bins. Buffers are kept between sorts.
class KeyRanker {
public:
    /// Writes the indices of the keys in ascending order of key. The sort is stable.
    void rank(const Key* keys, Index n, Index* order, cudaStream_t stream);

private:
    DeviceBuffer<Index> counts_, bins_, slots_, numbers_;
    DeviceBuffer<Key> binned_;
};

} // namespace chamomile
