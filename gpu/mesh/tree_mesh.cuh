/// \file  The long range of particles that are on the device for their tree's sake.
#pragma once

#include <memory>

#include "chamomile/gpu/mesh/device_mesh.cuh"
#include "chamomile/gpu/tree/device_tree.cuh"

namespace chamomile {

class DeviceLongRange : public LongRange {
public:
    /// Does what add() does where targets and sums are on the device, in the order of the tree's
    /// stream.
    virtual void add_to_sums(const MeshTargets& targets, const FieldFactors& factors,
                             const ArrayView& acceleration, const ArrayView& potential) const = 0;
};

/// The long range's prepare() takes the tree's sources in place of its arguments: n of them.
std::unique_ptr<DeviceLongRange> make_tree_mesh(std::shared_ptr<DeviceTree> tree, Periodicity box,
                                                const MeshOptions& options);

} // namespace chamomile
