/// \file  The softening of the force between two particles.
#pragma once

#include "chamomile/core/host_device.hpp"

namespace chamomile {

/// A SofteningKind is the form of the softened force.
enum class SofteningKind {
    plummer, ///< 1/r becomes 1/sqrt(r^2 + eps^2)
    spline   ///< cubic spline of Monaghan & Lattanzio (1985) as in GADGET: Newtonian beyond 2.8 eps
};

/// A Softening applies to all pairs. `length` is the Plummer-equivalent eps, in units of length:
/// with either kind the potential at the place of a particle of mass m is -G m / eps.
struct Softening {
    SofteningKind kind = SofteningKind::plummer;
    double length = 0;

    /// Returns the distance beyond which the spline kernel is exactly Newtonian (Springel 2005, eq.
    /// 4 ff.).
    CHAMOMILE_HD double spline_radius() const { return 2.8 * length; }
};

} // namespace chamomile
