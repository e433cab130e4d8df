/// \file  The tree on the device, and its builder.
#pragma once

#include <memory>

#include "chamomile/gpu/device/phase_memory.cuh"
#include "chamomile/gpu/device/staging.cuh"
#include "chamomile/tree/tree_builder.hpp"

namespace chamomile {

/// A DeviceTree holds a tree's device arrays, filled by the builder and read by the evaluator. A
/// member for each array.
struct DeviceTree {
    explicit DeviceTree(int number, Priority priority = Priority::normal)
        : device(number), staging(number), stream(priority)
    {}

    int device;
    Staging staging;
    Stream stream; ///< the tree is complete once `stream` is done
    std::size_t particles = 0;
    std::uint64_t bytes_up = 0, bytes_down = 0; ///< of the last build
    PhaseMemory phase_memory; ///< of positions, masses, keys, the scratch of sorts, and the mesh
    PhaseArray<Vec3<double>> positions{phase_memory}; ///< in the caller's order
    PhaseArray<double> masses{phase_memory};
    PhaseArray<Key> keys{phase_memory};
    DeviceBuffer<Index> order;    ///< sorted particle k is the caller's particle order[k]
    DeviceBuffer<Source> sources; ///< sorted
    DeviceBuffer<Index> targets;  ///< sorted particles that are active
    bool has_targets = false;     ///< `targets` is filled for this evaluation
    DeviceBuffer<Cell> cells;
    DeviceBuffer<Multipole> multipoles;
    DeviceBuffer<HigherMoments> higher; ///< for orders 3 and 4
    DeviceBuffer<Box> bounds;
    DeviceBuffer<WalkNode> nodes;   ///< if the tree is walked
    bool has_softenings = false;    ///< per-particle softening
    DeviceBuffer<double> softening; ///< eps^2, sorted
    DeviceBuffer<CellSoftening> cell_softening;
};

/// Makes a tree builder on the device of `tree`. Host arrays are allocated from `pinned`.
std::unique_ptr<TreeBuilder> make_cuda_tree_builder(std::shared_ptr<DeviceTree> tree,
                                                    std::shared_ptr<PinnedMemory> pinned);

} // namespace chamomile
