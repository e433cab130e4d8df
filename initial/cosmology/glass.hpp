/// \file  Glasses: irregular particle loads with canceling gravity.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "chamomile/core/vec3.hpp"

namespace chamomile {

/// Returns n^3 positions in the unit cube: random points, relaxed under gravity with opposite sign
/// (White 1994) on a mesh of 2 n points per side. docs/explanation/cosmology.md states the residual
/// forces. The result is bitwise independent of the number of threads. Throws Error(usage) unless n
/// is 2 to 512.
std::vector<Vec3<double>> make_glass(int n, unsigned seed = 1);

/// Returns points begin ... end - 1 of a glass repeated `tiles` times along each axis, in a cube of
/// side `side`. Points are numbered tile by tile.
std::vector<Vec3<double>> tiled_glass(std::span<const Vec3<double>> glass, int tiles, double side,
                                      std::size_t begin, std::size_t end);

} // namespace chamomile
