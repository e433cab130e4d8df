/// \file  Barnes's modified tree as measured in the reference, implemented independently.
///
/// One group, one cell, one target at a time, all in double. Switches select differences from the
/// library: the size of cells, and the definition of groups.
#pragma once

#include "tests/unit/grouped_tree.hpp"

namespace chamomile::tests {

enum class CellMeasure {
    key_cube, ///< cube of the cell's key (Barnes & Hut 1986)
    tight_box ///< around its particles
};

enum class GroupMaking {
    single_cells, ///< highest cells within the group size
    joined_cells  ///< sisters joined if they fit, like tree/groups.hpp
};

struct PlannedAlgorithm {
    CellMeasure measure = CellMeasure::key_cube;
    GroupMaking groups = GroupMaking::single_cells;
    double theta = 0.6;
    int order = 2; ///< 0: monopoles, 2: quadrupoles
};

struct PlannedForces {
    std::vector<Vec3<double>> acceleration; ///< in the caller's order, G = 1; 0 for other particles
    double interactions = 0;                ///< per target
};

/// Returns unsoftened forces on particles `targets` (ascending) from all, with at most 8 per leaf
/// and 64 per group. A cell is accepted for a group beyond l/theta + |center of mass - center of
/// the cell|, with l the cell's longest side. Distances run from the group's box to the center of
/// mass.
PlannedForces planned_forces(const Particles& particles, std::span<const Index> targets,
                             const PlannedAlgorithm& algorithm);

} // namespace chamomile::tests
