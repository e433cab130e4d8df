/// \file  Internal units, so that no intermediate of a single-precision force leaves its range.
#pragma once

#include <algorithm>
#include <cmath>

#include "chamomile/tree/moments.hpp"

namespace chamomile {

/// Lengths and masses are divided by these powers of two before they become float, and the sums are
/// multiplied back in double: r^-3 of a distance in metres or kiloparsecs would overflow. Powers of
/// two keep a problem scaled by powers of two bitwise the same.
struct InternalScale {
    double length = 1, mass = 1;

    static double power_of_two_above(double x)
    {
        int exponent = 0;
        std::frexp(x, &exponent);
        return std::ldexp(1.0, std::min(exponent, 1023)); // the largest that a double holds
    }
    /// Returns the unit, in units of `length`, of the field expanded about the centre of a region:
    /// near its radius, but no smaller than float's range has room for. For a point, cells of any
    /// distance are expanded; 2^-20 has room for all from 1e-12 to 1e9.
    static CHAMOMILE_HD double unit_of_radius(double radius)
    {
        int exponent = -20;
        if (radius > 0)
            frexp(radius, &exponent);
        return ldexp(1.0, exponent < -40 ? -40 : exponent);
    }
    /// Returns the scale for particles within `extent` of total mass `mass`. A softening longer
    /// than the extent is what the forces scale with.
    static InternalScale of(double extent, double softening, double mass)
    {
        const double length = std::max(extent, softening);
        return {length > 0 ? power_of_two_above(length) : 1,
                mass > 0 ? power_of_two_above(mass) : 1};
    }
};

} // namespace chamomile
