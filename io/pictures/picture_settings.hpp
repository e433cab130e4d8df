/// \file  The options of pictures, which `render`, the frames of a run and Python all read.
///
/// A new setting is a member of RenderOptions and a row in picture_settings.cpp.
#pragma once

#include <vector>

#include "chamomile/core/options/option_row.hpp"
#include "chamomile/io/pictures/render.hpp"

namespace chamomile {

/// Returns the options of what a picture shows, with the names of `render`. Those of a run are the
/// same behind "frame-".
const std::vector<OptionRow<RenderOptions>>& picture_settings();

} // namespace chamomile
