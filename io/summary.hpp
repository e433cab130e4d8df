/// \file  A summary of a set of particles in a few numbers.
#pragma once

#include <array>
#include <cstddef>

#include "chamomile/core/particles.hpp"

namespace chamomile {

/// A TypeSummary counts and weighs the particles of one type.
struct TypeSummary {
    std::size_t count = 0;
    double total_mass = 0, least_mass = 0, most_mass = 0;
};

/// A SnapshotSummary is in the units of the particles; all its numbers are zero if there are none.
struct SnapshotSummary {
    std::size_t count = 0;
    double total_mass = 0;
    std::array<TypeSummary, 6> types;
    Vec3<double> lower, upper;                  ///< corners of the box around all particles
    Vec3<double> centre_of_mass, mean_velocity; ///< both weighted with mass
};

/// Returns the summary of the particles.
SnapshotSummary summarize(const Particles& particles);

} // namespace chamomile
