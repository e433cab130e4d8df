/// \file  The division of sorted particles into cells, on the device.
#pragma once

#include "chamomile/gpu/device/caching_allocator.cuh"
#include "chamomile/gpu/tree/device_tree.cuh"

namespace chamomile {

/// DeviceCells finds the cells that divide_into_cells() makes, from the sorted keys. Scratch memory
/// of 8 bytes a particle is that of the sort, which needs more.
class DeviceCells {
public:
    DeviceCells(DeviceTree& tree, CachingAllocator& scratch) : tree_(tree), scratch_(scratch) {}
    DeviceCells(const DeviceCells&) = delete;
    ~DeviceCells() { release(); }

    /// Counts the cells; queued.
    void start(Index leaf_size);

    /// Waits until the cells are counted. Returns false if more particles share a key than a leaf
    /// holds, whose order only positions tell: then there are no cells.
    bool are_counted();

    /// Makes the cells, and queues their copy to the octree in `down`.
    void finish(Octree& octree, const Stream& down);

private:
    /// Counts of the whole tree.
    struct Counts {
        Index cells, divided, keys_are_shared;
    };

    void release();

    DeviceTree& tree_;
    CachingAllocator& scratch_;
    Index *begun_ = nullptr, *first_ = nullptr; // in scratch memory
    DeviceBuffer<Counts> counts_;
    PinnedBuffer<Counts> host_counts_;
    Event counted_, made_;
};

} // namespace chamomile
