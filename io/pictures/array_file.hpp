/// \file  Arrays of numbers as numpy reads them.
#pragma once

#include <filesystem>

#include "chamomile/io/pictures/projection.hpp"

namespace chamomile {

/// Writes an .npy file (format 1.0) of `height` rows of `width` doubles, from top to bottom,
/// complete or not at all. Throws Error(output).
void write_npy(const SurfaceDensity& density, const std::filesystem::path& path);

} // namespace chamomile
