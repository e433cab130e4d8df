/// \file  The trees of a rank: one below each leaf of the coarse tree that it has.
#pragma once

#include <span>
#include <vector>

#include "chamomile/domain/domains.hpp"
#include "chamomile/tree/key_sorter.hpp"
#include "chamomile/tree/tree_builder.hpp"

namespace chamomile {

/// LocalTrees hold the particles of a rank's leaves, sorted, and the cells below these leaves.
struct LocalTrees {
    Octree octree{large_memory()}; ///< cells of one leaf after the other
    Moments moments{large_memory()};
    std::vector<Index> roots; ///< the first cell of each leaf, and after them the number of cells
};

/// Arrivals are the particles that a rank has got from all others, in the order of ranks.
struct Arrivals {
    std::vector<Vec3<double>> position;
    std::vector<double> mass;
    std::vector<std::size_t> from; ///< where those of each rank begin, and after them their number
};

/// Sends each row to the rank that has its place.
Arrivals send_rows(const Rows& rows, const KeyedRows& sorted, const CoarseTree& coarse,
                   const Domains& domains, Communicator& communicator);

/// Makes the trees of this rank: the same cells, order of particles and moments as in the tree of
/// one rank alone.
void make_local_trees(LocalTrees& trees, const Arrivals& arrivals, const RootCube& cube,
                      const TreePlan& plan, std::span<const Cell> leaves);

/// Completes the coarse tree's moments from those of all ranks' trees.
void share_moments(CoarseTree& coarse, const LocalTrees& trees, int order,
                   Communicator& communicator);

} // namespace chamomile
