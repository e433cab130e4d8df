/// \file  Initial conditions of a cosmological simulation.
#pragma once

#include "chamomile/core/cosmology/growth.hpp"
#include "chamomile/core/particles.hpp"
#include "chamomile/initial/cosmology/gaussian_field.hpp"

namespace chamomile {

/// A ParticleLoad is the unperturbed arrangement of particles.
enum class ParticleLoad {
    grid, ///< mesh points
    glass ///< initial/cosmology/glass.hpp, repeated
};

inline constexpr int max_particles_along_side = 10000; ///< 0.6 GB for rms_of_modes()

/// InitialConditionsOptions describes the box, its particles and its random field.
struct InitialConditionsOptions {
    PowerOptions power;  ///< including the background
    double side = 100;   ///< of the box, in Mpc/h
    int particles = 128; ///< per side
    double redshift = 49;
    int order = 2; ///< of perturbation theory: 1 (Zel'dovich 1970) or 2
    FieldOptions field;
    ParticleLoad load = ParticleLoad::grid;
    int glass = 32;         ///< particles per side of the glass; must divide `particles`
    double length_unit = 1; ///< factor of the positions
};

/// Returns comoving positions in [0, side) in Mpc/h times the length unit, peculiar velocities
/// a dx/dt in km/s, and equal masses in 1e10 Msun/h with the total Omega_m times the critical
/// density. The particle of point (i, j, k) of n^3 has id 1 + (i n + j) n + k; modes have wave
/// numbers below n/2. Today's spectrum is scaled back by D1. The result is bitwise independent of
/// the number of threads. `gravitational_constant` is in Mpc, 1e10 Msun and km/s. Throws
/// Error(usage) for options out of range, Error(input) for a table that does not cover 2 pi / side
/// to the largest k of the mesh.
Particles make_initial_conditions(const InitialConditionsOptions& options,
                                  double gravitational_constant);

} // namespace chamomile
