/// \file  Which rank owns which range in the tree.
#pragma once

#include <span>
#include <vector>

#include "chamomile/tree/domain/coarse_tree.hpp"
#include "chamomile/tree/groups.hpp"

namespace chamomile {

/// Domains split the coarse tree into consecutive ranges of leaves, one per rank. A range fixes the
/// rank's particles and its pieces of the targets, and may be empty. A piece holds whole clusters
/// and belongs to one rank, hence the clusters of all ranks together equal those of a single rank.
struct Domains {
    std::vector<Piece> pieces;            ///< on all ranks; `targets` counts over every rank
    std::vector<std::size_t> first_piece; ///< per rank; last entry: number of pieces
    std::vector<std::size_t> first_leaf;  ///< per rank; last entry: number of leaves

    int owner(std::size_t leaf) const;
};

/// Cuts the tree at `shares` of the work: ranks + 1 values, rising from 0 to 1. A particle counts
/// at least half the mean work, so that no rank gets more than about twice the mean number of
/// particles.
Domains make_domains(const CoarseTree& tree, std::vector<Piece> pieces,
                     std::span<const double> shares);

/// Cuts at the same leaves as `domains`, or next to them if a piece of new targets crosses a cut.
Domains keep_domains(const CoarseTree& tree, std::vector<Piece> pieces, const Domains& domains);

} // namespace chamomile
