/// \file  The region of targets for which a walk decides.
#pragma once

#include "chamomile/core/periodic.hpp"

namespace chamomile {

/// The box of a cluster or group, with the factors of its criterion.
struct WalkRegion {
    Vec3<double> low, high, center;
    double relative_factor;  ///< times OpeningRadius::relative
    double guard_part;       ///< times OpeningRadius::least, added to that product
    double min_expansion;    ///< min distance for expansions, whatever the tolerance
    double expansion_factor; ///< times OpeningRadius::expansion
    /// For per-particle softening:
    double softened_factor = 0; ///< times the square of OpeningRadius::expansion
    double clearance = 0;       ///< added to OpeningRadius::least
};

/// Sources act by their nearest images only, and within the distance `cut`.
struct WalkPeriod {
    Periodicity periodicity;
    double cut;
};

} // namespace chamomile
