/// \file  The coarse tree among a rank's cells on its GPU.
#pragma once

#include <span>
#include <vector>

#include "chamomile/gpu/tree/device_cells.cuh"
#include "chamomile/gpu/tree/device_tree.cuh"
#include "chamomile/tree/domain/top_of_tree.hpp"

namespace chamomile {

/// A DeviceTop writes a TopOfTree to the tree on the device.
class DeviceTop {
public:
    explicit DeviceTop(DeviceTree& tree) : tree_(tree) {}

    /// Returns this rank's leaves of the coarse tree, the roots of local cells.
    std::vector<CellRoot> roots(const DistributedTree& distributed) const;
    /// Numbers all cells (TopOfTree::number()).
    void number(const DistributedTree& distributed, std::span<const Index> before_roots,
                Index cells);
    const TopOfTree& numbered() const { return top_; }

    /// Writes the TopCells to the device.
    void plant_cells();
    /// Returns the moments of this rank's roots, up to `order`; waits.
    Moments moments_of_roots(int order);
    /// Writes the moments of the TopCells to the device.
    void plant_moments(const CoarseTree& coarse);

    /// Links imported leaves (TopOfTree::link()) on the device and in the host's tree. Returns the
    /// links of leaves with cells.
    std::span<const LeafLink> link(Tree& tree, const CoarseTree& coarse,
                                   std::span<const ImportedLeaf> leaves, Index nodes);
    const LeafLink* links() { return device_links_.data(); }

private:
    template <class T>
    void gather(DeviceBuffer<T>& from, DeviceBuffer<T>& some, std::pmr::vector<T>& to);
    template <class T>
    void scatter(const std::vector<T>& some, DeviceBuffer<T>& memory, DeviceBuffer<T>& to);
    template <class T, class Values>
    std::vector<T> of_tops(const Values& values) const;

    DeviceTree& tree_;
    TopOfTree top_;
    std::vector<LeafLink> links_;
    DeviceBuffer<TopCell> device_tops_;
    DeviceBuffer<LeafLink> device_links_;
    DeviceBuffer<Index> at_;
    DeviceBuffer<Multipole> multipoles_;
    DeviceBuffer<Box> bounds_;
    DeviceBuffer<HigherMoments> higher_;
    DeviceBuffer<CellSoftening> softenings_;
};

} // namespace chamomile
