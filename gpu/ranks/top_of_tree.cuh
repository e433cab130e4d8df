/// \file  The coarse tree among a rank's own cells on its GPU, and how imported cells are linked.
#pragma once

#include <span>
#include <vector>

#include "chamomile/domain/domain_part.hpp"
#include "chamomile/gpu/ranks/essential_cells.cuh"
#include "chamomile/gpu/tree/device_cells.cuh"

namespace chamomile {

/// A LeafLink makes a lane of a node lead to the node of these cells.
struct LeafLink {
    Index lane, node, first_cell, end_cell;
};

/// A TopCell is a cell of the coarse tree that is none of this rank's own.
struct TopCell {
    Index at; ///< cell of the tree
    Cell cell;
};

/// TopOfTree gives the cells of the coarse tree their numbers among those of the rank, in the order
/// of the tree, and keeps the device's and the host's tree alike.
class TopOfTree {
public:
    explicit TopOfTree(DeviceTree& tree) : tree_(tree) {}

    /// Returns the roots of this rank's trees: its leaves of the coarse tree.
    std::vector<CellRoot> roots(const DealtTree& dealt) const;
    /// Takes how many of the rank's cells come before each root, and how many there are.
    void number(const DealtTree& dealt, std::span<const Index> before_roots, Index cells);

    std::span<const Index> cell_of() const { return cell_of_; }
    std::span<const Index> own_roots() const { return own_roots_; }
    std::size_t cells() const { return tops_.size(); } ///< of the coarse tree alone
    std::size_t divided() const { return divided_; }   ///< of these

    /// Puts these cells among the device's.
    void plant_cells();
    void plant_cells(Octree& octree) const;
    /// Returns the moments of this rank's roots, with orders as the tree has them; waits.
    Moments moments_of_roots(int order);
    /// Puts the moments of these cells among the device's.
    void plant_moments(const CoarseTree& coarse);
    /// Puts those of all cells of the coarse tree among the host's.
    void plant_moments(const CoarseTree& coarse, Moments& moments) const;

    /// Links imported leaves to nodes that follow the first `nodes` nodes, on the device and in the
    /// host's tree. Returns the links of leaves with cells.
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
    std::vector<Index> top_cell_; // the cell of the coarse tree that each is
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
