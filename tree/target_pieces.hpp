/// \file  Pieces of a tree for a subset of its particles.
#pragma once

#include "chamomile/tree/groups.hpp"

namespace chamomile {

/// Cuts the targets of `groups` into pieces, in the order of the tree: about `parts` of them, or
/// fewer, since each holds whole clusters. Of the moments the bounds are read.
std::vector<Piece> cut_target_pieces(const TargetGroups& groups, const Octree& octree,
                                     const Moments& moments, GroupSizes sizes, std::uint64_t parts);

} // namespace chamomile
