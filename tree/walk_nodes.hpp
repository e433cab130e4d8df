/// \file  The octree as the walk reads it: up to eight cells side by side, one per SIMD lane.
#pragma once

#include <memory_resource>
#include <span>
#include <vector>

#include "chamomile/tree/acceptance.hpp"

namespace chamomile {

inline constexpr Index no_node = 0xffffffff;

/// A cell's daughters, or other cells tested together: 512 bytes.
struct alignas(64) WalkNode {
    static constexpr int width = 8;

    double x[width], y[width], z[width];                  ///< centers of mass
    double min[width], relative[width], expansion[width]; ///< OpeningRadius
    float mass[width];                                    ///< in WalkUnits
    Index cell[width];
    Index node[width]; ///< the node with the cell's daughters; no_node: a leaf
    Index lanes;       ///< bits of the lanes in use
    Index inner;       ///< bits of lanes with an inner cell
};

/// Max number of lanes in a tree, since an Index numbers them.
inline constexpr std::size_t max_lanes = std::size_t(1) << 32;
/// Returns the number of a lane among the lanes of all nodes. Each cell has one lane.
CHAMOMILE_HD constexpr Index lane_of_node(Index node, int lane)
{
    return node * WalkNode::width + Index(lane);
}

/// Fills one lane. `daughters`: the node with the cell's daughters, or no_node. The bits are equal
/// on host and device.
CHAMOMILE_HD void fill_lane(WalkNode& node, int lane, Index cell, Index daughters,
                            const Multipole& multipole, const OpeningRadius& reach,
                            const WalkUnits& units)
{
    node.x[lane] = multipole.center.x;
    node.y[lane] = multipole.center.y;
    node.z[lane] = multipole.center.z;
    node.min[lane] = reach.min;
    node.relative[lane] = reach.relative;
    node.expansion[lane] = reach.expansion;
    node.mass[lane] = float(multipole.mass / units.mass);
    node.cell[lane] = cell;
    node.node[lane] = daughters;
}

/// Node 0 holds the root. One node per cell with daughters follows, in cell order. On several ranks
/// the nodes of imported cells are last (add_walk_nodes()).
struct WalkNodes {
    explicit WalkNodes(std::pmr::memory_resource* memory = std::pmr::get_default_resource())
        : nodes(memory), node_of(memory)
    {}

    std::pmr::vector<WalkNode> nodes;
    WalkUnits units;
    std::pmr::vector<Index> node_of; ///< per cell: the node with its daughters, or no_node
};

/// A LeafLink links a node's lane to a new node of cells first_cell .. end_cell.
struct LeafLink {
    Index lane, node, first_cell, end_cell;
};

/// Fills the nodes with all threads and reuses their memory. `known`: opening radius of each cell
/// if computed already; empty: from the moments.
void make_walk_nodes(WalkNodes& nodes, const Octree& octree, const Moments& moments,
                     const AcceptanceCriterion& criterion,
                     std::span<const OpeningRadius> known = {});

/// Adds the nodes of cells `first` and above to `before` nodes, which make_walk_nodes() made of the
/// cells below `first`: first the nodes of `links`, numbered in this order, then one node per cell
/// with daughters. Drops earlier nodes behind `before`.
void add_walk_nodes(WalkNodes& nodes, const Octree& octree, const Moments& moments,
                    const AcceptanceCriterion& criterion, Index first, std::size_t before,
                    std::span<const LeafLink> links);

} // namespace chamomile
