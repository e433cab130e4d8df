/// \file  Internal units, so that single-precision intermediates stay in range.
#pragma once

#include <algorithm>
#include <cmath>

#include "chamomile/tree/moments.hpp"

namespace chamomile {

/// Lengths and masses are divided by these powers of two before conversion to float; sums are
/// multiplied back in double. Otherwise r^-3 in metres or kiloparsecs would overflow. Problems
/// scaled by powers of two give bitwise equal results.
struct InternalScale {
    double length = 1, mass = 1;

    static double power_of_two_above(double x)
    {
        int exponent = 0;
        std::frexp(x, &exponent);
        return std::ldexp(1.0, std::min(exponent, 1023)); // the largest that a double holds
    }
    /// Returns the unit, in units of `length`, for a field expanded about a region's center: near
    /// the region's radius, but within float's range. About a point, cells at any distance are
    /// expanded; 2^-20 has room for 1e-12 to 1e9.
    static CHAMOMILE_HD double unit_of_radius(double radius)
    {
        int exponent = -20;
        if (radius > 0)
            frexp(radius, &exponent);
        return ldexp(1.0, exponent < -40 ? -40 : exponent);
    }
    /// Returns the scale for particles within `extent`, with total mass `mass`. A softening longer
    /// than the extent sets the length.
    static InternalScale of(double extent, double softening, double mass)
    {
        const double length = std::max(extent, softening);
        return {length > 0 ? power_of_two_above(length) : 1,
                mass > 0 ? power_of_two_above(mass) : 1};
    }
};

} // namespace chamomile
