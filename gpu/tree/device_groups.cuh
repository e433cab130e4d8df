/// \file  Target groups on the device: all particles, or a rung.
#pragma once

#include "chamomile/gpu/device/caching_allocator.cuh"
#include "chamomile/gpu/tree/device_tree.cuh"

namespace chamomile {

/// Groups are made for cells `first` .. `end` of a tree's `all` cells.
struct CellRange {
    Index all, first, end;
};

/// A DeviceGroups cuts targets into groups and clusters that match cut_groups() bitwise.
class DeviceGroups {
public:
    DeviceGroups(DeviceTree& tree, CachingAllocator& scratch) : tree_(tree), scratch_(scratch) {}

    /// True if the device cuts `targets` targets faster than the host.
    static bool are_worth_it(std::size_t targets) { return targets >= 20000; }

    /// Cuts the targets of some cells, whose bounds and multipoles must be queued in the tree's
    /// stream. `targets_before`: the number of targets before each sorted place, on the device;
    /// null: all particles are targets. A part of a piece that fits the sizes must fit them too.
    void cut(TargetGroups& groups, const GroupSizes& sizes, const CellRange& cells,
             const Index* targets_before);

private:
    DeviceTree& tree_;
    CachingAllocator& scratch_;
    DeviceBuffer<uint2> counts_; // at each cell: groups and clusters that begin there, and their
                                 // prefix sums
    PinnedBuffer<uint2> host_count_;
    DeviceBuffer<Group> groups_;
    DeviceBuffer<Cluster> clusters_;
};

} // namespace chamomile
