/// \file  Keys along a Hilbert curve, for pair lists: neighbors on the curve are neighbors in
/// space. The octree uses Morton keys (tree/keys.hpp).
#pragma once

#include "chamomile/core/vec3.hpp"
#include "chamomile/tree/keys.hpp"

namespace chamomile {

/// Returns the place of x, |x| <= 1 in each component, on a Hilbert curve with `levels` levels (max
/// 21), by J. Skilling's algorithm (AIP Conf. Proc. 707, 381, 2004).
CHAMOMILE_HD Key hilbert_key(const Vec3<double>& x, int levels = key_levels)
{
    const double cells = double(1 << levels), half = 0.5 * cells;
    const auto digit = [&](double u) {
        const double scaled = (u + 1) * half;
        return unsigned(scaled < 0 ? 0 : scaled >= cells ? cells - 1 : scaled);
    };
    unsigned axis[3] = {digit(x.x), digit(x.y), digit(x.z)};
    for (unsigned bit = 1u << (levels - 1); bit > 1; bit >>= 1)
        for (unsigned& a : axis) {
            const unsigned below = bit - 1, set = a & bit ? ~0u : 0u;
            axis[0] ^= below & set;
            const unsigned swapped = (axis[0] ^ a) & below & ~set;
            axis[0] ^= swapped;
            a ^= swapped;
        }
    axis[1] ^= axis[0];
    axis[2] ^= axis[1];
    unsigned turn = 0;
    for (unsigned bit = 1u << (levels - 1); bit > 1; bit >>= 1)
        turn ^= axis[2] & bit ? bit - 1 : 0;
    return spread_bits(axis[0] ^ turn) << 2 | spread_bits(axis[1] ^ turn) << 1 |
           spread_bits(axis[2] ^ turn);
}

} // namespace chamomile
