/// \file  The tree of all ranks as one rank sees it, from which it makes its lists.
#pragma once

#include <vector>

#include "chamomile/domain/essential_trees.hpp"

namespace chamomile {

/// A Forest fills a tree with the coarse tree and what this rank has below its leaves: its own
/// trees and the essential ones of others. The tree is an octree like any other, but the rank's own
/// particles come first among the sources, and those of others after them.
///
/// A cell of which neither daughters nor particles are here is *absent*: it may be accepted, and a
/// list that would open it has its `absent` place among its ranges.
struct Forest {
    static constexpr Index absent = absent_particles;

    std::vector<Index> cell_of; ///< the tree's cell of each cell of the coarse tree
    std::pmr::vector<CellReach> reach{
        large_memory()}; ///< of each cell, as of the last grow() that found it

    /// Makes the tree's cells anew. With `of_tree` it finds the reach of each, and takes those of
    /// the rank's own cells from LocalTrees::reach.
    void grow(Tree& tree, const DealtTree& dealt, const LocalTrees& local,
              const EssentialTrees& essential, const TreeReach* of_tree = nullptr);
    /// Takes the particles of the cells that grow() made.
    void take_particles(Tree& tree, const LocalTrees& local, const EssentialTrees& essential);
};

/// Returns whether the lists hold an absent cell's particles.
bool has_absent(const InteractionLists& lists);

} // namespace chamomile
