/// \file  A search for the sources of a tree near a place.
#pragma once

#include <vector>

#include "chamomile/tree/moments.hpp"
#include "chamomile/tree/octree.hpp"

namespace chamomile {

/// Returns the numbers of all sources whose squared distance from `place` is at most `limit`, in
/// the order of the tree.
std::vector<Index> sources_within(const Octree& octree, const Moments& moments,
                                  const Vec3<double>& place, double limit);

} // namespace chamomile
