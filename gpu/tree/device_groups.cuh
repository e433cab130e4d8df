/// \file  The groups of all particles of a tree on the device.
#pragma once

#include "chamomile/gpu/device/caching_allocator.cuh"
#include "chamomile/gpu/tree/device_tree.cuh"

namespace chamomile {

/// DeviceGroups cuts all particles into the groups and clusters of cut_groups(), with its bits.
class DeviceGroups {
public:
    DeviceGroups(DeviceTree& tree, CachingAllocator& scratch) : tree_(tree), scratch_(scratch) {}

    /// Tells whether so many targets are cut sooner here than on the host.
    static bool are_worth_it(std::size_t targets) { return targets >= 100000; }

    /// Cuts the groups of the cells from `first` to `end`, of n cells, whose bounds and multipoles
    /// are queued in the tree's stream.
    void cut(TargetGroups& groups, const GroupSizes& sizes, Index n, Index first, Index end);

private:
    DeviceTree& tree_;
    CachingAllocator& scratch_;
    DeviceBuffer<uint2> counts_; // of groups and clusters that begin at each cell, and before it
    PinnedBuffer<uint2> host_count_;
    DeviceBuffer<Group> groups_;
    DeviceBuffer<Cluster> clusters_;
};

} // namespace chamomile
