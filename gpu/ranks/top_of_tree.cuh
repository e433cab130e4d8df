/// \file  Places the coarse tree among a rank's cells on its GPU, and links imported cells.
#pragma once

#include <span>
#include <vector>

#include "chamomile/gpu/ranks/essential_cells.cuh"
#include "chamomile/gpu/tree/device_cells.cuh"
#include "chamomile/tree/domain/domain_part.hpp"

namespace chamomile {

/// A LeafLink links a node's lane to a new node of cells first_cell .. end_cell.
struct LeafLink {
    Index lane, node, first_cell, end_cell;
};

/// A TopCell is a coarse-tree cell, except this rank's leaves.
struct TopCell {
    Index at; ///< index in the local tree
    Cell cell;
};

/// A TopOfTree numbers the cells of the coarse tree together with the rank's cells, in the order of
/// the tree. It writes them to the device's and the host's tree.
class TopOfTree {
public:
    explicit TopOfTree(DeviceTree& tree) : tree_(tree) {}

    /// Returns this rank's leaves of the coarse tree, the roots of local cells.
    std::vector<CellRoot> roots(const DistributedTree& distributed) const;
    /// Numbers all cells. `before_roots`: the number of local cells before each root; `cells`:
    /// their total.
    void number(const DistributedTree& distributed, std::span<const Index> before_roots,
                Index cells);

    std::span<const Index> cell_of() const { return cell_of_; }
    std::span<const Index> own_roots() const { return own_roots_; }
    std::size_t cells() const { return tops_.size(); } ///< TopCells
    std::size_t divided() const { return divided_; }   ///< TopCells with daughters

    /// Writes the TopCells to the tree on the device or the host.
    void plant_cells();
    void plant_cells(Octree& octree) const;
    /// Returns the moments of this rank's roots, up to `order`; waits.
    Moments moments_of_roots(int order);
    /// Writes the moments of the TopCells to the device.
    void plant_moments(const CoarseTree& coarse);
    /// Writes the moments of the coarse tree's cells to the host's tree, of its first `cells`.
    void plant_moments(const CoarseTree& coarse, Moments& moments, std::size_t cells) const;

    /// Links imported leaves to new nodes, from number `nodes` on, on the device and in the host's
    /// tree. Returns the links of leaves with cells.
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
    std::vector<Index> cell_of_, own_roots_;
    std::vector<TopCell> tops_;   // in the order of the tree
    std::vector<Index> top_cell_; // their cells in the coarse tree
    std::size_t divided_ = 0;
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
