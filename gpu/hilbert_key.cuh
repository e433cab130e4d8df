/// \file  Places on a Hilbert curve, on which neighbours are neighbours in space.
#pragma once

#include "core/vec3.hpp"
#include "tree/keys.hpp"

namespace chamomile {

/// The place of x, |x| <= 1, on a Hilbert curve of 21 levels, by J. Skilling's algorithm (AIP Conf.
/// Proc. 707, 381, 2004).
__device__ inline Key hilbert_key(const Vec3<double>& x)
{
    const auto digit = [](double u) {
        const double scaled = (u + 1) * (1 << (key_levels - 1));
        return unsigned(fmin(fmax(scaled, 0.0), double((1 << key_levels) - 1)));
    };
    unsigned axis[3] = {digit(x.x), digit(x.y), digit(x.z)};
    for (unsigned bit = 1u << (key_levels - 1); bit > 1; bit >>= 1)
        for (unsigned& a : axis)
            if (a & bit) {
                axis[0] ^= bit - 1;
            } else {
                const unsigned swapped = (axis[0] ^ a) & (bit - 1);
                axis[0] ^= swapped;
                a ^= swapped;
            }
    axis[1] ^= axis[0];
    axis[2] ^= axis[1];
    unsigned turn = 0;
    for (unsigned bit = 1u << (key_levels - 1); bit > 1; bit >>= 1)
        if (axis[2] & bit)
            turn ^= bit - 1;
    return spread_bits(axis[0] ^ turn) << 2 | spread_bits(axis[1] ^ turn) << 1 |
           spread_bits(axis[2] ^ turn);
}

} // namespace chamomile
