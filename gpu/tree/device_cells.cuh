/// \file  The division of sorted particles into cells, on the device.
#pragma once

#include <span>

#include "chamomile/gpu/device/caching_allocator.cuh"
#include "chamomile/gpu/tree/device_tree.cuh"

namespace chamomile {

/// A CellRoot is the root of one of several trees, with contiguous particles.
struct CellRoot {
    Index begin, count, octant; ///< as in Cell
    Index before;               ///< preceding cells outside all of these trees
};

/// A DeviceCells finds the cells of divide_into_cells() from the sorted keys. It uses 8 bytes of
/// scratch memory a particle, less than the sort.
class DeviceCells {
public:
    DeviceCells(DeviceTree& tree, CachingAllocator& scratch) : tree_(tree), scratch_(scratch) {}
    DeviceCells(const DeviceCells&) = delete;
    ~DeviceCells() { release(); }

    /// Queues the count of cells. `roots`: the roots of several trees; empty: one tree.
    void start(Index leaf_size, std::span<const CellRoot> roots = {});

    /// Waits for the counts. Returns false if more particles share a key than a leaf holds: only
    /// positions can order them, and no cells can be made here.
    bool are_counted();

    /// Return the counts of cells, of divided cells and of cells before each root.
    Index cells() const { return host_counts_.data()->cells; }
    Index divided() const { return host_counts_.data()->divided; }
    std::span<const Index> before_roots() const { return {host_numbers_.data(), root_count_}; }

    /// Makes the cells, with room for `others` further cells.
    void make(Index others = 0);
    /// Queues the copy of the cells to `octree` in stream `down`.
    void send(Octree& octree, const Stream& down);

private:
    /// Counts of all trees.
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
