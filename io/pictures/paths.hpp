/// \file  Marks and orbits in a picture.
#pragma once

#include <string>
#include <vector>

#include "chamomile/core/options/quantity.hpp"
#include "chamomile/io/pictures/image.hpp"
#include "chamomile/io/pictures/render.hpp"

namespace chamomile {

/// Returns the orbits in a table of comma-separated values, in units of the frame: columns x, y, z
/// or center_x, center_y, center_z, with their unit in brackets, if any. A column `id` separates
/// orbits, sorted by id. Throws Error(input), and Error(usage) for units that do not fit the frame.
std::vector<std::vector<Vec3<double>>> read_paths(const std::string& file, const UnitFrame& frame);

/// Draws the orbits of a completed view as lines, and a cross at its mark.
void draw_paths(Image& image, const RenderOptions& view);

} // namespace chamomile
