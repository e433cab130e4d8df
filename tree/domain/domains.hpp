/// \file  Domain decomposition: the range of the tree that each rank owns.
#pragma once

#include <span>
#include <vector>

#include "chamomile/tree/domain/coarse_tree.hpp"
#include "chamomile/tree/groups.hpp"

namespace chamomile {

/// A piece of the coarse tree, with the targets of all ranks.
using DomainPiece = PieceOf<GlobalRange>;

/// Cuts the targets into pieces, in tree order. No cluster extends over two pieces if the limits
/// are not below those of clusters (GroupSizes). Reads only the bounds in the moments.
std::vector<DomainPiece> cut_pieces(const CoarseTree& tree, const PieceLimits& limits);

/// Domains split the coarse tree into consecutive ranges of leaves, one per rank, some perhaps
/// empty. A rank owns the particles in its leaves and the pieces of targets there. No piece or
/// cluster extends over two ranks, hence the clusters of all ranks together equal those of a single
/// rank.
struct Domains {
    std::vector<DomainPiece> pieces;      ///< of all ranks
    std::vector<std::size_t> first_piece; ///< per rank; last entry: number of pieces
    std::vector<std::size_t> first_leaf;  ///< per rank; last entry: number of leaves

    /// Returns the rank that owns a leaf.
    int owner(std::size_t leaf) const;
};

/// Cuts the tree at `shares` of the work: ranks + 1 values, rising from 0 to 1. The work of a leaf
/// counts as at least half the mean work per particle, so that no rank gets more than about twice
/// the mean number of particles.
Domains make_domains(const CoarseTree& tree, std::vector<DomainPiece> pieces,
                     std::span<const double> shares);

/// Cuts at the leaves of `current`, the last domains, unless a piece of the new targets crosses the
/// cut, or more than an eighth of a rank's mean number of particles lies between it and the cut of
/// `built`; then next to the cut of `built`. To move cells to another rank takes longer than to sum
/// their moments.
Domains keep_domains(const CoarseTree& tree, std::vector<DomainPiece> pieces, const Domains& built,
                     const Domains& current);

} // namespace chamomile
