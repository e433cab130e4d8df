/// \file  Barnes's modified tree as the reference measured it, written anew for comparison.
///
/// One group, one cell, one target at a time, all in double. What the library chose otherwise can
/// be switched: by what cells are measured, and what makes a group.
#pragma once

#include "tests/forest.hpp"

namespace chamomile::tests {

enum class CellMeasure {
    key_cube, ///< the cube of the cell's key (Barnes & Hut 1986)
    tight_box ///< around its particles
};

enum class GroupMaking {
    single_cells, ///< the highest cells with at most so many particles
    joined_cells  ///< sisters joined where they fit, as tree/groups.hpp does
};

struct PlannedAlgorithm {
    CellMeasure measure = CellMeasure::key_cube;
    GroupMaking groups = GroupMaking::single_cells;
    double theta = 0.6;
    int order = 2; ///< 0: monopoles, 2: quadrupoles
};

struct PlannedForces {
    std::vector<Vec3<double>> acceleration; ///< in the caller's order, G = 1; of others 0
    double interactions = 0;                ///< per target
};

/// Unsoftened forces of the particles `targets` (ascending) from all, with at most 8 to a leaf and
/// 64 to a group: a cell is accepted for a group beyond l/theta + |centre of mass - centre of the
/// cell|, l being the cell's longest side, distances counting from the group's box to the centre of
/// mass.
PlannedForces planned_forces(const Particles& particles, std::span<const Index> targets,
                             const PlannedAlgorithm& algorithm);

} // namespace chamomile::tests
