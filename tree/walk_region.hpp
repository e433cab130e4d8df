/// \file  The region of targets that a walk decides for.
#pragma once

#include "chamomile/core/periodic.hpp"

namespace chamomile {

/// A WalkRegion is the box of a cluster or a group, with the factors of its criterion.
struct WalkRegion {
    Vec3<double> low, high, center;
    double relative_factor;  ///< times CellReach::relative
    double guard_part;       ///< of CellReach::least, added to that product
    double least_expansion;  ///< no cell nearer is expanded, whatever the tolerance
    double expansion_factor; ///< times CellReach::expansion
    /// These belong to particles with softening lengths of their own.
    double softened_factor = 0; ///< times the square of CellReach::expansion
    double clearance = 0;       ///< added to CellReach::least
};

/// A WalkPeriod states that sources act in their nearest images and within the distance `cut`.
struct WalkPeriod {
    Periodicity periodicity;
    double cut;
};

} // namespace chamomile
