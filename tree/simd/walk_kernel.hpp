/// \file  The interface to the inner loops of the walk.
///
/// Only plain structs and pointers cross this interface: the loops are compiled once per
/// instruction set, with flags that must not affect the caller's code.
#pragma once

#include "chamomile/tree/interaction_lists.hpp"
#include "chamomile/tree/walk_nodes.hpp"
#include "chamomile/tree/walk_region.hpp"

namespace chamomile {

/// An array of plain data that a thread keeps between walks.
template <class T>
struct WalkArray {
    T* data = nullptr;
    std::size_t size = 0, capacity = 0;

    WalkArray() = default;
    WalkArray(const WalkArray&) = delete;
    WalkArray& operator=(const WalkArray&) = delete;
    ~WalkArray() { delete[] data; }
};

/// An entry on the stack of the walk. Walk of a cluster: `cell` is a lane of `node` that is left to
/// the groups, or stands for all lanes, not yet decided. Walk of a group: `cell` is an opened cell
/// and `node` has its daughters (no_node: a leaf).
struct WalkEntry {
    Index cell, node;
};

/// Ends of a group's lists in the arrays of WalkScratch; the next group begins there.
/// `particle_count`: number of particles in the group's ranges.
struct GroupEnds {
    Index far_cells, cells, ranges, particle_count;
};

/// Memory for one thread: the lists of a cluster and the arrays of the walk.
struct WalkScratch {
    WalkArray<Index> far_cells;      ///< of the cluster, then of each group
    WalkArray<Index> cells;          ///< of each group
    WalkArray<ParticleRange> ranges; ///< of each group
    WalkArray<GroupEnds> ends;       ///< of the cluster (far_cells only), then of each group
    WalkArray<WalkRegion> regions;   ///< of the groups
    WalkArray<WalkNode> open;        ///< cells left to the groups, copied side by side
    WalkArray<Index> left_open;      ///< instead, if an evaluator finishes the lists: lanes
    WalkArray<WalkEntry> stack;
};

struct WalkTree {
    const WalkNode* nodes;
    const Cell* cells;
};

/// The walk of one cluster.
struct ClusterTask {
    WalkTree tree;
    WalkRegion region;
    std::size_t groups; ///< 0: an evaluator finishes the lists
    /// Which of the cells that its box does not accept the cluster opens for all groups. 0 or more:
    /// cells with an opening radius of at least this length. Negative: cells that no target in the
    /// box would accept.
    double largest_spared;
    WalkPeriod period;
};

/// A point at which the acceleration is estimated.
struct FieldTask {
    WalkTree tree;
    Vec3<double> at;
    double inverse_length;    ///< 1 / unit of length; squares are taken in this unit
    double softening_squared; ///< in that unit
    double clearance;         ///< contained in OpeningRadius::min
    WalkPeriod period;
};

/// The functions compiled for one instruction set.
struct WalkKernels {
    const char* name;
    /// Fills the lists and ends in `scratch`, or `left_open`. `scratch.regions` is input.
    void (*walk_cluster)(const ClusterTask& task, WalkScratch& scratch);
    /// Like walk_cluster, in a periodic cube.
    void (*walk_periodic_cluster)(const ClusterTask& task, WalkScratch& scratch);
    /// Returns the sum of m d / (d^2 + softening^2)^(3/2) over cells seen at an angle of about 1,
    /// in the nodes' units of mass and length.
    Vec3<double> (*field)(const FieldTask& task, WalkScratch& scratch);
};

namespace baseline {
WalkKernels walk_kernels();
}
namespace avx2 {
WalkKernels walk_kernels();
}
namespace avx512 {
WalkKernels walk_kernels();
}

} // namespace chamomile
