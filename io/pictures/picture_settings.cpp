#include "chamomile/io/pictures/picture_settings.hpp"

#include "chamomile/core/error.hpp"
#include "chamomile/core/particle_types.hpp"

namespace chamomile {
namespace {

using R = RenderOptions;

std::vector<std::string> words_of_types()
{
    std::vector<std::string> words;
    for (std::size_t type = 0; type < type_names.size(); ++type)
        words.push_back(std::to_string(type));
    words.insert(words.end(), type_names.begin(), type_names.end());
    return words;
}

/// Returns the type with this number or name.
int type_of(const std::string& option, const std::string& word, std::vector<std::string> words)
{
    for (std::size_t type = 0; type < type_names.size(); ++type)
        if (word == std::to_string(type) || word == type_names[type])
            return int(type);
    refuse_word(option, word.empty() ? "(empty)" : word, words);
}

void put_followed(R& view, const std::string& option, const std::string& text)
{
    std::vector<std::string> words = words_of_types();
    words.insert(words.begin(), "densest");
    view.follow = text == "densest" ? R::densest : type_of(option, text, words);
}

/// Returns the word of a followed or marked place.
std::string place_text(const std::optional<int>& place)
{
    if (!place)
        return "";
    return *place == R::middle ? "center"
           : *place < 0        ? "densest"
                               : type_names[std::size_t(*place)];
}

void put_mark(R& view, const std::string& option, const std::string& text)
{
    view.mark = {};
    view.mark_at = {};
    std::vector<std::string> words = words_of_types();
    words.insert(words.begin(), {"center", "densest", "X,Y,Z"});
    if (text.find(',') != text.npos)
        view.mark = parse_vector(option, text);
    else
        view.mark_at = text == "center"    ? R::middle
                       : text == "densest" ? R::densest
                                           : type_of(option, text, words);
}

std::string mark_text(const R& view)
{
    return view.mark_at ? place_text(view.mark_at) : value_text(view.mark);
}

std::vector<OptionRow<R>> rows()
{
    using namespace ranges;
    OptionRows<R> t;
    t.group("View");
    t.number("width", &R::width, between(16, 16384), "width in pixels");
    t.number("height", &R::height, between(16, 16384), "height in pixels");
    t.number("fov", &R::field_of_view, positive,
             "length across the picture; default: the side of a periodic box, or a width with 98 % "
             "of the mass, 1.5 times more for frames")
        .in(dimensions::length);
    t.value("center", "X,Y,Z", &R::center, parse_vector,
            "center of the picture; default: center of the periodic box, or center of mass of the "
            "shown particles")
        .dimension = dimensions::length;
    t.special(
        "follow", "densest|TYPE", put_followed,
        [](const R& view) { return place_text(view.follow); },
        "center each picture on the density maximum of all shown particles or of a type");
    t.special("mark", "center|densest|TYPE|X,Y,Z", put_mark, mark_text,
              "draw a cross at the center of the picture, a density maximum or a place")
        .dimension = dimensions::length;
    t.text("path", &R::path, "FILE.csv",
           "draw the orbits in a table with columns x, y, z or center_x to center_z, and id if "
           "there are several");
    t.number("box", &R::box, ranges::side_or_none,
             "side of a periodic box, drawn with periodic images; 0: isolated; default: box in the "
             "file")
        .in(dimensions::length);
    t.number(
         "slice", &R::slice, positive,
         "thickness along the line of sight, about the center; default in a periodic box: a tenth "
         "of the side")
        .in(dimensions::length);
    t.number("azimuth", &R::azimuth, any, "rotation about z in degrees, before the tilt");
    t.number("inclination", &R::inclination, any,
             "tilt in degrees: 0 looks down the z axis, 90 along +y");
    t.number("orbit", &R::orbit, between(2, 10000),
             "rotate by 1/N of a circle about z from picture to picture; makes N pictures of a "
             "single file");
    t.value("types", "TYPE,...", &R::types, parse_particle_types,
            "particle types to show; default: disk, bulge and stars (2,3,4), which a halo would "
            "hide, or all types without them");
    t.group("Colours");
    t.choice("quantity", &R::quantity,
             {{"density", Pictured::density},
              {"velocity", Pictured::velocity},
              {"dispersion", Pictured::dispersion},
              {"potential", Pictured::potential}},
             "surface density, or the mass-weighted mean along the line of sight of receding "
             "velocity, velocity dispersion or potential");
    t.flag("components", &R::components, "one colour per particle type, by density");
    t.number("min", &R::min, any, "value of the first colour; default: from percentiles")
        .in(dimensions::surface_density);
    t.number("max", &R::max, any, "value of the last colour").in(dimensions::surface_density);
    OptionWords<ColourMap> maps;
    for (const std::string& name : colour_map_names())
        maps.emplace_back(name, colour_map_named(name));
    t.choice("colour-map", &R::colour_map, maps,
             "colours; default: inferno (logarithm of density), coolwarm (velocity), magma "
             "(dispersion), viridis (potential)");
    t.flag("axes", &R::axes,
           "ticks with lengths from the center at two edges, instead of the scale bar");
    t.flag("no-labels", &R::no_labels, "leave out time, scale bar and colour bar");
    t.flag("no-colour-bar", &R::no_colour_bar, "leave out the colour bar");
    return t.take();
}

} // namespace

const std::vector<OptionRow<R>>& picture_settings()
{
    static const std::vector<OptionRow<R>> all = rows();
    return all;
}

} // namespace chamomile
