/// \file  Internal units, so that no intermediate of a single-precision force leaves its range.
#pragma once

#include <algorithm>
#include <cmath>

#include "tree/moments.hpp"

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
        return std::ldexp(1.0, exponent);
    }
    /// For particles within `extent` of total mass `mass`. A softening longer than the extent is
    /// what the forces scale with.
    static InternalScale of(double extent, double softening, double mass)
    {
        const double length = std::max(extent, softening);
        return {length > 0 ? power_of_two_above(length) : 1,
                mass > 0 ? power_of_two_above(mass) : 1};
    }
};

} // namespace chamomile
