/// \file  Where a particle is and how fast it moves, in single precision: what is drawn of it.
///
/// Contraction: none, so that host and device give the same bits.
#pragma once

#include <cmath>
#include <span>

#include "chamomile/core/particles.hpp"

namespace chamomile {

/// A MovingPoint is a particle as it is drawn.
struct MovingPoint {
    float x, y, z; ///< from an origin
    float speed;
};

CHAMOMILE_HD MovingPoint moving_point(const Vec3<double>& position, const Vec3<double>& velocity,
                                      const Vec3<double>& origin)
{
    const Vec3<double> x = position - origin;
    return {float(x.x), float(x.y), float(x.z), float(std::sqrt(dot(velocity, velocity)))};
}

/// Makes a point of each particle whose number is in `which`; `into` has as many entries.
void gather_points(const Particles& particles, std::span<const Index> which,
                   const Vec3<double>& origin, std::span<MovingPoint> into);

} // namespace chamomile
