/// \file  The halo of Navarro, Frenk & White (1997), cut smoothly beyond its virial radius.
#pragma once

#include "chamomile/io/models/isotropic.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// Returns rho = A / (r (1 + r)^2) up to r = c and beyond it the exponential cut of Kazantzidis,
/// Magorrian & Moore (2004), eq. 2, with a decay length of c / 10; the mass within c is 1. Lengths
/// are in scale radii. The cut is smooth because a sharp edge has no isotropic equilibrium.
DensityTable nfw_density(const std::vector<double>& radii, double concentration);

/// NfwOptions describe a halo in units of its virial mass and scale radius.
struct NfwOptions {
    std::uint64_t particles = 10000;
    std::uint64_t seed = 1;
    double concentration = 10; ///< virial radius in units of the scale radius
};

/// Returns an NFW halo in isotropic equilibrium, G = r_s = 1 and mass 1 within the virial radius r
/// = c; beyond lies another 21 % for c = 10. Speeds are drawn from the distribution function of the
/// density in its own potential. The halo is moved to its barycentre. Throws Error(usage) for N = 0
/// or a concentration outside 1 to 100.
Snapshot make_nfw(const NfwOptions& options);

} // namespace chamomile
