/// \file  Ends an interaction smoothly between two radii.
#pragma once

#include "chamomile/core/lane_math.hpp"

namespace chamomile {

/// Multiplies U(r) by S = 1 - t^3 (10 - 15 t + 6 t^2), t = (r^2 - a^2) / (b^2 - a^2) within 0 .. 1.
/// S is 1 up to r = a and 0 from r = b. Two continuous derivatives of S give forces with one, so an
/// integrator conserves energy. S depends on r^2 and needs no root.
struct Switching {
    double slope = 0, offset = 0; ///< t = slope r^2 + offset; unless set: no end

    /// Returns the switching with a = from, b = to. Throws Error(usage) unless 0 <= from < to. If
    /// `to` is infinite, the interaction does not end.
    static Switching between(double from, double to);

    /// Replaces U by U S, and (dU/dr) / r by the gradient of U S, in 12 issue slots in single
    /// precision.
    template <class T>
    CHAMOMILE_HD void operator()(const T& r2, T& energy, T& gradient) const
    {
        const T t = smaller(larger(T(slope) * r2 + T(offset), T(0)), T(1));  // 1: saturated
        const T t2 = t * t, v = t - t2;                                      // 2
        const T factor = T(1) - (t2 * t) * ((T(6) * t - T(15)) * t + T(10)); // 4
        gradient = factor * gradient - (T(60 * slope) * (v * v)) * energy;   // 4
        energy = factor * energy;                                            // 1
    }

    CHAMOMILE_HD Switching with_unit(double unit) const { return {slope * unit * unit, offset}; }
};

} // namespace chamomile
