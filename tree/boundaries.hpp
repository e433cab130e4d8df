/// \file  Boundaries between sorted keys: input for the division into cells. Positions are needed
/// only for particles that share a key.
///
/// Two bytes per pair of neighbors replace eight bytes of key. A cell's range is divided at its
/// boundaries with the lowest level, and the digits on either side give the octants.
#pragma once

#include <bit>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "chamomile/tree/keys.hpp"

namespace chamomile {

/// A Boundary between two sorted neighbors: the first octal digit in which their keys differ.
struct Boundary {
    std::uint8_t level;   ///< 0: the most significant digit; `key_levels`: the keys are equal
    std::uint8_t octants; ///< left digit times 8, plus right digit
};

/// Returns the boundary between two keys, left <= right.
CHAMOMILE_HD Boundary boundary_between(Key left, Key right)
{
    if (left == right)
        return {std::uint8_t(key_levels), 0};
#ifdef __CUDA_ARCH__
    const int highest_bit = 63 - __clzll((long long)(left ^ right));
#else
    const int highest_bit = 63 - std::countl_zero(left ^ right);
#endif
    const int shift = highest_bit / 3 * 3;
    return {std::uint8_t(key_levels - 1 - shift / 3),
            std::uint8_t((left >> shift & 7) << 3 | (right >> shift & 7))};
}

/// One entry per particle: entry k lies between the sorted particles k and k + 1. The last entry
/// means nothing.
struct Boundaries {
    static constexpr std::size_t block = 256;

    explicit Boundaries(std::pmr::memory_resource* memory = std::pmr::get_default_resource())
        : level(memory), octants(memory), block_min(memory)
    {}

    void resize(std::size_t n)
    {
        level.resize(n);
        octants.resize(n);
        block_min.resize((n + block - 1) / block);
    }

    std::pmr::vector<std::uint8_t> level, octants;
    std::pmr::vector<std::uint8_t> block_min; ///< lowest level in each block of `block` entries
};

} // namespace chamomile
