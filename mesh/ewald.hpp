/// \file  Exact gravity of a point mass in a periodic cube: the sums of Ewald (1921).
#pragma once

#include "chamomile/core/vec3.hpp"

namespace chamomile {

/// An EwaldField is the field per unit of the source's mass, G = 1.
struct EwaldField {
    double potential;
    Vec3<double> acceleration;
};

/// Returns the field at r of a unit mass, of all its images and of the uniform background that
/// makes the mean density 0; the mean of the potential over the cube is 0. At r = 0 the mass itself
/// is left out, and the potential is 2.837297.../side. Sums over images and modes (Hernquist,
/// Bouchet & Suto 1991, eqs. 2.14b and 2.16) are taken to rounding; relative errors are below 1e-13
/// of the largest term. One call takes some 3 microseconds.
EwaldField ewald_field(const Vec3<double>& r, double side);

} // namespace chamomile
