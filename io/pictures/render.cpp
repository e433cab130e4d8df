#include "chamomile/io/pictures/render.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <string>

#include "chamomile/core/error.hpp"
#include "chamomile/core/number_text.hpp"
#include "chamomile/core/options/quantity.hpp"
#include "chamomile/core/particle_types.hpp"
#include "chamomile/core/version.hpp"
#include "chamomile/io/pictures/marks.hpp"
#include "chamomile/io/pictures/paths.hpp"
#include "chamomile/io/unit_conversion.hpp"

namespace chamomile {
namespace {

[[noreturn]] void refuse(const char* option, double value, const char* requirement)
{
    char text[200];
    std::snprintf(text, sizeof text, "%s: %.9g: %s", option, value, requirement);
    throw Error(Fault::usage, text);
}

void check(const RenderOptions& o)
{
    if (o.width < 16 || o.width > 16384)
        refuse("picture width", o.width, "must be between 16 and 16384 pixels");
    if (o.height < 16 || o.height > 16384)
        refuse("picture height", o.height, "must be between 16 and 16384 pixels");
    if (o.field_of_view && !(*o.field_of_view > 0 && std::isfinite(*o.field_of_view)))
        refuse("field of view", *o.field_of_view, "must be positive");
    if (o.slice && !(*o.slice > 0 && std::isfinite(*o.slice)))
        refuse("slice", *o.slice, "must be positive");
    if (o.box && !(*o.box >= 0 && std::isfinite(*o.box)))
        refuse("box", *o.box, "must be positive, or 0 for isolated particles");
    if (!std::isfinite(o.azimuth))
        refuse("azimuth", o.azimuth, "must be finite");
    if (!std::isfinite(o.inclination))
        refuse("inclination", o.inclination, "must be finite");
    for (const auto& [name, end] : {std::pair{"min", o.min}, std::pair{"max", o.max}})
        if (end && !std::isfinite(*end))
            refuse(name, *end, "must be finite");
        else if (end && o.quantity == Pictured::density && !(*end > 0))
            refuse(name, *end, "must be a positive surface density");
    if (o.min && o.max && *o.min >= *o.max)
        refuse("min", *o.min, "must be below max");
    for (int type : o.types)
        if (type < 0 || type > 5)
            refuse("particle type", type, "must be between 0 and 5");
    if (o.follow && (*o.follow < RenderOptions::densest || *o.follow > 5))
        refuse("particle type to follow", *o.follow, "must be between 0 and 5");
    if (o.mark && !std::isfinite(o.mark->x + o.mark->y + o.mark->z))
        refuse("mark", o.mark->x, "must be finite");
    if (o.components && o.quantity != Pictured::density)
        throw Error(Fault::usage, "components: need quantity density");
    if (o.components && o.colour_map)
        throw Error(Fault::usage, "colour map: contradicts components");
    if (o.center && !std::isfinite(o.center->x + o.center->y + o.center->z))
        refuse("center", o.center->x, "must be finite");
}

/// Returns types 2, 3, 4 (disk, bulge, stars) if any such particle exists, otherwise all types.
std::vector<int> default_types(const Particles& particles)
{
    for (std::uint8_t type : particles.type)
        if (type >= 2 && type <= 4)
            return {2, 3, 4};
    return {0, 1, 2, 3, 4, 5};
}

std::uint8_t bits_of(const std::vector<int>& types)
{
    std::uint8_t bits = 0;
    for (int type : types)
        bits |= std::uint8_t(1 << type);
    return bits;
}

/// The particles of some types. They weigh their masses, or 1 each if all masses are 0.
struct Shown {
    std::uint8_t types = 0; ///< bit t: type t
    double count = 0, mass = 0;
    bool are_counts = false;
};

Shown shown(const Particles& particles, const std::vector<int>& types)
{
    Shown found{.types = bits_of(types)};
    for (std::size_t i = 0; i < particles.size(); ++i)
        if (found.types >> particles.type[i] & 1) {
            ++found.count;
            found.mass += particles.mass[i];
        }
    if (found.count == 0)
        throw Error(Fault::input, "particle types: " + types_text(types) +
                                      ": no such particles, but " + types_of(particles));
    found.are_counts = found.mass == 0;
    if (found.are_counts)
        found.mass = found.count;
    return found;
}

/// Returns sums over the snapshot's particles. Throws Error(input) for a position that is not
/// finite.
PictureSums sums_of(const Snapshot& snapshot)
{
    const Particles& particles = snapshot.particles;
    for (std::size_t i = 0; i < particles.size(); ++i)
        if (const Vec3<double>& r = particles.position[i]; !std::isfinite(r.x + r.y + r.z))
            throw Error(Fault::input, "particle " + std::to_string(particles.id[i]) +
                                          ": position: must be finite");
    return [&particles](const PictureRequest& request) {
        Communicator alone;
        return picture_sum(request, PicturedParticles(particles), alone);
    };
}

/// Returns the volume of a view that has a center.
PictureFrame frame_of(const RenderOptions& view)
{
    const Periodicity box{*view.box};
    PictureFrame frame{.azimuth = view.azimuth,
                       .inclination = view.inclination,
                       .center = *view.center,
                       .box = box,
                       .depth = view.slice ? 0.5 * *view.slice
                                : box      ? 0.5 * box.side
                                           : HUGE_VAL,
                       .width = view.width,
                       .height = view.height,
                       .field_of_view = view.field_of_view.value_or(0)};
    const double right = 0.65 * frame.field_of_view, top = right * view.height / view.width;
    if (box && std::max(right, top) > 3.5 * box.side)
        throw Error(Fault::usage, "field of view: " + std::to_string(frame.field_of_view) +
                                      ": must be at most five sides of the box");
    return frame;
}

/// A DensityRange holds the densities at the ends of the color map. Maps of other quantities fade
/// from `solid` to `low`.
struct DensityRange {
    double low, solid, high;
};

/// Returns the range of a picture: about 1/300 of the mass lies below `low`, 1/300 above `high`;
/// both are round. `low` is at least four times `one` (the density of a single point: up to four
/// together then have no blob of their own), unless 1/20 of the mass is fainter.
DensityRange range_of(const SurfaceDensity& density, double one)
{
    std::vector<double> values;
    for (double value : density.values)
        if (value > 0)
            values.push_back(value);
    if (values.empty())
        return {0.1, 0.2, 1};
    std::sort(values.begin(), values.end());
    const double total = std::accumulate(values.begin(), values.end(), 0.0);
    constexpr std::array fractions{1.0 / 300, 0.05, 0.1, 1 - 1.0 / 300};
    std::array<double, 4> found;
    found.fill(values.front());
    double below = 0;
    for (double value : values) {
        below += value;
        for (std::size_t k = 0; k < fractions.size(); ++k)
            if (below < total * fractions[k])
                found[k] = value;
    }
    const auto [faintest, faint, tenth, high] = found;
    const double few = 4 * one;
    const double lowest = std::min(std::max(faintest, std::min(few, faint)), 0.3 * high);
    const double low =
        rounded_up(lowest) <= std::max(faint, few) ? rounded_up(lowest) : rounded_down(lowest);
    return {low, std::max(1.5 * low, std::min(few, tenth)), rounded_up(high)};
}

/// A Scene holds the maps of a picture, and the options used for them.
struct Scene {
    RenderOptions options;            ///< completed
    SurfaceDensity density;           ///< or another quantity
    std::vector<double> opacity;      ///< for another quantity
    std::vector<SurfaceDensity> each; ///< by type, if types have colors
    bool are_counts = false;          ///< density is the number of massless particles per area
    bool is_empty = false;            ///< nothing is in view
};

SurfaceDensity map_of(const PictureRequest& request, const PictureSums& sums)
{
    const PictureFrame& frame = request.frame;
    return {frame.width, frame.height, frame.field_of_view / frame.width, sums(request)};
}

/// Returns the mass-weighted mean (or dispersion) of the quantity in each pixel, and NaN if the
/// density is below `min`.
SurfaceDensity mean_of(PictureRequest request, const PictureSums& sums,
                       const SurfaceDensity& density, double min)
{
    request.sum = PictureSum::lowest;
    request.lowest = sums(request)[0];
    request.sum = PictureSum::map;
    const auto moment = [&](int power) {
        request.power = power;
        return map_of(request, sums);
    };
    SurfaceDensity mean = moment(1);
    const bool is_dispersion = request.quantity == Pictured::dispersion;
    const SurfaceDensity square = is_dispersion ? moment(2) : SurfaceDensity{};
    for (std::size_t k = 0; k < mean.values.size(); ++k) {
        const double mass = density.values[k], first = mass > 0 ? mean.values[k] / mass : 0;
        mean.values[k] = !(mass > 0 && mass >= min) ? NAN
                         : is_dispersion
                             ? std::sqrt(std::max(0.0, square.values[k] / mass - first * first))
                             : request.lowest + first;
    }
    return mean;
}

/// Completes the color range of another quantity: 1/100 of the pixels lie beyond each end. The
/// range of a velocity is symmetric about 0, the range of a dispersion begins at 0.
void complete_range(RenderOptions& view, const SurfaceDensity& map)
{
    std::vector<double> values;
    for (double value : map.values)
        if (std::isfinite(value))
            values.push_back(view.quantity == Pictured::velocity ? std::abs(value) : value);
    std::sort(values.begin(), values.end());
    const auto at = [&](double part) {
        return values.empty() ? 0 : values[std::size_t(part * double(values.size() - 1))];
    };
    double low = at(0.01), high = at(0.99);
    if (view.quantity == Pictured::velocity)
        low = -high;
    if (view.quantity == Pictured::dispersion)
        low = 0;
    if (!(low < high))
        high = low + std::max(1.0, std::abs(low));
    round_ends(low, high);
    view.max = view.max.value_or(view.min ? std::max(high, *view.min + (high - low)) : high);
    view.min = view.min.value_or(std::min(low, *view.max - (high - low)));
}

/// Returns the opacity of each pixel: 0 at `low`, 1 from `solid` upwards.
std::vector<double> opacity_of(const SurfaceDensity& density, const DensityRange& range)
{
    std::vector<double> opacity;
    for (double value : density.values)
        opacity.push_back(std::clamp((value - range.low) / (range.solid - range.low), 0.0, 1.0));
    return opacity;
}

enum class Emptiness { refused, allowed };

Scene compose(const Snapshot& snapshot, const RenderOptions& options,
              const PictureSums& elsewhere = {}, Emptiness emptiness = Emptiness::refused)
{
    check(options);
    RenderOptions completed = options;
    if (completed.types.empty())
        completed.types = default_types(snapshot.particles);
    const Shown all = shown(snapshot.particles, completed.types);
    const PictureSums sums = elsewhere ? elsewhere : sums_of(snapshot);
    PictureRequest request{
        .types = all.types, .are_counts = all.are_counts, .quantity = options.quantity};
    const auto place = [&](PictureSum sum, std::uint8_t of) {
        PictureRequest asked = request;
        asked.sum = sum;
        asked.types = of;
        const std::vector<double> found = sums(asked);
        return Vec3<double>{found[0], found[1], found[2]};
    };
    completed.box = completed.box.value_or(snapshot.box_size);
    const double side = *completed.box;
    if (completed.follow)
        completed.center.reset(); // always start the search from the same place
    if (side > 0) {
        completed.center = completed.center.value_or(Vec3<double>{side / 2, side / 2, side / 2});
        completed.field_of_view = completed.field_of_view.value_or(side);
        completed.slice = completed.slice.value_or(0.1 * side);
    }
    if (!completed.center)
        completed.center = place(PictureSum::center, all.types);
    request.frame = frame_of(completed);
    const auto densest = [&](int type) {
        return place(PictureSum::densest,
                     type < 0 ? all.types : shown(snapshot.particles, {type}).types);
    };
    if (completed.follow)
        completed.center = densest(*completed.follow);
    if (completed.mark_at) {
        request.frame.center = *completed.center;
        completed.mark = *completed.mark_at == RenderOptions::middle ? *completed.center
                                                                     : densest(*completed.mark_at);
    }
    if (!completed.path.empty() && completed.orbits.empty())
        completed.orbits = read_paths(completed.path, unit_frame_of(snapshot));
    request.frame = frame_of(completed);
    const bool is_complete = completed.field_of_view && completed.min && completed.max;
    if (!completed.field_of_view) {
        request.sum = PictureSum::width;
        completed.field_of_view = request.frame.field_of_view = sums(request)[0];
        request.sum = PictureSum::map;
    }
    SurfaceDensity density = map_of(request, sums);
    const bool is_empty = std::none_of(density.values.begin(), density.values.end(),
                                       [](double value) { return value > 0; });
    if (is_empty && !is_complete && emptiness == Emptiness::refused)
        throw Error(
            Fault::input,
            std::string(completed.slice ? "slice" : "view") +
                ": no particles: must contain particles" +
                (side > 0 ? "; {box} 0 (frames: {frame-box}=0) treats particles as isolated" : ""));
    const double one = density_of_one(all.mass / all.count, density);
    if (completed.quantity != Pictured::density) {
        if (completed.quantity == Pictured::potential && !snapshot.has_potentials)
            throw Error(Fault::input,
                        "potential: missing in the snapshot; 'chamomile force' adds potentials");
        const DensityRange range = range_of(density, one);
        SurfaceDensity map = mean_of(request, sums, density, range.low);
        complete_range(completed, map);
        return {completed, std::move(map), opacity_of(density, range),
                {},        all.are_counts, is_empty};
    }
    if (!completed.min || !completed.max) {
        auto [low, solid, high] = range_of(density, one);
        if (side > 0) {
            const double mean = all.mass * *completed.slice / (side * side * side);
            low = rounded_down(std::min(low, completed.box_min * mean));
            high = rounded_up(std::max(high, completed.box_max * mean));
        }
        completed.max =
            completed.max.value_or(completed.min ? std::max(high, 10 * *completed.min) : high);
        completed.min = completed.min.value_or(std::min(low, 0.1 * *completed.max));
    }
    std::vector<SurfaceDensity> each;
    if (completed.components)
        for (int type : completed.types) {
            request.weighed = std::uint8_t(1 << type);
            each.push_back(map_of(request, sums));
        }
    return {completed, std::move(density), {}, std::move(each), all.are_counts, is_empty};
}

/// Returns those `types` that the snapshot contains.
std::vector<int> present_types(const Snapshot& snapshot, const std::vector<int>& types)
{
    std::vector<int> present;
    for (int type : types)
        if (std::count(snapshot.particles.type.begin(), snapshot.particles.type.end(), type))
            present.push_back(type);
    return present;
}

} // namespace

RenderOptions complete_view(const Snapshot& snapshot, const RenderOptions& options,
                            const PictureSums& sums)
{
    return compose(snapshot, options, sums).options;
}

RenderOptions widen_colours(const RenderOptions& view, const RenderOptions& asked,
                            const Snapshot& later)
{
    RenderOptions widened = view;
    widened.min = asked.min;
    widened.max = asked.max;
    const Scene scene = compose(later, widened, {}, Emptiness::allowed);
    widened = view;
    if (!scene.is_empty) {
        widened.min = std::min(*view.min, *scene.options.min);
        widened.max = std::max(*view.max, *scene.options.max);
    }
    if (view.quantity != Pictured::density && !asked.min && !asked.max)
        round_ends(*widened.min, *widened.max);
    return widened;
}

SurfaceDensity surface_density(const Snapshot& snapshot, const RenderOptions& options)
{
    return compose(snapshot, options).density;
}

Image render_snapshot(const Snapshot& snapshot, const RenderOptions& options,
                      const PictureSums& sums)
{
    const Scene scene = compose(snapshot, options, sums);
    const RenderOptions& view = scene.options;
    Image image(options.width, options.height);
#pragma omp parallel for
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x) {
            Colour& pixel = image.at(x, y);
            const double value = scene.density.at(x, y);
            if (scene.each.empty() && std::isfinite(value))
                pixel = colour_at(part_of(value, view), view, -1);
            if (!scene.opacity.empty())
                pixel = dimmed(pixel, scene.opacity[std::size_t(y * image.width() + x)]);
            for (std::size_t k = 0; k < scene.each.size(); ++k) {
                const Colour own =
                    colour_at(part_of(scene.each[k].at(x, y), view), view, view.types[k]);
                for (std::size_t c = 0; c < 3; ++c)
                    pixel[c] = std::uint8_t(std::min(255, pixel[c] + own[c]));
            }
        }
    const Meaning meaning = scene.are_counts && view.quantity == Pictured::density
                                ? Meaning{"number density", Dimension{-2}, {}}
                                : meaning_of(view.quantity);
    const std::string unit =
        snapshot.units.physical ? unit_name(meaning.dimension, snapshot.units) : "N-body units";
    draw_paths(image, view);
    if (!options.no_labels)
        draw_labels(image, snapshot, view);
    if (!options.no_labels && !options.no_colour_bar)
        draw_colour_bar(image, view,
                        view.components ? present_types(snapshot, view.types) : std::vector<int>{},
                        meaning.name + (snapshot.units.physical ? " [" + unit + "]" : ""));
    image.texts = {{"Software", std::string("chamomile ") + version},
                   {"Quantity", meaning.name},
                   {"Unit", unit},
                   {"Least", number_text(*view.min)},
                   {"Most", number_text(*view.max)},
                   {"Time", time_label(snapshot)}};
    if (scene.is_empty)
        image.texts.push_back({"Comment", "no particles in view"});
    return image;
}

} // namespace chamomile
