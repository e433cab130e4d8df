/// \file  Sums over the motion of particles.
#pragma once

#include "chamomile/core/host_device.hpp"
#include "chamomile/core/vec3.hpp"

namespace chamomile {

/// Sums for energies and momenta.
struct MotionSums {
    double mass = 0, kinetic = 0, potential = 0;
    double kinetic_about = 0; ///< of the motion relative to a typical velocity
    Vec3<double> momentum, angular_momentum, mass_position;

    /// Returns the terms of one particle. The potential counts half, since a sum over particles
    /// counts each pair twice.
    static CHAMOMILE_HD MotionSums of_one(double m, const Vec3<double>& x, const Vec3<double>& v,
                                          double potential, const Vec3<double>& typical)
    {
        return {m,
                0.5 * m * norm_squared(v),
                0.5 * m * potential,
                0.5 * m * norm_squared(v - typical),
                m * v,
                m * cross(x, v),
                m * x};
    }
};

} // namespace chamomile
