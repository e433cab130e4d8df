/// \file  Position and velocity of single particles, and their form for drawing.
#pragma once

#include <cmath>
#include <span>

#include "chamomile/core/particles.hpp"

namespace chamomile {

struct PhasePoint {
    Vec3<double> position, velocity;
};

/// Copies particles by number: into[k] gets particle which[k].
void gather_points(const Particles& particles, std::span<const GlobalIndex> which,
                   std::span<PhasePoint> into);

/// A particle for drawing, in single precision.
struct MovingPoint {
    float x, y, z; ///< relative to an origin
    float speed;
};

inline MovingPoint moving_point(const PhasePoint& point, const Vec3<double>& origin)
{
    const Vec3<double> x = point.position - origin;
    return {float(x.x), float(x.y), float(x.z), float(norm(point.velocity))};
}

} // namespace chamomile
