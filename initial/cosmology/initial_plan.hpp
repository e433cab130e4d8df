/// \file  Initial conditions made by ranks: a plan by rank 0, then particles on each rank.
#pragma once

#include <vector>

#include "chamomile/core/ranks/communicator.hpp"
#include "chamomile/initial/cosmology/initial_conditions.hpp"

namespace chamomile {

/// Sizes and factors of an InitialPlan.
struct InitialFacts {
    int particles; ///< per side
    double side;
    FieldOptions field;
    int order;
    ParticleLoad load;
    int tiles; ///< glasses per side
    double mass, length_unit;
    double second;                    ///< factor of the second-order displacement
    double first_speed, second_speed; ///< peculiar velocity per displacement
};

/// An InitialPlan holds what each rank needs to make its particles: all that files and fits give.
struct InitialPlan {
    InitialFacts facts;
    std::vector<double> rms;         ///< rms_of_modes()
    std::vector<Vec3<double>> glass; ///< make_glass(); empty for a grid
};

/// Throws like make_initial_conditions(). `ranks`: how many will make the particles.
InitialPlan plan_initial_conditions(const InitialConditionsOptions& options,
                                    double gravitational_constant, int ranks = 1);

/// Returns this rank's run of the particles in order of ids, see Communicator::scatter(). Meshes
/// are in slabs; a glass needs the planes of its run too. Results are those of one rank, bit for
/// bit. `ranks`: null for one rank. Collective.
Particles make_initial_conditions(const InitialPlan& plan, Communicator* ranks);

} // namespace chamomile
