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

std::string followed_text(const R& view)
{
    if (!view.follow)
        return "";
    return *view.follow < 0 ? "densest" : type_names[std::size_t(*view.follow)];
}

std::vector<OptionRow<R>> rows()
{
    using namespace ranges;
    OptionRows<R> t;
    t.group("View");
    t.number("width", &R::width, between(16, 16384), "pixels across");
    t.number("height", &R::height, between(16, 16384), "pixels upwards");
    t.number(
         "fov", &R::field_of_view, positive,
         "length across the picture; the side of a periodic box, or what holds 98 % of the mass, "
         "unless given")
        .in(dimensions::length);
    t.value("center", "X,Y,Z", &R::centre, parse_vector,
            "middle of the picture; of a periodic box its own, else the centre of mass of what is "
            "shown, unless given")
        .dimension = dimensions::length;
    t.special("follow", "densest|TYPE", put_followed, followed_text,
              "each picture's middle is its densest place, of all that is shown or of a type");
    t.number(
         "box", &R::box, ranges::side_or_none,
         "side of a periodic box, whose images are drawn across its faces; 0: isolated; that of "
         "the file unless given")
        .in(dimensions::length);
    t.number(
         "slice", &R::slice, positive,
         "thickness along the line of sight, about the centre; of a periodic box a tenth of its "
         "side unless given")
        .in(dimensions::length);
    t.number("azimuth", &R::azimuth, any, "degrees that the scene is turned about z first");
    t.number("inclination", &R::inclination, any,
             "degrees of tilt: 0 looks down the z axis, 90 along +y");
    t.number("orbit", &R::orbit, between(2, 10000),
             "turn each picture by 1/N of a circle more about z; of one file N pictures are made");
    t.value("types", "TYPE,...", &R::types, parse_particle_types,
            "particle types shown; unless given disk, bulge and stars (2,3,4) where there are "
            "any, because a halo hides them, or else all");
    t.group("Colours");
    t.choice(
        "quantity", &R::quantity,
        {{"density", Pictured::density},
         {"velocity", Pictured::velocity},
         {"dispersion", Pictured::dispersion},
         {"potential", Pictured::potential}},
        "surface density, or the mean along the line of sight, weighted by mass, of the velocity "
        "away, its dispersion or the potential");
    t.flag("components", &R::components, "a colour for each type, by its density");
    t.number("min", &R::min, any, "value of the first colour; from percentiles unless given")
        .in(dimensions::surface_density);
    t.number("max", &R::max, any, "value of the last colour").in(dimensions::surface_density);
    OptionWords<ColourMap> maps;
    for (const std::string& name : colour_map_names())
        maps.emplace_back(name, colour_map_named(name));
    t.choice(
        "colour-map", &R::colour_map, maps,
        "colours; inferno of the logarithm of the density, coolwarm of the velocity, magma of its "
        "dispersion, viridis of the potential unless given");
    t.flag("axes", &R::axes,
           "ticks with lengths from the middle at two edges, in place of the scale bar");
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
