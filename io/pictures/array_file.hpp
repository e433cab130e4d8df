/// \file  Arrays of numbers in numpy's format.
#pragma once

#include <filesystem>

#include "chamomile/io/pictures/projection.hpp"

namespace chamomile {

/// Writes an .npy file (format 1.0) of `height` rows of `width` doubles, from top to bottom. The
/// file is complete or does not appear. Throws Error(output).
void write_npy(const SurfaceDensity& density, const std::filesystem::path& path);

} // namespace chamomile
