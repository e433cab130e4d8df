/// \file  The length of a vector without overflow.
#pragma once

#include <cmath>

#include "chamomile/core/vec3.hpp"

namespace chamomile {

/// Returns |a|, also where squares overflow or vanish: below 1e-154 and above 1e154.
inline double norm_of_any_size(const Vec3<double>& a)
{
    const double squared = norm_squared(a);
    return squared > 1e-280 && squared < 1e300 ? std::sqrt(squared) : std::hypot(a.x, a.y, a.z);
}

} // namespace chamomile
