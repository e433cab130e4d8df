/// \file  The length of a vector without overflow.
#pragma once

#include <cmath>

#include "chamomile/core/host_device.hpp"
#include "chamomile/core/vec3.hpp"

namespace chamomile {

/// Returns |a|, even if squares overflow or vanish: below 1e-154 and above 1e154.
CHAMOMILE_HD double norm_of_any_size(const Vec3<double>& a)
{
    const double squared = norm_squared(a);
    if (squared > 1e-280 && squared < 1e300)
        return sqrt(squared);
    const double scale = fmax(fmax(fabs(a.x), fabs(a.y)), fabs(a.z));
    if (!(scale > 0 && scale < HUGE_VAL))
        return scale > 0 ? scale : sqrt(squared);
    return scale * sqrt(norm_squared(Vec3<double>{a.x / scale, a.y / scale, a.z / scale}));
}

} // namespace chamomile
