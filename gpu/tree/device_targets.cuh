/// \file  The active particles of a tree on the device.
#pragma once

#include "chamomile/gpu/tree/device_tree.cuh"

namespace chamomile {

/// A DeviceTargets finds active particles and the boxes of their groups on the device. The host
/// gets sorted places and boxes, but no positions.
class DeviceTargets {
public:
    explicit DeviceTargets(DeviceTree& tree) : tree_(tree) {}

    /// Finds the particles of level `first` or above. `level`: device array in the caller's order.
    void find(TargetGroups& groups, const std::uint8_t* level, int first);
    /// Returns the number of found targets before each sorted place, on the device.
    const Index* before() { return before_.data(); }

    /// Finds the boxes of the groups' targets; with no list of targets, of all particles in a
    /// group.
    void find_boxes(TargetGroups& groups);

    /// Finds the softening ranges of the groups, for the same targets as find_boxes().
    void find_softenings(TargetGroups& groups);

private:
    /// Uploads the ranges of the groups' targets. Returns their sorted places, or null for all.
    const Index* send_groups(const TargetGroups& groups);

    DeviceTree& tree_;
    DeviceBuffer<char> scratch_;
    DeviceBuffer<Index> before_;
    PinnedBuffer<Index> host_number_, found_;
    DeviceBuffer<uint2> ranges_; // targets of each group
    DeviceBuffer<Box> boxes_;
    PinnedBuffer<uint2> host_ranges_;
    PinnedBuffer<Box> host_boxes_;
    DeviceBuffer<SofteningSpan> softenings_;
    PinnedBuffer<SofteningSpan> host_softenings_;
};

} // namespace chamomile
