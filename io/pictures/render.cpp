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
#include "chamomile/io/pictures/frame.hpp"
#include "chamomile/io/pictures/marks.hpp"
#include "chamomile/io/pictures/paths.hpp"
#include "chamomile/io/pictures/projection.hpp"
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

std::vector<Index> shown(const Particles& particles, const std::vector<int>& types)
{
    bool wanted[256] = {};
    for (int type : types)
        wanted[type] = true;
    std::vector<Index> indices;
    for (std::size_t i = 0; i < particles.size(); ++i) {
        if (!wanted[particles.type[i]])
            continue;
        const Vec3<double>& r = particles.position[i];
        if (!std::isfinite(r.x + r.y + r.z))
            throw Error(Fault::input, "particle " + std::to_string(particles.id[i]) +
                                          ": position: must be finite");
        indices.push_back(Index(i));
    }
    if (indices.empty())
        throw Error(Fault::input, "particle types: " + types_text(types) +
                                      ": no such particles, but " + types_of(particles));
    return indices;
}

/// Returns the masses as weights for the picture. If all masses are 0, the weights are 1 and
/// `are_counts` becomes true.
std::vector<double> weights(const Particles& particles, const std::vector<Index>& indices,
                            bool& are_counts)
{
    std::vector<double> masses;
    for (Index i : indices)
        masses.push_back(particles.mass[i]);
    are_counts = std::all_of(masses.begin(), masses.end(), [](double mass) { return mass == 0; });
    if (are_counts)
        masses.assign(masses.size(), 1);
    return masses;
}

/// Returns all points inside the picture, including periodic images.
std::vector<ProjectedPoint> projected(const Particles& particles, const std::vector<Index>& indices,
                                      const std::vector<double>& masses, const RenderOptions& view)
{
    const Frame frame(view);
    std::vector<std::size_t> first(indices.size() + 1, 0);
#pragma omp parallel for
    for (std::size_t k = 0; k < indices.size(); ++k)
        frame.for_each_image(particles.position[indices[k]],
                             [&](const Vec3<double>&) { ++first[k + 1]; });
    for (std::size_t k = 0; k < indices.size(); ++k)
        first[k + 1] += first[k];
    std::vector<ProjectedPoint> points(first.back());
#pragma omp parallel for
    for (std::size_t k = 0; k < indices.size(); ++k) {
        std::size_t place = first[k];
        frame.for_each_image(particles.position[indices[k]], [&](const Vec3<double>& r) {
            points[place++] = {r.x, r.y, masses[k]};
        });
    }
    return points;
}

double norm_max(const Vec3<double>& r)
{
    return std::max({std::abs(r.x), std::abs(r.y), std::abs(r.z)});
}

/// Returns the densest place. Iteration: the centroid of the fullest of 4^3 cells becomes the
/// center of a cube of half the side, until at most 50 particles remain. Of so few particles from
/// the start: the centroid.
Vec3<double> densest_place(const Particles& particles, std::vector<Index> inside,
                           Vec3<double> center, Periodicity box)
{
    const auto seen = [&](Index i) { return box.nearest(particles.position[i] - center); };
    const auto centroid = [&](const std::vector<Index>& some) {
        Vec3<double> sum;
        for (Index i : some)
            sum += seen(i);
        return center + (1 / double(some.size())) * sum;
    };
    if (inside.size() <= 50)
        return box.wrapped(centroid(inside));
    double half = 0;
    for (Index i : inside)
        half = std::max(half, norm_max(seen(i)));
    half *= 1 + 1e-9;
    while (inside.size() > 50 && half > 0) {
        std::array<std::vector<Index>, 64> cells;
        const auto part = [&](double x) { return std::clamp(int(2 * (x / half + 1)), 0, 3); };
        for (Index i : inside) {
            const Vec3<double> r = seen(i);
            cells[std::size_t(16 * part(r.x) + 4 * part(r.y) + part(r.z))].push_back(i);
        }
        const auto& fullest =
            *std::max_element(cells.begin(), cells.end(),
                              [](const auto& a, const auto& b) { return a.size() < b.size(); });
        center = centroid(fullest);
        half *= 0.5;
        std::erase_if(inside, [&](Index i) { return norm_max(seen(i)) > half; });
    }
    return box.wrapped(center);
}

