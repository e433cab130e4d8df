/// \file  The boundaries between sorted keys, which are all that the division into cells needs.
///
/// They take two bytes per pair of neighbours instead of eight of key: a cell's range is divided
/// where the level of its boundaries is least, and its octants are the digits on either side.
#pragma once

#include <bit>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "chamomile/tree/keys.hpp"

namespace chamomile {

/// A Boundary between two sorted neighbours is the first octal digit in which their keys differ.
struct Boundary {
    std::uint8_t level;   ///< 0: the most significant digit; `key_levels`: the keys are equal
    std::uint8_t octants; ///< the digit of the left one times 8, plus that of the right one
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

/// Boundaries has one entry per particle: entry k lies between the sorted particles k and k + 1,
/// and the last entry means nothing.
struct Boundaries {
    static constexpr std::size_t block = 256;

    explicit Boundaries(std::pmr::memory_resource* memory = std::pmr::get_default_resource())
        : level(memory), octants(memory), least(memory)
    {}

    void resize(std::size_t n)
    {
        level.resize(n);
        octants.resize(n);
        least.resize((n + block - 1) / block);
    }

    std::pmr::vector<std::uint8_t> level, octants;
    std::pmr::vector<std::uint8_t> least; ///< least level in each block of entries
};

} // namespace chamomile
