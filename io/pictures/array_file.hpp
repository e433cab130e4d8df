/// \file  Arrays in numpy's .npy format.
#pragma once

#include <filesystem>

#include "chamomile/core/pictures/projection.hpp"

namespace chamomile {

/// Writes an .npy file (format 1.0) of `height` rows of `width` doubles, from top to bottom. The
/// file appears only when complete. Throws Error(output).
void write_npy(const SurfaceDensity& density, const std::filesystem::path& path);

} // namespace chamomile
