/// \file  Growth of small perturbations to second order.
#pragma once

#include "chamomile/core/cosmology/background.hpp"

namespace chamomile {

/// A Growth holds the growth factors. In matter domination D1 grows as a, and D2 as 3/7 a^2
/// (positive here; some authors use the opposite sign). Displacements are x - q = -D1 grad phi1 -
/// D2 grad phi2 with laplace phi1 = delta and phi2 as in initial/cosmology/displacements.hpp.
struct Growth {
    double D1, D2;
    double f1, f2; ///< d ln D / d ln a
};

/// Solves (Bouchet et al. 1995, eqs. 2.25 f.), with ' = d/d ln a,
///
///     D1'' + (2 + d ln E / d ln a) D1' = 3/2 Omega_m(a) D1
///     D2'' + (2 + d ln E / d ln a) D2' = 3/2 Omega_m(a) (D2 + D1^2)
///
/// from very early times, with D1 = a + 2/3 Omega_r / Omega_m (Meszaros 1974), to rounding.
Growth growth(const Background& background, double a);

} // namespace chamomile
