/// \file  Launches with one thread for each item.
#pragma once

#include <cstddef>

namespace chamomile {

inline constexpr unsigned block_size = 256;

inline unsigned blocks_of(std::size_t n)
{
    return unsigned((n + block_size - 1) / block_size);
}

/// Returns the index of this thread's item.
__device__ inline std::size_t thread_number()
{
    return std::size_t(blockIdx.x) * block_size + threadIdx.x;
}

} // namespace chamomile
