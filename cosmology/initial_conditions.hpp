/// \file  Initial conditions of a cosmological simulation.
#pragma once

#include "chamomile/core/particles.hpp"
#include "chamomile/cosmology/growth.hpp"
#include "chamomile/cosmology/initial/gaussian_field.hpp"

namespace chamomile {

/// A ParticleLoad is the arrangement of particles in a homogeneous universe.
enum class ParticleLoad {
    grid, ///< the points of the mesh
    glass ///< cosmology/initial/glass.hpp, repeated
};

/// InitialConditionsOptions describe the box, its particles and its random field.
struct InitialConditionsOptions {
    PowerOptions power;  ///< with the background
    double side = 100;   ///< of the box, in Mpc/h
    int particles = 128; ///< along a side
    double redshift = 49;
    int order = 2; ///< of perturbation theory: 1 (Zel'dovich 1970) or 2
    FieldOptions field;
    ParticleLoad load = ParticleLoad::grid;
    int glass = 32; ///< particles along a side of the glass; a divisor of the number above
};

/// Returns comoving positions in Mpc/h in [0, side), peculiar velocities a dx/dt in km/s, and equal
/// masses in 1e10 Msun/h that sum to Omega_m times the critical density, `gravitational_constant`
/// being in Mpc, 1e10 Msun and km/s. Ids are 1 + (i n + j) n + k for the particle of point (i, j,
/// k) of n^3; modes reach up to that mesh's n/2. The spectrum today is scaled back by D1. The bits
/// are the same for any number of threads. Throws Error(usage) for options out of range,
/// Error(input) for a table that does not reach from 2 pi / side to the largest k of the mesh.
Particles make_initial_conditions(const InitialConditionsOptions& options,
                                  double gravitational_constant);

} // namespace chamomile
