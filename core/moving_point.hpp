/// \file  Position and speed of a particle in single precision, for drawing.
///
/// Contraction: none, so that host and device give the same bits.
#pragma once

#include <cmath>
#include <span>

#include "chamomile/core/particles.hpp"

namespace chamomile {

/// A particle for drawing.
struct MovingPoint {
    float x, y, z; ///< relative to an origin
    float speed;
};

CHAMOMILE_HD MovingPoint moving_point(const Vec3<double>& position, const Vec3<double>& velocity,
                                      const Vec3<double>& origin)
{
    const Vec3<double> x = position - origin;
    return {float(x.x), float(x.y), float(x.z), float(std::sqrt(dot(velocity, velocity)))};
}

/// Makes a point for each particle in `which`. `into` has the size of `which`.
void gather_points(const Particles& particles, std::span<const Index> which,
                   const Vec3<double>& origin, std::span<MovingPoint> into);

} // namespace chamomile
