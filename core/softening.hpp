/// \file  The softening of the force between two particles.
#pragma once

#include "chamomile/core/host_device.hpp"

namespace chamomile {

/// The form of the softened force.
enum class SofteningKind {
    plummer, ///< 1/r becomes 1/sqrt(r^2 + eps^2)
    spline   ///< cubic spline of Monaghan & Lattanzio (1985) as in GADGET: Newtonian beyond 2.8 eps
};

/// How a pair's length follows from its two particles.
enum class SofteningRule {
    larger,         ///< the larger of the two, as in GADGET
    root_of_squares ///< square root of the sum of squares
};

/// A Softening applies to all pairs. `length` is the Plummer-equivalent eps, in units of length:
/// with either kind the potential at the position of a particle of mass m is -G m / eps. With
/// per-particle softening, pairs follow the rule.
struct Softening {
    SofteningKind kind = SofteningKind::plummer;
    double length = 0; ///< common length, or the largest per-particle length
    SofteningRule rule = SofteningRule::larger;
    bool is_varied = false; ///< per-particle softening (Particles::softening)

    /// Returns the factor with which the rule adds the smaller square to the larger one.
    CHAMOMILE_HD double rule_weight() const
    {
        return rule == SofteningRule::root_of_squares ? 1 : 0;
    }

    /// Returns the distance beyond which the spline kernel is exactly Newtonian (Springel 2005, eq.
    /// 4 ff.).
    CHAMOMILE_HD double spline_radius() const { return spline_radius_part * length; }
    static constexpr double spline_radius_part = 2.8;
};

/// Returns the squared softening length of a pair from the squares a and b of its particles.
CHAMOMILE_HD double pair_softening_squared(double a, double b, SofteningRule rule)
{
    return rule == SofteningRule::root_of_squares ? a + b : a < b ? b : a;
}

} // namespace chamomile
