/// \file  Finds the sources in a tree near a place.
#pragma once

#include <vector>

#include "chamomile/tree/moments.hpp"
#include "chamomile/tree/octree.hpp"

namespace chamomile {

/// Returns the indices of sources with squared distance from `place` at most `limit`, in tree
/// order.
std::vector<Index> sources_within(const Octree& octree, const Moments& moments,
                                  const Vec3<double>& place, double limit);

} // namespace chamomile