/// Returns 1.3 times the width that holds 98 % of the mass in both directions.
double width_of(std::vector<ProjectedPoint> points, double aspect)
{
    std::vector<std::pair<double, double>> extents;
    double total = 0, inside = 0;
    for (const ProjectedPoint& point : points) {
        extents.push_back({std::max(std::abs(point.x), std::abs(point.y) * aspect), point.mass});
        total += point.mass;
    }
    std::sort(extents.begin(), extents.end());
    for (const auto& [extent, mass] : extents)
        if ((inside += mass) >= 0.98 * total && extent > 0)
            return 2.6 * extent;
    return 1;
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

/// Returns one value per particle. The picture shows the mean value.
std::vector<double> values_of(const Snapshot& snapshot, const std::vector<Index>& indices,
                              const RenderOptions& view)
{
    if (view.quantity == Pictured::potential && !snapshot.has_potentials)
        throw Error(Fault::input,
                    "potential: missing in the snapshot; 'chamomile force' adds potentials");
    const View turn(view.azimuth, view.inclination);
    std::vector<double> values;
    for (Index i : indices)
        values.push_back(view.quantity == Pictured::potential
                             ? snapshot.particles.potential[i]
                             : -turn(snapshot.particles.velocity[i]).z);
    return values;
}

/// Returns the mass-weighted mean (or dispersion) of the values in each pixel, and NaN if the
/// density is below `min`.
SurfaceDensity mean_of(const Snapshot& snapshot, const std::vector<Index>& indices,
                       const std::vector<double>& masses, const SurfaceDensity& density, double min,
                       const RenderOptions& view)
{
    std::vector<double> values = values_of(snapshot, indices, view);
    const double lowest = *std::min_element(values.begin(), values.end());
    const auto moment = [&](int power) {
        std::vector<double> weights(masses);
        for (std::size_t k = 0; k < weights.size(); ++k)
            weights[k] *= std::pow(values[k] - lowest, power); // sums have one sign
        return project(projected(snapshot.particles, indices, weights, view), view.width,
                       view.height, *view.field_of_view);
    };
    SurfaceDensity mean = moment(1);
    const bool is_dispersion = view.quantity == Pictured::dispersion;
    const SurfaceDensity square = is_dispersion ? moment(2) : SurfaceDensity{};
    for (std::size_t k = 0; k < mean.values.size(); ++k) {
        const double mass = density.values[k], first = mass > 0 ? mean.values[k] / mass : 0;
        mean.values[k] = !(mass > 0 && mass >= min) ? NAN
                         : is_dispersion
                             ? std::sqrt(std::max(0.0, square.values[k] / mass - first * first))
                             : lowest + first;
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
              Emptiness emptiness = Emptiness::refused)
{
    check(options);
    RenderOptions completed = options;
    if (completed.types.empty())
        completed.types = default_types(snapshot.particles);
    const std::vector<Index> indices = shown(snapshot.particles, completed.types);
    bool are_counts = false;
    const std::vector<double> masses = weights(snapshot.particles, indices, are_counts);
    completed.box = completed.box.value_or(snapshot.box_size);
    const double side = *completed.box;
    if (completed.follow)
        completed.center.reset(); // always start the search from the same place
    if (side > 0) {
        completed.center = completed.center.value_or(Vec3<double>{side / 2, side / 2, side / 2});
        completed.field_of_view = completed.field_of_view.value_or(side);
        completed.slice = completed.slice.value_or(0.1 * side);
    }
    if (!completed.center) {
        double mass = 0;
        Vec3<double> sum;
        for (std::size_t k = 0; k < indices.size(); ++k) {
            mass += masses[k];
            sum += masses[k] * snapshot.particles.position[indices[k]];
        }
        completed.center = (1 / mass) * sum;
    }
    const auto densest = [&](int type) {
        return densest_place(snapshot.particles,
                             type < 0 ? indices : shown(snapshot.particles, {type}),
                             *completed.center, Periodicity{side});
    };
    if (completed.follow)
        completed.center = densest(*completed.follow);
    if (completed.mark_at)
        completed.mark = *completed.mark_at == RenderOptions::middle ? completed.center
                                                                     : densest(*completed.mark_at);
    if (!completed.path.empty() && completed.orbits.empty())
        completed.orbits = read_paths(completed.path, unit_frame_of(snapshot));
    const std::vector<ProjectedPoint> points =
        projected(snapshot.particles, indices, masses, completed);
    const bool is_complete = completed.field_of_view && completed.min && completed.max;
    const auto require = [&](bool is_seen) {
        if (!is_seen && !is_complete && emptiness == Emptiness::refused)
            throw Error(Fault::input,
                        std::string(completed.slice ? "slice" : "view") +
                            ": no particles: must contain particles" +
                            (side > 0
                                 ? "; {box} 0 (frames: {frame-box}=0) treats particles as isolated"
                                 : ""));
    };
    require(!points.empty());
    if (!completed.field_of_view)
        completed.field_of_view = width_of(points, double(completed.width) / completed.height);
    SurfaceDensity density =
        project(points, completed.width, completed.height, *completed.field_of_view);
    const bool is_empty = std::none_of(density.values.begin(), density.values.end(),
                                       [](double value) { return value > 0; });
    require(!is_empty);
    const double total = std::accumulate(masses.begin(), masses.end(), 0.0);
    const double one = density_of_one(total / double(masses.size()), density);
    if (completed.quantity != Pictured::density) {
        const DensityRange range = range_of(density, one);
        SurfaceDensity map = mean_of(snapshot, indices, masses, density, range.low, completed);
        complete_range(completed, map);
        return {completed, std::move(map), opacity_of(density, range), {}, are_counts, is_empty};
    }
    if (!completed.min || !completed.max) {
        auto [low, solid, high] = range_of(density, one);
        if (side > 0) {
            const double mean = total * *completed.slice / (side * side * side);
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
            std::vector<double> own(masses);
            for (std::size_t k = 0; k < own.size(); ++k)
                if (snapshot.particles.type[indices[k]] != type)
                    own[k] = 0;
            each.push_back(project(projected(snapshot.particles, indices, own, completed),
                                   completed.width, completed.height, *completed.field_of_view));
        }
    return {completed, std::move(density), {}, std::move(each), are_counts, is_empty};
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

RenderOptions complete_view(const Snapshot& snapshot, const RenderOptions& options)
{
    return compose(snapshot, options).options;
}

RenderOptions widen_colours(const RenderOptions& view, const RenderOptions& asked,
                            const Snapshot& later)
{
    RenderOptions widened = view;
    widened.min = asked.min;
    widened.max = asked.max;
    const Scene scene = compose(later, widened, Emptiness::allowed);
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

Image render_snapshot(const Snapshot& snapshot, const RenderOptions& options)
{
    const Scene scene = compose(snapshot, options);
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
