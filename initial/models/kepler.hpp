/// \file  Kepler orbits of two bodies.
#pragma once

#include "chamomile/initial/models/model_size.hpp"

namespace chamomile {

/// A RelativeOrbit is the position and velocity of one body relative to the other.
struct RelativeOrbit {
    Vec3<double> position, velocity;
};

/// Returns the relative position and velocity at distance r, before pericenter, on the orbit with
/// eccentricity e >= 0 and pericenter distance r_p about the total mass (G = 1). The orbit lies in
/// the x-y plane, with pericenter on +x and angular momentum along +z. Throws Error(usage) if r is
/// off the orbit or a value is out of range.
RelativeOrbit orbit_before_pericenter(double total_mass, double eccentricity, double pericenter,
                                      double distance);

/// Lengths are in any unit. Without a mass G = 1 and the total mass is 1.
struct TwoBodyOptions {
    double semi_major_axis = 1; ///< a
    double eccentricity = 0.5;  ///< 0 <= e < 1
    double mass_ratio = 1;      ///< of body 2 to body 1, > 0
    ModelSize size = {};        ///< without a half-mass radius
};

/// Returns two bodies of total mass 1 (G = 1) at pericenter, in the barycenter frame. Body 1 (first
/// particle) lies on -x. The period is 2 pi a^(3/2), the energy -m1 m2 / (2 a). Throws Error(usage)
/// for values out of range.
Snapshot make_two_body(const TwoBodyOptions& options);

} // namespace chamomile
