/// \file  The region of targets for which a walk accepts or opens cells.
#pragma once

#include "chamomile/core/periodic.hpp"

namespace chamomile {

/// The box of a cluster or group, and what its targets contribute to opening radii.
struct WalkRegion {
    Vec3<double> low, high, center;
    double relative_factor;  ///< times OpeningRadius::relative
    double guard_part;       ///< times OpeningRadius::min, added to that product
    double min_expansion;    ///< min distance for expansions at any tolerance
    double expansion_factor; ///< times OpeningRadius::expansion
    /// For per-particle softening:
    double softened_factor = 0; ///< times the square of OpeningRadius::expansion
    double clearance = 0;       ///< added to OpeningRadius::min
};

/// Sources act by their nearest images only, and within the distance `cut`.
struct WalkPeriod {
    Periodicity periodicity;
    double cut;
};

} // namespace chamomile
