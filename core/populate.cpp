#include "chamomile/core/populate.hpp"

#include <algorithm>
#include <cstdint>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace chamomile {

void populate([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes)
{
#ifdef MADV_POPULATE_WRITE
    constexpr std::size_t block = std::size_t(2) << 20, min = 4 * block;
    if (bytes < min)
        return;
    const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(memory), end = first + bytes,
                         begin = (first + block - 1) / block * block;
    madvise(reinterpret_cast<void*>(begin), (end - begin) / 4096 * 4096, MADV_HUGEPAGE); // a hint
#pragma omp parallel for schedule(static)
    for (std::uintptr_t at = begin; at < end; at += block)
        madvise(reinterpret_cast<void*>(at), std::min(block, (end - at) / 4096 * 4096),
                MADV_POPULATE_WRITE);
#endif
}

} // namespace chamomile
