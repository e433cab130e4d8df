/// \file  Stars and their nearest neighbors.
#pragma once

#include <span>
#include <vector>

#include "chamomile/core/particles.hpp"

namespace chamomile {

/// Particles with mass, and their positions.
struct Stars {
    std::vector<Index> index;
    std::vector<Vec3<double>> position;
};

Stars stars_among(const Particles& particles, std::span<const Index> members);

/// Returns for each of n points the `count` nearest other points, nearest first, as n rows of
/// `count` indices. Of equal distances the lower index is first. `count` must be below n.
std::vector<Index> nearest_neighbors(std::span<const Vec3<double>> points, std::size_t count);

} // namespace chamomile
