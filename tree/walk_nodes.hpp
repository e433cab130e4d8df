/// \file  The octree as the walk reads it: up to eight cells side by side, one to a SIMD lane.
#pragma once

#include <vector>

#include "tree/acceptance.hpp"

namespace chamomile {

inline constexpr Index no_node = 0xffffffff;

/// The daughters of a cell, or other cells that are tested together: 512 bytes.
struct alignas(64) WalkNode {
    static constexpr int width = 8;

    double x[width], y[width], z[width];                    ///< centres of mass
    double least[width], relative[width], expansion[width]; ///< CellReach
    float mass[width];                                      ///< in WalkUnits
    Index cell[width];
    Index node[width]; ///< the node of the cell's daughters; no_node: a leaf
    Index lanes;       ///< bits of the lanes in use
    Index inner;       ///< those whose cells have daughters
};

/// Node 0 holds the root, then one node for each cell with daughters, in the order of the cells.
/// Reuses the memory of `nodes` and of `node_of` (scratch).
void make_walk_nodes(std::vector<WalkNode>& nodes, std::vector<Index>& node_of,
                     const Octree& octree, const Moments& moments,
                     const AcceptanceCriterion& criterion, const WalkUnits& units);

} // namespace chamomile
