/// \file  The long range of the particles in a device tree.
#pragma once

#include <memory>

#include "chamomile/gpu/mesh/device_mesh.cuh"
#include "chamomile/gpu/tree/device_tree.cuh"

namespace chamomile {

class DeviceLongRange : public LongRange {
public:
    /// Like add(), for targets and sums on the device, in the order of the tree's stream.
    virtual void add_to_sums(const MeshTargets& targets, const FieldFactors& factors,
                             const ArrayView& acceleration, const ArrayView& potential) const = 0;
    /// Like DeviceMesh::add_adjoint(), for the tree's particles.
    virtual void add_adjoint_to_sums(const MeshLoss& loss, const FieldFactors& factors,
                                     const ArrayView& position, const ArrayView& mass) const = 0;
};

/// Makes a long range whose prepare() reads the sources of the tree, not its arguments. `ranks`, if
/// not null, share the sources; the field is there at the tree's particles and at its n rows.
std::unique_ptr<DeviceLongRange> make_tree_mesh(std::shared_ptr<DeviceTree> tree, Periodicity box,
                                                const MeshOptions& options, Communicator* ranks);

} // namespace chamomile
