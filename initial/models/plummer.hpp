/// \file  The sphere of Plummer (1911) in N-body units.
#pragma once

#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// PlummerOptions describes a sphere in Henon units.
struct PlummerOptions {
    std::uint64_t particles = 10000;
    std::uint64_t seed = 1;
    double truncation = 22.8; ///< max radius in units of the scale radius a
    /// Up to this number of particles the potential energy is summed over pairs, above over shells.
    std::uint64_t exact_energy_limit = 131072;
};

/// Returns an isotropic Plummer sphere of equal masses (Aarseth, Henon & Wielen 1974, Appendix),
/// truncated, moved to its barycenter and scaled to Henon units (Heggie & Mathieu 1986): G = M = 1,
/// kinetic energy 1/4 and potential energy -1/2, so E = -1/4 and the scale radius is about 3 pi /
/// 16. Up to exact_energy_limit particles, E and the virial ratio hold to rounding (1e-12) for
/// unsoftened gravity. Above it, the kinetic energy does, and the potential energy to about 3/N. A
/// single particle rests at the origin, unscaled. The result is bitwise independent of the number
/// of threads. Throws Error(usage) for N = 0 or a non-positive truncation.
Snapshot make_plummer(const PlummerOptions& options);

/// The half-mass radius of Plummer's sphere in Henon units: 3 pi / 16 over sqrt(2^(2/3) - 1).
inline constexpr double plummer_half_mass_radius = 0.7685706;

/// Scales positions and velocities to these energies, like make_plummer().
void scale_to_henon(Particles& particles, std::uint64_t exact_energy_limit);

} // namespace chamomile
