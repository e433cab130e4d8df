#include "chamomile/io/pictures/colour_map.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "chamomile/core/error.hpp"

namespace chamomile {
namespace {

constexpr int knots = 11;

/// A NamedMap holds eleven equidistant colors of a map, as 0xRRGGBB.
struct NamedMap {
    const char* name;
    ColourMap map;
    unsigned colours[knots];
};

constexpr NamedMap maps[] = {
    {"inferno",
     ColourMap::inferno,
     {0x000004, 0x160b39, 0x420a68, 0x6a176e, 0x932667, 0xbc3754, 0xdd513a, 0xf37819, 0xfca50a,
      0xf6d746, 0xfcffa4}},
    {"magma",
     ColourMap::magma,
     {0x000004, 0x140e36, 0x3b0f70, 0x641a80, 0x8c2981, 0xb73779, 0xde4968, 0xf7705c, 0xfe9f6d,
      0xfecf92, 0xfcfdbf}},
    {"viridis",
     ColourMap::viridis,
     {0x440154, 0x482576, 0x414487, 0x35608d, 0x2a788e, 0x21908c, 0x22a884, 0x43bf71, 0x7ad151,
      0xbddf26, 0xfde725}},
    {"coolwarm",
     ColourMap::coolwarm,
     {0x3b4cc0, 0x5977e3, 0x7b9ff9, 0x9ebeff, 0xc0d4f5, 0xdddcdc, 0xf2cbb7, 0xf7ac8e, 0xee8468,
      0xd65244, 0xb40426}},
    {"grey",
     ColourMap::grey,
     {0x000000, 0x1a1a1a, 0x333333, 0x4d4d4d, 0x666666, 0x808080, 0x999999, 0xb3b3b3, 0xcccccc,
      0xe6e6e6, 0xffffff}},
};

double channel(unsigned colour, int which)
{
    return double(colour >> (16 - 8 * which) & 0xff);
}

} // namespace

Colour colour_of(double value, ColourMap map)
{
    const auto found = std::find_if(std::begin(maps), std::end(maps),
                                    [map](const NamedMap& entry) { return entry.map == map; });
    const double place = (value > 0 ? std::min(value, 1.0) : 0.0) * (knots - 1);
    const int k = std::min(int(place), knots - 2);
    Colour colour;
    for (int c = 0; c < 3; ++c) {
        const double low = channel(found->colours[k], c), high = channel(found->colours[k + 1], c);
        colour[std::size_t(c)] = std::uint8_t(std::lround(low + (place - k) * (high - low)));
    }
    return colour;
}

std::vector<std::string> colour_map_names()
{
    std::vector<std::string> names;
    for (const NamedMap& entry : maps)
        names.push_back(entry.name);
    return names;
}

ColourMap colour_map_named(std::string_view name)
{
    std::string known;
    for (const NamedMap& entry : maps) {
        if (name == entry.name)
            return entry.map;
        known += std::string(known.empty() ? "" : ", ") + entry.name;
    }
    throw Error(Fault::usage, "colour map: " + std::string(name) + ": must be one of " + known);
}

} // namespace chamomile
