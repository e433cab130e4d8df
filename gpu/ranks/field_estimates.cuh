/// \file  Estimates of the accelerations of clusters on a GPU (Walk::acceleration()).
#pragma once

#include "chamomile/gpu/tree/device_tree.cuh"
#include "chamomile/tree/walk.hpp"

namespace chamomile {

/// FieldEstimates sum the fields of a tree's nodes at the centres of clusters. They keep their
/// memory.
class FieldEstimates {
public:
    /// Finds DomainPart::estimate(). The walk's nodes are there when the stream `down` is done,
    /// which is waited for where a cluster needs them.
    void find(DeviceTree& tree, const Stream& down, const Walk& walk, const TargetGroups& groups,
              std::span<double> accelerations);

private:
    PinnedBuffer<ClusterField> host_fields_;
    DeviceBuffer<ClusterField> fields_;
    DeviceBuffer<double> squared_;
    PinnedBuffer<double> host_squared_;
};

} // namespace chamomile
