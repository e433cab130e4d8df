/// \file  Glasses: irregular particle loads on which gravity cancels.
#pragma once

#include <vector>

#include "chamomile/core/vec3.hpp"

namespace chamomile {

/// Returns n^3 places in the unit cube: random ones, relaxed under gravity with the opposite sign
/// (White 1994), by a mesh of 2 n points along a side, until the forces have faded
/// (docs/explanation/cosmology.md tells how far). The bits are the same for any number of threads.
/// Throws Error(usage) unless n is 2 to 512.
std::vector<Vec3<double>> make_glass(int n, unsigned seed = 1);

/// Returns a glass of n^3, repeated along each axis, in a cube of that side.
std::vector<Vec3<double>> tiled_glass(int n, int tiles, double side);

} // namespace chamomile
