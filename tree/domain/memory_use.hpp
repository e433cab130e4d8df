/// \file  Memory held by arrays.
#pragma once

#include <cstddef>

#include "chamomile/tree/moments.hpp"

namespace chamomile {

/// Returns the bytes allocated by these arrays, used or not.
template <class... Arrays>
std::size_t held_bytes(const Arrays&... arrays)
{
    return (std::size_t(0) + ... + (arrays.capacity() * sizeof(typename Arrays::value_type)));
}

/// Return the bytes held by the arrays.
inline std::size_t memory_of(const Octree& octree)
{
    return held_bytes(octree.cells, octree.boundaries.level, octree.boundaries.octants,
                      octree.boundaries.block_min, octree.order, octree.sources, octree.softening);
}
inline std::size_t memory_of(const Moments& moments)
{
    return held_bytes(moments.multipole, moments.bounds, moments.higher, moments.softening);
}

} // namespace chamomile
