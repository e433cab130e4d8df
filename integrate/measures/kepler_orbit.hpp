/// \file  The relative orbit of two point masses.
#pragma once

#include <cmath>
#include <limits>
#include <numbers>

#include "chamomile/core/vec3.hpp"

namespace chamomile {

/// Elements of the Kepler orbit of two bodies.
struct KeplerOrbit {
    double semi_major_axis = 0; ///< negative: unbound
    double eccentricity = 0;
    double pericenter = 0; ///< distance
    double period = 0;     ///< infinite if unbound
    double speed = 0;      ///< relative, at infinity; 0 if bound

    bool is_bound() const { return semi_major_axis > 0; }
};

/// Returns the orbit of two bodies with G times their total mass, GM > 0, from their relative
/// position and velocity.
inline KeplerOrbit kepler_orbit(double GM, const Vec3<double>& position,
                                const Vec3<double>& velocity)
{
    const double r = norm(position), v2 = norm_squared(velocity);
    const double twice_energy = v2 - 2 * GM / r, p = norm_squared(cross(position, velocity)) / GM;
    // The eccentricity vector keeps its digits for nearly circular orbits.
    const Vec3<double> e =
        (1 / GM) * ((v2 - GM / r) * position - dot(position, velocity) * velocity);
    KeplerOrbit orbit;
    orbit.eccentricity = norm(e);
    orbit.pericenter = p / (1 + orbit.eccentricity);
    orbit.semi_major_axis = -GM / twice_energy;
    orbit.period = orbit.is_bound()
                       ? 2 * std::numbers::pi * std::sqrt(std::pow(orbit.semi_major_axis, 3) / GM)
                       : std::numeric_limits<double>::infinity();
    orbit.speed = orbit.is_bound() ? 0 : std::sqrt(twice_energy);
    return orbit;
}

} // namespace chamomile
