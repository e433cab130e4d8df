/// \file  Two- and three-body problems with known solutions.
#pragma once

#include <cmath>

#include "chamomile/core/particles.hpp"

namespace chamomile::tests {

/// An PairOrbit of two bodies with G (m1 + m2) = 1 and semi-major axis 1, starting at pericenter on
/// the x axis.
struct PairOrbit {
    double eccentricity = 0;
    double mass_ratio = 1; ///< m1 / m2
    Vec3<double> offset = {}, boost = {};
};

inline Particles bodies(const PairOrbit& orbit)
{
    const double e = orbit.eccentricity;
    const double m1 = orbit.mass_ratio / (1 + orbit.mass_ratio), m2 = 1 - m1;
    const Vec3<double> x{1 - e, 0, 0}, v{0, std::sqrt((1 + e) / (1 - e)), 0};
    Particles pair;
    pair.resize(2);
    pair.id = {1, 2};
    pair.mass = {m1, m2};
    pair.position = {orbit.offset - m2 * x, orbit.offset + m1 * x};
    pair.velocity = {orbit.boost - m2 * v, orbit.boost + m1 * v};
    return pair;
}

inline Vec3<double> separation(const Particles& pair)
{
    return pair.position[1] - pair.position[0];
}

/// Returns the energy of relative motion per reduced mass.
inline double orbit_energy(const Particles& pair)
{
    const Vec3<double> v = pair.velocity[1] - pair.velocity[0];
    return 0.5 * norm_squared(v) - 1 / norm(separation(pair));
}

/// Returns the direction of pericenter, from the Laplace-Runge-Lenz vector.
inline double pericenter_angle(const Particles& pair)
{
    const Vec3<double> x = separation(pair), v = pair.velocity[1] - pair.velocity[0];
    const Vec3<double> e = cross(v, cross(x, v)) - (1 / norm(x)) * x;
    return std::atan2(e.y, e.x);
}

/// Returns Burrau's problem: masses 3, 4 and 5 at rest at the corners opposite sides 3, 4 and 5.
inline Particles pythagorean_bodies()
{
    Particles bodies;
    bodies.resize(3);
    bodies.id = {3, 4, 5};
    bodies.mass = {3, 4, 5};
    bodies.position = {{1, 3, 0}, {-2, -1, 0}, {1, -1, 0}};
    return bodies;
}

/// Returns three bodies with mass 1 on a figure-eight orbit (Chenciner & Montgomery 2000).
inline Particles figure_eight()
{
    const Vec3<double> x{0.97000436, -0.24308753, 0}, v{-0.93240737, -0.86473146, 0};
    Particles bodies;
    bodies.resize(3);
    bodies.id = {1, 2, 3};
    bodies.mass = {1, 1, 1};
    bodies.position = {x, -1.0 * x, {}};
    bodies.velocity = {-0.5 * v, -0.5 * v, v};
    return bodies;
}
inline constexpr double figure_eight_period = 6.32591398;

} // namespace chamomile::tests
