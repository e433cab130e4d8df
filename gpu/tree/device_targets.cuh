/// \file  The active particles of a tree on the device.
#pragma once

#include "chamomile/gpu/tree/device_tree.cuh"

namespace chamomile {

/// DeviceTargets finds targets and the boxes of their groups on the device; the host sees places
/// and boxes, no positions.
class DeviceTargets {
public:
    explicit DeviceTargets(DeviceTree& tree) : tree_(tree) {}

    /// Finds the particles of at least that level (`level` lies on the device, in the caller's
    /// order).
    void find(TargetGroups& groups, const std::uint8_t* level, int first);

    /// Finds the boxes of the groups' targets, or of all particles from begin to end if there are
    /// none.
    void find_boxes(TargetGroups& groups);

    /// Finds the softenings of the groups alike.
    void find_softenings(TargetGroups& groups);

private:
    /// Uploads the ranges of the groups' targets; returns their sorted places, or null for all.
    const Index* send_groups(const TargetGroups& groups);

    DeviceTree& tree_;
    DeviceBuffer<char> scratch_;
    DeviceBuffer<Index> number_; // of targets
    PinnedBuffer<Index> host_number_, found_;
    DeviceBuffer<uint2> ranges_; // of targets, of the groups
    DeviceBuffer<Box> boxes_;
    PinnedBuffer<uint2> host_ranges_;
    PinnedBuffer<Box> host_boxes_;
    DeviceBuffer<SofteningSpan> softenings_;
    PinnedBuffer<SofteningSpan> host_softenings_;
};

} // namespace chamomile
