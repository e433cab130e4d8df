/// \file  The interface to the inner loops of the walk.
///
/// Only plain structs and pointers cross this interface, because the loops are compiled once per
/// instruction set with flags that the caller's code must not share.
#pragma once

#include "chamomile/tree/interaction_lists.hpp"
#include "chamomile/tree/walk_nodes.hpp"
#include "chamomile/tree/walk_region.hpp"

namespace chamomile {

/// A WalkArray is an array of plain data that one thread keeps from walk to walk.
template <class T>
struct WalkArray {
    T* data = nullptr;
    std::size_t size = 0, capacity = 0;

    WalkArray() = default;
    WalkArray(const WalkArray&) = delete;
    WalkArray& operator=(const WalkArray&) = delete;
    ~WalkArray() { delete[] data; }
};

/// A WalkEntry is a node on the stack of the walk, with a lane or a cell.
struct WalkEntry {
    Index cell, node;
};

/// GroupEnds tells where the entries of one group end; they begin where the group before ends.
struct GroupEnds {
    Index far_cells, cells, ranges, particle_count;
};

/// WalkScratch is the memory of one thread: the lists of one cluster and the walk's own arrays.
struct WalkScratch {
    WalkArray<Index> far_cells;      ///< the cluster's, then those of each group
    WalkArray<Index> cells;          ///< of each group
    WalkArray<ParticleRange> ranges; ///< of each group
    WalkArray<GroupEnds> ends;       ///< of the cluster (far_cells only), then of each group
    WalkArray<WalkRegion> regions;   ///< of the groups
    WalkArray<WalkNode> open;        ///< cells that the cluster leaves to its groups
    WalkArray<Index> left_open;      ///< the same as lanes of nodes, where others finish the lists
    WalkArray<WalkEntry> stack;
};

/// A WalkTree refers to the tree that is walked.
struct WalkTree {
    const WalkNode* nodes;
    const Cell* cells;
};

/// A ClusterTask is the walk of one cluster.
struct ClusterTask {
    WalkTree tree;
    WalkRegion region;
    std::size_t groups; ///< 0: others finish the lists of the groups
    /// The cluster opens cells that its box does not accept if their opening radius is larger than
    /// this. A negative value means: if no group in it can accept them.
    double largest_spared;
    WalkPeriod period;
};

/// A FieldTask is a place where the acceleration is estimated.
struct FieldTask {
    WalkTree tree;
    Vec3<double> at;
    double inverse_length;    ///< of the nodes' unit of length, in which distances are squared
    double softening_squared; ///< in that unit
    double clearance;         ///< that CellReach::least contains
    WalkPeriod period;
};

/// WalkKernels holds the functions that are compiled for one instruction set.
struct WalkKernels {
    const char* name;
    /// Fills the lists and ends in `scratch`, whose regions are given, or `left_open`.
    void (*walk_cluster)(const ClusterTask& task, WalkScratch& scratch);
    /// Does the same in a periodic cube.
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
