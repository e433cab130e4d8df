/// \file  Which rank has which part of the tree.
#pragma once

#include <span>
#include <vector>

#include "chamomile/domain/coarse_tree.hpp"
#include "chamomile/tree/groups.hpp"

namespace chamomile {

/// Domains deal the pieces of the coarse tree to the ranks, in the order of the tree: each rank has
/// a run of pieces, thereby of leaves and of particles; some may have none. A piece holds whole
/// clusters, so that the clusters of all ranks together are those of one rank alone.
struct Domains {
    std::vector<Piece> pieces;            ///< of all ranks; ranges count all particles
    std::vector<std::size_t> first_piece; ///< of each rank, and after them all
    std::vector<std::size_t> first_leaf;  ///< of each rank, and after them all

    int owner(std::size_t leaf) const;
};

/// Cuts so that the ranks have nearly the same work. A particle counts at least half of the mean
/// work, so that no rank has more than about twice as many particles as the mean.
Domains make_domains(const CoarseTree& tree, std::uint64_t most, int ranks);

/// Cuts at these shares of the work, which rise from 0 to 1: entries 0 to ranks.
Domains make_domains(const CoarseTree& tree, std::uint64_t most, std::span<const double> shares);

} // namespace chamomile
