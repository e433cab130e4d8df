/// \file  The sphere of Hernquist (1990), alone and as a component of galaxies.
#pragma once

#include "chamomile/io/models/isotropic.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// Returns the distribution function (mass per phase-space volume) of the isotropic model with G =
/// M = a = 1 at binding energy 0 < E < 1 (Hernquist 1990, eq. 17).
double hernquist_distribution(double energy);

/// Returns rho = A / (r (r + a)^3) exp(-(r / taper)^2) and its slope, scaled so that its mass over
/// the radii is `mass`. The taper makes the mass finite within a few times its length, as in the
/// haloes of Hernquist (1993).
DensityTable tapered_hernquist(const std::vector<double>& radii, double mass, double scale,
                               double taper);

/// HernquistOptions describe a sphere in units of its mass and scale radius.
struct HernquistOptions {
    std::uint64_t particles = 10000;
    std::uint64_t seed = 1;
    double truncation = 100; ///< largest radius in units of the scale radius
};

/// Returns an isotropic Hernquist sphere with G = a = 1 from the exact distribution function of the
/// infinite model of mass 1, cut at `truncation`: the particles carry the mass M(r) = r^2 / (1 +
/// r)^2 inside it, so that the field within is that of the infinite model. The sphere is moved to
/// its barycentre, not rescaled. Throws Error(usage) for N = 0 or a truncation below 0.001.
Snapshot make_hernquist(const HernquistOptions& options);

} // namespace chamomile
