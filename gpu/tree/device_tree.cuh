/// \file  The tree as the device holds it, and who builds it there.
#pragma once

#include <memory>

#include "chamomile/gpu/device/device.cuh"
#include "chamomile/gpu/device/staging.cuh"
#include "chamomile/tree/tree_builder.hpp"

namespace chamomile {

/// DeviceTree is what the builder leaves on the device for the evaluator.
struct DeviceTree {
    explicit DeviceTree(int number) : device(number), staging(number) {}

    int device;
    Staging staging;
    Stream stream; ///< work that is queued here makes the tree
    std::size_t particles = 0;
    std::uint64_t bytes_up = 0, bytes_down = 0; ///< of the last build
    DeviceBuffer<Vec3<double>> positions;       ///< the caller's order
    DeviceBuffer<double> masses;
    DeviceBuffer<Key> keys;
    DeviceBuffer<Index> order;    ///< sorted particle k is the caller's order[k]
    DeviceBuffer<Source> sources; ///< sorted
    DeviceBuffer<Index> targets;  ///< sorted particles that are active
    bool has_targets = false;     ///< those of this evaluation are there
    DeviceBuffer<Cell> cells;
    DeviceBuffer<Multipole> multipoles;
    DeviceBuffer<HigherMoments> higher; ///< for orders 3 and 4
    DeviceBuffer<Box> bounds;
    DeviceBuffer<WalkNode> nodes;   ///< of a tree that is walked
    bool has_softenings = false;    ///< particles have lengths of their own
    DeviceBuffer<double> softening; ///< eps^2, sorted
    DeviceBuffer<CellSoftening> cell_softening;
};

/// Makes the builder of a tree on that device. Host arrays are filled in the given pinned memory.
std::unique_ptr<TreeBuilder> make_cuda_tree_builder(std::shared_ptr<DeviceTree> tree,
                                                    std::shared_ptr<PinnedMemory> pinned);

} // namespace chamomile
