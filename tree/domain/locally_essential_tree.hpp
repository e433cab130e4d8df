/// \file  The locally essential tree: the part of the global tree that a rank's lists need.
#pragma once

#include <vector>

#include "chamomile/tree/domain/imported_cells.hpp"

namespace chamomile {

/// A LocallyEssentialTree fills a tree with the coarse tree and, below its leaves, the local trees
/// and the imported cells. The result is an ordinary octree, but local particles come first among
/// the sources and imported ones follow.
///
/// A cell is *absent* if neither its daughters nor its particles are on this rank. Lists may accept
/// it. A list that opens it has a range that begins at `absent` (has_absent()).
struct LocallyEssentialTree {
    static constexpr Index absent = absent_particles;

    std::vector<Index> cell_of; ///< for each coarse cell: its index in the tree
    std::pmr::vector<OpeningRadius> reach{
        large_memory()}; ///< opening radius per cell, set by the last grow() with `of_tree`

    /// Makes the tree's cells. With `of_tree` also finds each cell's opening radius; local cells
    /// copy LocalTrees::reach.
    void grow(Tree& tree, const DistributedTree& distributed, const LocalTrees& local,
              const ImportedCells& imported, const TreeReach* of_tree = nullptr);
    /// Copies the local and imported particles of the cells that grow() made.
    void copy_particles(Tree& tree, const LocalTrees& local, const ImportedCells& imported);
};

/// Returns whether any list opens an absent cell.
bool has_absent(const InteractionLists& lists);

} // namespace chamomile
