/// \file  Two bodies on a conic section about each other.
#pragma once

#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// A RelativeOrbit is position and velocity of one body relative to the other.
struct RelativeOrbit {
    Vec3<double> position, velocity;
};

/// Returns the place on the orbit of eccentricity e and pericentre distance r_p about the total
/// mass (G = 1), at distance r before pericentre. The orbit lies in the x-y plane with pericentre
/// on +x and angular momentum along +z; any e >= 0 is allowed. Throws Error(usage) if r lies off
/// the orbit or a value is out of range.
RelativeOrbit orbit_before_pericentre(double total_mass, double eccentricity, double pericentre,
                                      double distance);

/// TwoBodyOptions has lengths in any unit, with G = 1 and total mass 1.
struct TwoBodyOptions {
    double semi_major_axis = 1; ///< a
    double eccentricity = 0.5;  ///< 0 <= e < 1
    double mass_ratio = 1;      ///< of body 2 to body 1, > 0
};

/// Returns two bodies of total mass 1 (G = 1) at pericentre, about their barycentre; body 1, the
/// first, lies on -x. The period is 2 pi a^(3/2), the energy -m1 m2 / (2 a). Throws Error(usage)
/// for values out of range.
Snapshot make_two_body(const TwoBodyOptions& options);

} // namespace chamomile
