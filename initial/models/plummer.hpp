/// \file  The sphere of Plummer (1911) in N-body units.
#pragma once

#include "chamomile/initial/models/model_size.hpp"
#include "chamomile/initial/models/population.hpp"

namespace chamomile {

/// PlummerOptions describes a sphere, in Henon units unless it has a size.
struct PlummerOptions {
    std::uint64_t particles = 10000;
    std::uint64_t seed = 1;
    double truncation = 22.8; ///< max radius in units of the scale radius a
    /// Up to this number of particles the potential energy is summed over pairs, above over shells.
    std::uint64_t exact_energy_limit = 131072;
    ModelSize size = {}; ///< none: Henon units
    StellarPopulation stars = {};
};

/// Returns an isotropic Plummer sphere of equal masses (Aarseth, Henon & Wielen 1974, Appendix),
/// truncated, moved to its barycenter and scaled to Henon units (Heggie & Mathieu 1986): G = M = 1,
/// kinetic energy 1/4 and potential energy -1/2, so E = -1/4 and the scale radius is about 3 pi /
/// 16. Up to exact_energy_limit particles, E and the virial ratio hold to rounding (1e-12) for
/// unsoftened gravity. Above it, the kinetic energy does, and the potential energy to about 3/N. A
/// single particle rests at the origin, unscaled. The result is bitwise independent of the number
/// of threads. Throws Error(usage) for N = 0, a non-positive truncation, or stars that cannot be.
Snapshot make_plummer(const PlummerOptions& options);

} // namespace chamomile
