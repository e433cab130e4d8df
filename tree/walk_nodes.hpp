/// \file  The octree as the walk reads it: up to eight cells side by side, one to a SIMD lane.
#pragma once

#include <memory_resource>
#include <span>
#include <vector>

#include "chamomile/tree/acceptance.hpp"

namespace chamomile {

inline constexpr Index no_node = 0xffffffff;

/// A WalkNode holds the daughters of a cell, or other cells that are tested together: 512 bytes.
struct alignas(64) WalkNode {
    static constexpr int width = 8;

    double x[width], y[width], z[width];                    ///< centres of mass
    double least[width], relative[width], expansion[width]; ///< CellReach
    float mass[width];                                      ///< in WalkUnits
    Index cell[width];
    Index node[width]; ///< the node of the cell's daughters; no_node: a leaf
    Index lanes;       ///< bits of the lanes in use
    Index inner;       ///< bits of the lanes whose cells have daughters
};

/// A lane of a node has one number, which is that of a cell. Trees have up to most_lanes of them.
inline constexpr std::size_t most_lanes = std::size_t(1) << 32;
CHAMOMILE_HD constexpr Index lane_of_node(Index node, int lane)
{
    return node * WalkNode::width + Index(lane);
}

/// Fills one lane. The bits are the same on host and device, and so products and sums are not
/// contracted.
CHAMOMILE_HD void fill_lane(WalkNode& node, int lane, Index cell, Index daughters,
                            const Multipole& multipole, const CellReach& reach,
                            const WalkUnits& units)
{
    node.x[lane] = multipole.center.x;
    node.y[lane] = multipole.center.y;
    node.z[lane] = multipole.center.z;
    node.least[lane] = reach.least;
    node.relative[lane] = reach.relative;
    node.expansion[lane] = reach.expansion;
    node.mass[lane] = float(multipole.mass / units.mass);
    node.cell[lane] = cell;
    node.node[lane] = daughters;
}

/// In WalkNodes, node 0 holds the root; then comes one node for each cell with daughters, in the
/// order of the cells.
struct WalkNodes {
    explicit WalkNodes(std::pmr::memory_resource* memory = std::pmr::get_default_resource())
        : nodes(memory), node_of(memory)
    {}

    std::pmr::vector<WalkNode> nodes;
    WalkUnits units;
    std::pmr::vector<Index> node_of; ///< scratch
};

/// Fills the nodes with all threads, reusing the memory of `walk_nodes`. `known` has the reach of
/// each cell, or is empty.
void make_walk_nodes(WalkNodes& nodes, const Octree& octree, const Moments& moments,
                     const AcceptanceCriterion& criterion, std::span<const CellReach> known = {});

} // namespace chamomile
