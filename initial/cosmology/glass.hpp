/// \file  Glasses: irregular particle loads with canceling gravity.
#pragma once

#include <vector>

#include "chamomile/core/vec3.hpp"

namespace chamomile {

/// Returns n^3 positions in the unit cube: random points, relaxed under gravity with opposite sign
/// (White 1994) on a mesh of 2 n points per side. docs/explanation/cosmology.md states the residual
/// forces. The result is bitwise independent of the number of threads. Throws Error(usage) unless n
/// is 2 to 512.
std::vector<Vec3<double>> make_glass(int n, unsigned seed = 1);

/// Returns a glass of n^3, repeated `tiles` times along each axis, in a cube of side `side`.
std::vector<Vec3<double>> tiled_glass(int n, int tiles, double side);

} // namespace chamomile
