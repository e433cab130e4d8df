/// \file  Color maps for numbers between 0 and 1, uniform in perceived brightness.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "chamomile/io/pictures/image.hpp"

namespace chamomile {

/// The ColourMaps are matplotlib's maps of these names (van der Walt & Smith 2015), coolwarm for
/// signed values (Moreland 2009), and plain grey.
enum class ColourMap { inferno, magma, viridis, coolwarm, grey };

/// Returns the color of a value. Values outside [0, 1] get the color of the nearer end.
Colour colour_of(double value, ColourMap map);

/// Returns the map with this name. Throws Error(usage) that lists the known maps.
ColourMap colour_map_named(std::string_view name);

std::vector<std::string> colour_map_names();

} // namespace chamomile
