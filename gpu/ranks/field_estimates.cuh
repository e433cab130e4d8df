/// \file  Estimates of the accelerations of clusters on a GPU (Walk::acceleration()).
#pragma once

#include "chamomile/gpu/tree/device_tree.cuh"
#include "chamomile/tree/walk.hpp"

namespace chamomile {

/// A FieldEstimates sums the fields of a tree's nodes at the centers of clusters. It keeps its
/// buffers between calls.
class FieldEstimates {
public:
    /// Implements DomainPart::estimate(). Waits for `down` if the host must compute a cluster.
    void find(DeviceTree& tree, const Stream& down, const Walk& walk, const TargetGroups& groups,
              std::span<double> accelerations);

private:
    PinnedBuffer<ClusterField> host_fields_;
    DeviceBuffer<ClusterField> fields_;
    DeviceBuffer<double> squared_;
    PinnedBuffer<double> host_squared_;
};

} // namespace chamomile
