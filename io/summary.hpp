/// \file  Counts, masses, extent and mean motion of a set of particles.
#pragma once

#include <array>
#include <cstddef>

#include "chamomile/core/particles.hpp"

namespace chamomile {

/// A TypeSummary holds count and masses of the particles of one type.
struct TypeSummary {
    std::size_t count = 0;
    double total_mass = 0, min_mass = 0, max_mass = 0;
};

/// A SnapshotSummary is in the units of the particles. All numbers are zero for an empty set.
struct SnapshotSummary {
    std::size_t count = 0;
    double total_mass = 0;
    std::array<TypeSummary, 6> types;
    Vec3<double> lower, upper;                  ///< corners of the box around all particles
    Vec3<double> center_of_mass, mean_velocity; ///< mass-weighted
};

SnapshotSummary summarize(const Particles& particles);

} // namespace chamomile
