/// \file  Kernels that fill walk nodes.
///
/// Contraction: none, so that nodes match the host's bitwise.
#pragma once

#include "chamomile/gpu/tree/device_tree.cuh"
#include "chamomile/tree/own_softenings.hpp"
#include "chamomile/tree/walk_nodes.hpp"

namespace chamomile {
namespace {

/// Opening radius of a cell with one softening length for all particles.
struct ReachByCriterion {
    AcceptanceCriterion criterion;

    __device__ OpeningRadius operator()(Index, const Multipole& multipole, const Box& bounds,
                                        const WalkUnits& units) const
    {
        return criterion.reach(multipole, bounds, units);
    }
};

/// Opening radius of a cell with per-particle softening.
struct ReachBySoftening {
    SoftenedReach softened;
    const CellSoftening* of_cell;

    __device__ OpeningRadius operator()(Index cell, const Multipole& multipole, const Box& bounds,
                                        const WalkUnits&) const
    {
        return softened.reach(multipole, bounds, of_cell[cell]);
    }
};

/// A NodeTask is the tree whose nodes are filled. node_of[c - first] is the node of the daughters
/// of cell c.
struct NodeTask {
    const Cell* cells;
    const Index* node_of;
    const Multipole* multipoles;
    const Box* bounds;
    WalkNode* nodes;
    Index first = 0;

    /// Fills a node with the cells from `begin` to `end`.
    template <class Reach>
    __device__ void fill(Index to, Index begin, Index end, const Reach& reach_of) const
    {
        const WalkUnits units = WalkUnits::of(multipoles[0], bounds[0]);
        WalkNode& node = nodes[to];
        int lane = 0;
        Index inner = 0;
        for (Index d = begin; d < end; d = cells[d].next, ++lane) {
            const bool divided = cells[d].next > d + 1;
            fill_lane(node, lane, d, divided ? node_of[d - first] : no_node, multipoles[d],
                      reach_of(d, multipoles[d], bounds[d], units), units);
            inner |= Index(divided) << lane;
        }
        node.inner = inner;
        node.lanes = (Index(1) << lane) - 1;
    }
};

/// Each thread fills the node of its cell's daughters, for n cells from `first` on. The thread of
/// the root also fills the root's node.
template <class Reach>
__global__ void fill_nodes(NodeTask task, Index n, Reach reach_of)
{
    const Index c = task.first + blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= task.first + n)
        return;
    if (c == 0)
        task.fill(0, 0, n, reach_of);
    const Index next = task.cells[c].next;
    if (next > c + 1)
        task.fill(task.node_of[c - task.first], c + 1, next, reach_of);
}

/// Calls use(reach), a functor for the opening radius of each cell. `root`: moments of the root on
/// the host.
template <class Use>
void with_reach(DeviceTree& tree, const AcceptanceCriterion& criterion, const Multipole& root,
                const WalkUnits& units, const Use& use)
{
    if (tree.has_softenings) // inputs from the root are computed on the host
        use(ReachBySoftening{{criterion, root, units}, tree.cell_softening.data()});
    else
        use(ReachByCriterion{criterion});
}

/// 1 for a cell with daughters, else 0. Cells count from `first`.
struct IsDivided {
    const Cell* cells;
    Index first = 0;
    __host__ __device__ Index operator()(Index k) const
    {
        return cells[first + k].next > first + k + 1;
    }
};

} // namespace
} // namespace chamomile
