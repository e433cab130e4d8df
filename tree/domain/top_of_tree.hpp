/// \file  The coarse tree's cells among a rank's cells, and links to imported cells.
#pragma once

#include <span>
#include <vector>

#include "chamomile/tree/domain/domain_part.hpp"

namespace chamomile {

/// A coarse-tree cell, except this rank's leaves.
struct TopCell {
    Index at; ///< index in the local tree
    Cell cell;
};

/// An ImportedLeaf lists the imports below one leaf of the coarse tree.
struct ImportedLeaf {
    Index leaf;
    Index first_cell, cells; ///< in the local tree
    Index first_particle;    ///< in the sources; without cells: of the leaf itself
};

/// Counts and roots of a rank's cells together with the coarse tree, before any import.
struct OwnCells {
    Index cells = 0, nodes = 0, sources = 0; ///< counts
    std::vector<Index> roots;                ///< cell of each local leaf of the coarse tree
    std::size_t first_leaf = 0;              ///< in the coarse tree
};

/// A TopOfTree numbers the cells of the coarse tree together with the rank's cells, in the order of
/// the tree. Imported cells and their nodes follow behind all of these.
class TopOfTree {
public:
    /// Numbers all cells. `before_roots`: the number of local cells before each root; `cells`:
    /// their total.
    void number(const DistributedTree& distributed, std::span<const Index> before_roots,
                Index cells);

    /// Returns for each coarse cell its index in the tree.
    std::span<const Index> cell_of() const { return cell_of_; }
    /// Returns the cells of this rank's coarse leaves, the roots of local cells.
    std::span<const Index> own_roots() const { return own_roots_; }
    std::span<const TopCell> tops() const { return tops_; }
    std::span<const Index> coarse_of_tops() const { return top_cell_; } ///< their coarse cells
    std::size_t divided() const { return divided_; }                    ///< TopCells with daughters

    /// Writes the TopCells to the tree.
    void plant_cells(Octree& octree) const;
    /// Writes the moments of the coarse tree's cells to the first `cells` of the tree.
    void plant_moments(const CoarseTree& coarse, Moments& moments, std::size_t cells) const;

    /// Links imported leaves to new nodes, from number `nodes` on. Returns the links of leaves with
    /// cells.
    std::vector<LeafLink> link(Tree& tree, const CoarseTree& coarse,
                               std::span<const ImportedLeaf> leaves, Index nodes) const;

private:
    std::vector<Index> cell_of_, own_roots_;
    std::vector<TopCell> tops_;   // in the order of the tree
    std::vector<Index> top_cell_; // their cells in the coarse tree
    std::size_t divided_ = 0;
};

} // namespace chamomile
