/// \file  Lists in two stages: the host lists for clusters of groups, and the device finishes the
/// list of each group, as GROMACS prunes its pair lists (Pall & Hess 2013).
#pragma once

#include "chamomile/gpu/device/time_line.cuh"
#include "chamomile/tree/interaction_lists.hpp"
#include "chamomile/tree/walk_nodes.hpp"

namespace chamomile {

/// The open lists of a batch on the device.
struct DeviceOpenLists {
    const WalkNode* nodes;
    const Cell* cells;
    const ClusterRow* clusters;
    const WalkRegion* regions; ///< of the rows
    const Index* open;
    const Index* targets; ///< sorted particle of each target; null: same index
    bool separate;        ///< targets are not sources
    ListRow* rows;        ///< input and output: lists are set
    Index row_count;
    Index* words; ///< memory for the lists: cells and far cells take one word each, ranges two
    Index room;   ///< in words
    WalkPeriod period;
    BatchNote* note;
    float* work; ///< of each target, by row_work(); null: not wanted
    int groups_per_cluster;
};

using PruneKernel = void (*)(DeviceOpenLists);
inline constexpr int prune_warps = 4; ///< in a block, each for one row

/// Returns the kernel that finishes open lists. If memory is short it leaves lists empty and
/// records the words needed.
PruneKernel find_prune_kernel(bool is_periodic);

} // namespace chamomile
