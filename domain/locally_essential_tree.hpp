/// \file  The global tree as seen by a rank, for making its lists.
#pragma once

#include <vector>

#include "chamomile/domain/imported_cells.hpp"

namespace chamomile {

/// A LocallyEssentialTree fills a tree with the coarse tree and, below its leaves, the local trees
/// and the essential trees. The result is an ordinary octree, but local particles come first among
/// the sources and imported ones follow.
///
/// A cell is *absent* if neither its daughters nor its particles are here. Lists may accept it; a
/// list that would open it holds `absent` among its ranges.
struct LocallyEssentialTree {
    static constexpr Index absent = absent_particles;

    std::vector<Index> cell_of; ///< for each coarse cell: its index in the tree
    std::pmr::vector<OpeningRadius> reach{
        large_memory()}; ///< per cell, set by the last grow() with `of_tree`

    /// Makes the tree's cells. With `of_tree` also finds each cell's reach; local cells copy
    /// LocalTrees::reach.
    void grow(Tree& tree, const DistributedTree& distributed, const LocalTrees& local,
              const ImportedCells& essential, const TreeReach* of_tree = nullptr);
    /// Copies the local and imported particles of the cells that grow() made.
    void copy_particles(Tree& tree, const LocalTrees& local, const ImportedCells& essential);
};

/// Returns whether any list would open an absent cell.
bool has_absent(const InteractionLists& lists);

} // namespace chamomile
