/// \file  Colours for numbers between 0 and 1, even in perceived brightness.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "chamomile/io/pictures/image.hpp"

namespace chamomile {

/// The maps of the name in matplotlib (van der Walt & Smith 2015), and plain grey.
enum class ColourMap { inferno, magma, viridis, grey };

/// The colour of a value; values outside [0, 1] take the colour of the nearer end.
Colour colour_of(double value, ColourMap map);

/// The map of that name; throws Error(usage) naming the maps there are.
ColourMap colour_map_named(std::string_view name);

std::vector<std::string> colour_map_names();

} // namespace chamomile
