/// \file  Particles and cells of gradients on the device: lambda, mu and dual moments.
#pragma once

#include "chamomile/force/evaluator.hpp"
#include "chamomile/gpu/tree/device_tree.cuh"
#include "chamomile/tree/tree_builder.hpp"

namespace chamomile {

class DeviceDuals {
public:
    explicit DeviceDuals(DeviceTree& tree) : tree_(tree) {}

    /// See Evaluator::begin_adjoint(). The arrays are complete once the tree's stream is done; in
    /// float or double.
    AdjointStart begin(const AdjointInput& loss, const Tree& tree, const InternalScale& scale,
                       bool in_double);

    const void* particles() { return particles_.data(); } ///< DualParticle of each sorted source
    /// DualParticle of each sorted target with velocities; null: a gradient.
    const void* moving() { return loss_.velocity ? moving_.data() : nullptr; }
    const void* rows() { return rows_.data(); }        ///< DualCellRow of each cell
    const AdjointInput& loss() const { return loss_; } ///< with its arrays on the device
    double unit() const { return unit_; }              ///< of lambda
    const WalkNode* nodes() { return has_nodes_ ? nodes_.data() : tree_.nodes.data(); }

private:
    double max_of(const ArrayView& lambda, const ArrayView& mu, double length);
    template <class T>
    void sum(const Tree& tree, const InternalScale& scale);
    void widen_nodes(const Tree& tree, double inverse_length);

    DeviceTree& tree_;
    AdjointInput loss_;
    double unit_ = 1;
    DeviceBuffer<std::byte> particles_, moving_, rows_;
    DeviceBuffer<double> lambda_, mu_, velocity_; // copies of arrays on the host
    DeviceBuffer<double> blocks_, sums_;
    PinnedBuffer<double> host_blocks_;
    DeviceBuffer<Index> mothers_, missing_;
    DeviceBuffer<float> extents_; // of each cell; negative: the cell is trusted
    DeviceBuffer<unsigned> untrusted_;
    PinnedBuffer<unsigned> host_untrusted_;
    DeviceBuffer<WalkNode> nodes_;
    WalkNodes host_nodes_;
    bool has_nodes_ = false; // of this loss
};

} // namespace chamomile
