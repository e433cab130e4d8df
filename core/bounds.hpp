/// \file  The box around points, found with all threads and ranks.
#pragma once

#include <cstddef>
#include <span>

#include "chamomile/core/box.hpp"
#include "chamomile/core/ranks/communicator.hpp"

namespace chamomile {

/// The box around some points, and the first point with a non-finite coordinate.
struct PointBounds {
    Box box;
    std::size_t first_not_finite; ///< points.size() if none
};
PointBounds bounds_of(std::span<const Vec3<double>> points);

/// Returns the box around the boxes of all ranks. Collective.
Box joined_box(const Box& own, Communicator& ranks);

} // namespace chamomile
