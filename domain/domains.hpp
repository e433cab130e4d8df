/// \file  Which rank has which part of the tree.
#pragma once

#include <span>
#include <vector>

#include "chamomile/domain/coarse_tree.hpp"
#include "chamomile/tree/groups.hpp"

namespace chamomile {

/// Domains deal the coarse tree to the ranks, in the order of the tree: each has a run of leaves,
/// thereby of particles and of pieces of the targets; some may have none. A piece holds whole
/// clusters and is of one rank, so that the clusters of all ranks together are those of one rank
/// alone.
struct Domains {
    std::vector<Piece> pieces;            ///< of all ranks; ranges count all targets
    std::vector<std::size_t> first_piece; ///< of each rank, and after them all
    std::vector<std::size_t> first_leaf;  ///< of each rank, and after them all

    int owner(std::size_t leaf) const;
};

/// Cuts at these shares of the work, which rise from 0 to 1: entries 0 to ranks. A particle counts
/// at least half of the mean work, so that no rank has more than about twice as many particles as
/// the mean.
Domains make_domains(const CoarseTree& tree, std::vector<Piece> pieces,
                     std::span<const double> shares);

/// Cuts where these domains of the same tree are cut, or beside it where a piece of other targets
/// reaches over.
Domains keep_domains(const CoarseTree& tree, std::vector<Piece> pieces, const Domains& domains);

} // namespace chamomile
