/// \file  The division of sorted particles into cells, on the device.
#pragma once

#include <span>

#include "chamomile/gpu/device/caching_allocator.cuh"
#include "chamomile/gpu/tree/device_tree.cuh"

namespace chamomile {

/// A CellRoot is the root of one of several trees, whose particles lie one after the other.
struct CellRoot {
    Index begin, count, octant; ///< Cell
    Index before;               ///< of the cells that have numbers before it: those of no tree
};

/// DeviceCells finds the cells that divide_into_cells() makes, from the sorted keys. Scratch memory
/// of 8 bytes a particle is that of the sort, which needs more.
class DeviceCells {
public:
    DeviceCells(DeviceTree& tree, CachingAllocator& scratch) : tree_(tree), scratch_(scratch) {}
    DeviceCells(const DeviceCells&) = delete;
    ~DeviceCells() { release(); }

    /// Counts the cells; queued. Roots, if there are any, are those of several trees.
    void start(Index leaf_size, std::span<const CellRoot> roots = {});

    /// Waits until the cells are counted. Returns false if more particles share a key than a leaf
    /// holds, whose order only positions tell: then there are no cells.
    bool are_counted();

    /// Returns how many cells were counted, how many of them have daughters, and how many come
    /// before each root.
    Index cells() const { return host_counts_.data()->cells; }
    Index divided() const { return host_counts_.data()->divided; }
    std::span<const Index> before_roots() const { return {host_numbers_.data(), root_count_}; }

    /// Makes the cells, among so many others.
    void make(Index others = 0);
    /// Queues their copy to the octree in `down`.
    void send(Octree& octree, const Stream& down);

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
    mutable PinnedBuffer<Counts> host_counts_;
    Index root_count_ = 0, made_count_ = 0;
    DeviceBuffer<CellRoot> roots_;
    PinnedBuffer<CellRoot> host_roots_;
    DeviceBuffer<Index> numbers_; // of cells before each root
    mutable PinnedBuffer<Index> host_numbers_;
    Event counted_, made_;
};

} // namespace chamomile
