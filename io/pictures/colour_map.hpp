/// \file  Colour maps for numbers between 0 and 1, uniform in perceived brightness.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "chamomile/io/pictures/image.hpp"

namespace chamomile {

/// The ColourMaps are those of the same name in matplotlib (van der Walt & Smith 2015),
/// coolwarm for values of both signs (Moreland 2009), and plain grey.
enum class ColourMap { inferno, magma, viridis, coolwarm, grey };

/// Returns the colour of a value; values outside [0, 1] take the colour of the nearer end.
Colour colour_of(double value, ColourMap map);

/// Returns the map of that name. Throws Error(usage) naming the maps that exist.
ColourMap colour_map_named(std::string_view name);

std::vector<std::string> colour_map_names();

} // namespace chamomile
