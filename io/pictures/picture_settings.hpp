/// \file  The options of pictures, for `render`, the frames of a run, and Python.
///
/// A new setting is a member of RenderOptions and a row in picture_settings.cpp.
#pragma once

#include <vector>

#include "chamomile/core/options/option_row.hpp"
#include "chamomile/io/pictures/render.hpp"

namespace chamomile {

/// Returns the picture options, with the names of `render`. A run uses the same names after
/// "frame-".
const std::vector<OptionRow<RenderOptions>>& picture_settings();

} // namespace chamomile
