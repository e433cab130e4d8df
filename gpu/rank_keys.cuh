/// \file  A sort of few keys by one launch.
#pragma once

#include <cuda_runtime.h>

#include "core/particles.hpp"
#include "tree/keys.hpp"

namespace chamomile {

/// Up to how many keys it is faster than a radix sort.
inline constexpr Index most_to_rank = 1 << 15;

/// Writes the numbers of the keys in ascending order, by counting for each how many stand before
/// it: all pairs of keys, but one launch. Equal keys keep the order of their numbers.
void rank_keys(const Key* keys, Index n, Index* order, cudaStream_t stream);

} // namespace chamomile
