/// \file  Groups on the device, if all particles are targets.
#pragma once

#include "chamomile/gpu/device/caching_allocator.cuh"
#include "chamomile/gpu/tree/device_tree.cuh"

namespace chamomile {

/// A DeviceGroups cuts all particles into groups and clusters that match cut_groups() bitwise.
class DeviceGroups {
public:
    DeviceGroups(DeviceTree& tree, CachingAllocator& scratch) : tree_(tree), scratch_(scratch) {}

    /// True if the device cuts `targets` targets faster than the host.
    static bool are_worth_it(std::size_t targets) { return targets >= 100000; }

    /// Cuts groups for cells `first` .. `end` of the tree's n cells. Their bounds and multipoles
    /// must be queued in the tree's stream.
    void cut(TargetGroups& groups, const GroupSizes& sizes, Index n, Index first, Index end);

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
