#include "chamomile/io/pictures/render.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <string>

#include "chamomile/core/error.hpp"
#include "chamomile/core/number_text.hpp"
#include "chamomile/core/particle_types.hpp"
#include "chamomile/core/quantity.hpp"
#include "chamomile/core/version.hpp"
#include "chamomile/io/pictures/frame.hpp"
#include "chamomile/io/pictures/labels.hpp"
#include "chamomile/io/pictures/projection.hpp"

namespace chamomile {
namespace {

constexpr double kpc_in_cm = 3.085678e21, year_in_s = 3.155815e7; // sidereal, as in GADGET

/// The colours of components, by type.
constexpr Colour component_colours[] = {{64, 230, 191}, {255, 107, 31},  {64, 140, 255},
                                        {255, 217, 89}, {204, 217, 255}, {204, 77, 255}};

/// A Meaning is what a quantity is called and measured in, and how it is coloured.
struct Meaning {
    const char* name;
    Dimension dimension;
    ColourMap map;
};

const Meaning& meaning_of(Pictured quantity)
{
    static const Meaning meanings[] = {
        {"surface density", dimensions::surface_density, ColourMap::inferno},
        {"velocity away", dimensions::velocity, ColourMap::coolwarm},
        {"velocity dispersion", dimensions::velocity, ColourMap::magma},
        {"potential", dimensions::potential, ColourMap::viridis}};
    return meanings[int(quantity)];
}

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
    if (o.components && o.quantity != Pictured::density)
        throw Error(Fault::usage, "components: are shown by their density alone");
    if (o.components && o.colour_map)
        throw Error(Fault::usage, "colour map: contradicts components, which have their own");
    if (o.centre && !std::isfinite(o.centre->x + o.centre->y + o.centre->z))
        refuse("centre", o.centre->x, "must be finite");
}

/// Returns disk, bulge and stars if there are any, or else every type.
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
                                          ": position: not finite: cannot be rendered");
        indices.push_back(Index(i));
    }
    if (indices.empty())
        throw Error(Fault::input, "particle types: none of those chosen: nothing to render");
    return indices;
}

/// Returns the weights in the picture: the masses, or 1 if all that is shown has none.
std::vector<double> weights(const Particles& particles, const std::vector<Index>& indices)
{
    std::vector<double> masses;
    for (Index i : indices)
        masses.push_back(particles.mass[i]);
    if (std::all_of(masses.begin(), masses.end(), [](double mass) { return mass == 0; }))
        masses.assign(masses.size(), 1);
    return masses;
}

/// Returns the side of the periodic box, or 0 for isolated particles.
double box_of(const Snapshot& snapshot)
{
    const double side = snapshot.box_size;
    const bool all_inside =
        std::all_of(snapshot.particles.position.begin(), snapshot.particles.position.end(),
                    [&](const Vec3<double>& r) {
                        return std::min({r.x, r.y, r.z}) >= 0 && std::max({r.x, r.y, r.z}) <= side;
                    });
    return side > 0 && all_inside ? side : 0;
}

/// Returns all points in the picture, including images in a periodic box.
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

/// Returns the densest place of particles: the middle of those in the fullest of 4^3 cells becomes
/// the middle of a cube of half the side, until no more than 50 are in it.
Vec3<double> densest_place(const Particles& particles, std::vector<Index> inside,
                           Vec3<double> centre, Periodicity box)
{
    const auto seen = [&](Index i) { return box.nearest(particles.position[i] - centre); };
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
        Vec3<double> sum;
        for (Index i : fullest)
            sum += seen(i);
        centre += (1 / double(fullest.size())) * sum;
        half *= 0.5;
        std::erase_if(inside, [&](Index i) { return norm_max(seen(i)) > half; });
    }
    return box.wrapped(centre);
}

/// Returns a round number (1, 2 or 5 times a power of ten) that is at least x.
double rounded_up(double x)
{
    const double power = std::pow(10, std::floor(std::log10(x)));
    for (double step : {1.0, 2.0, 5.0})
        if (step * power >= 0.999999 * x)
            return step * power;
    return 10 * power;
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

/// Returns the range of colours: 1/300 of the mass lies below its lower and above its upper
/// density.
std::pair<double, double> range_of(const SurfaceDensity& density)
{
    std::vector<double> values;
    for (double value : density.values)
        if (value > 0)
            values.push_back(value);
    if (values.empty())
        return {0.1, 1};
    std::sort(values.begin(), values.end());
    const double total = std::accumulate(values.begin(), values.end(), 0.0);
    double low = values.front(), high = values.back(), below = 0;
    for (double value : values) {
        below += value;
        if (below < total / 300)
            low = value;
        if (below < total * (1 - 1.0 / 300))
            high = value;
    }
    return {std::min(low, 0.3 * high), high};
}

std::string short_number(double value)
{
    char text[64];
    std::snprintf(text, sizeof text, "%.3g", value);
    return text;
}

/// A Letters holds the sizes of the labels of a picture, in pixels.
struct Letters {
    double height; ///< of capitals
    int margin, line;
    explicit Letters(const Image& image)
        : height(std::max(7.0, std::min(image.width(), image.height()) / 62.0)),
          margin(int(std::lround(1.6 * height))), line(std::max(1, int(std::lround(height / 5))))
    {}
};

constexpr Colour white = {240, 240, 240};

/// Returns the time or redshift of a picture in words.
std::string time_label(const Snapshot& snapshot)
{
    char text[64];
    if (snapshot.comoving)
        std::snprintf(text, sizeof text, "z = %.2f", 1 / snapshot.comoving->scale_factor - 1);
    else if (const Units& units = snapshot.units; units.physical)
        std::snprintf(text, sizeof text, "t = %.3f Gyr%s",
                      snapshot.time * units.length_in_cm / units.velocity_in_cm_per_s /
                          (1e9 * year_in_s),
                      units.per_hubble ? "/h" : "");
    else
        std::snprintf(text, sizeof text, "t = %.2f N-body units", snapshot.time);
    return text;
}

/// Draws the scale bar at the lower left and the time at the upper left.
void draw_labels(Image& image, const Snapshot& snapshot, double field_of_view)
{
    const Letters letters(image);
    double unit = 1;
    std::string name = "N-body units";
    if (const Units& units = snapshot.units; units.physical) {
        const double kpc = units.length_in_cm / kpc_in_cm;
        const bool is_large = kpc * field_of_view > 5000, is_small = kpc * field_of_view < 0.2;
        unit = is_large ? kpc / 1000 : is_small ? 1000 * kpc : kpc;
        name = std::string(is_large   ? "Mpc"
                           : is_small ? "pc"
                                      : "kpc") +
               (units.per_hubble ? "/h" : "");
    }
    const double bar = rounded_up(field_of_view * unit / 10);
    const int pixels = int(std::lround(bar / unit / field_of_view * image.width()));
    const int bottom = image.height() - letters.margin;
    draw_rectangle(image, letters.margin, bottom - letters.line, pixels, letters.line, white);
    draw_text(image, letters.margin, bottom - letters.line - 0.8 * letters.height, letters.height,
              short_number(bar) + " " + name, white);
    draw_text(image, letters.margin, letters.margin + letters.height, letters.height,
              time_label(snapshot), white);
}
/// A Scene is what a picture shows: its maps, with the options that they were made by.
struct Scene {
    RenderOptions options;            ///< completed
    SurfaceDensity density;           ///< of all that is shown, or the quantity
    std::vector<SurfaceDensity> each; ///< of each of the types, where they have colours
};

/// Returns a number for each particle, of which the picture shows the mean.
std::vector<double> values_of(const Snapshot& snapshot, const std::vector<Index>& indices,
                              const RenderOptions& view)
{
    if (view.quantity == Pictured::potential && !snapshot.has_potentials)
        throw Error(Fault::input, "potential: the snapshot has none: 'chamomile force' adds them");
    const View turn(view.azimuth, view.inclination);
    std::vector<double> values;
    for (Index i : indices)
        values.push_back(view.quantity == Pictured::potential
                             ? snapshot.particles.potential[i]
                             : -turn(snapshot.particles.velocity[i]).z);
    return values;
}

/// Returns the mean of the values, weighted by mass, or their dispersion, in each pixel; it is not
/// a number where the density is below `least`.
SurfaceDensity mean_of(const Snapshot& snapshot, const std::vector<Index>& indices,
                       const std::vector<double>& masses, const SurfaceDensity& density,
                       double least, const RenderOptions& view)
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
        mean.values[k] = !(mass > 0 && mass >= least) ? NAN
                         : is_dispersion
                             ? std::sqrt(std::max(0.0, square.values[k] / mass - first * first))
                             : lowest + first;
    }
    return mean;
}

/// Completes the range of a quantity that is no density: 1/100 of the pixels lie beyond each end.
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
    view.max = view.max.value_or(view.min ? std::max(high, *view.min + (high - low)) : high);
    view.min = view.min.value_or(std::min(low, *view.max - (high - low)));
}

Scene compose(const Snapshot& snapshot, const RenderOptions& options)
{
    check(options);
    RenderOptions completed = options;
    if (completed.types.empty())
        completed.types = default_types(snapshot.particles);
    const std::vector<Index> indices = shown(snapshot.particles, completed.types);
    const std::vector<double> masses = weights(snapshot.particles, indices);
    completed.box = completed.box.value_or(box_of(snapshot));
    const double side = *completed.box;
    if (completed.follow)
        completed.centre.reset(); // the search has one beginning, whatever was shown before
    if (side > 0) {
        completed.centre = completed.centre.value_or(Vec3<double>{side / 2, side / 2, side / 2});
        completed.field_of_view = completed.field_of_view.value_or(side);
        completed.slice = completed.slice.value_or(0.1 * side);
    }
    if (!completed.centre) {
        double mass = 0;
        Vec3<double> sum;
        for (std::size_t k = 0; k < indices.size(); ++k) {
            mass += masses[k];
            sum += masses[k] * snapshot.particles.position[indices[k]];
        }
        completed.centre = (1 / mass) * sum;
    }
    if (completed.follow)
        completed.centre = densest_place(
            snapshot.particles,
            *completed.follow < 0 ? indices : shown(snapshot.particles, {*completed.follow}),
            *completed.centre, Periodicity{side});
    const std::vector<ProjectedPoint> points =
        projected(snapshot.particles, indices, masses, completed);
    const bool is_complete = completed.field_of_view && completed.min && completed.max;
    if (points.empty() && !is_complete)
        throw Error(Fault::input, std::string(completed.slice ? "slice" : "view") +
                                      ": no particles in it: nothing to render");
    if (!completed.field_of_view)
        completed.field_of_view = width_of(points, double(completed.width) / completed.height);
    SurfaceDensity density =
        project(points, completed.width, completed.height, *completed.field_of_view);
    if (completed.quantity != Pictured::density) {
        SurfaceDensity map =
            mean_of(snapshot, indices, masses, density, range_of(density).first, completed);
        complete_range(completed, map);
        return {completed, std::move(map), {}};
    }
    if (!completed.min || !completed.max) {
        auto [low, high] = range_of(density);
        if (side > 0) {
            const double mean = std::accumulate(masses.begin(), masses.end(), 0.0) *
                                *completed.slice / (side * side * side);
            low = std::min(low, 0.4 * mean);
            high = std::max(high, 20 * mean);
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
    return {completed, std::move(density), std::move(each)};
}

/// Returns where a value lies between the ends of the colours, from 0 to 1.
double part_of(double value, const RenderOptions& view)
{
    if (view.quantity == Pictured::density)
        return value > 0 ? std::log(value / *view.min) / std::log(*view.max / *view.min) : 0;
    return (value - *view.min) / (*view.max - *view.min);
}

Colour dimmed(Colour colour, double part)
{
    for (std::uint8_t& channel : colour)
        channel = std::uint8_t(std::lround(channel * std::clamp(part, 0.0, 1.0)));
    return colour;
}

/// Returns the colour of a part of the range; `type` is the component, or negative.
Colour colour_at(double part, const RenderOptions& view, int type)
{
    return type < 0 ? colour_of(part, view.colour_map.value_or(meaning_of(view.quantity).map))
                    : dimmed(component_colours[type], part);
}

/// Returns the values of the ticks: with `is_log` the powers of ten and their multiples, else some
/// four round numbers.
std::vector<double> ticks_of(double low, double high, bool is_log)
{
    std::vector<double> ticks;
    if (is_log && high / low > 3) {
        const int first = int(std::floor(std::log10(low)));
        const bool has_minor = high / low < 1e4;
        for (int k = first; std::pow(10.0, k) <= high; ++k)
            for (int m = 1; m <= (has_minor ? 9 : 1); ++m)
                if (const double tick = m * std::pow(10.0, k); tick > low && tick < high)
                    ticks.push_back(tick);
        return ticks;
    }
    const double step = rounded_up((high - low) / 5);
    for (double k = std::ceil(low / step); k * step < high; ++k)
        if (k * step > low)
            ticks.push_back(k * step);
    return ticks;
}

/// Draws the colour bar at the lower right, one for each component: quantity and unit above it,
/// the numbers at its ends below it, and ticks with theirs where there is room between these.
void draw_colour_bar(Image& image, const RenderOptions& view, const std::vector<int>& types,
                     const std::string& title)
{
    const Letters letters(image);
    const bool has_components = !types.empty();
    const int width = std::max(8, int(0.4 * image.width())),
              height = int((has_components ? 1.6 : 1.1) * letters.height);
    const int left = image.width() - letters.margin - width;
    const double low = *view.min, high = *view.max, numbers = image.height() - letters.margin;
    int top = int(numbers - 1.9 * letters.height) - height;
    for (std::size_t k = std::max<std::size_t>(1, types.size()); k-- > 0; top -= height) {
        const int type = has_components ? types[k] : -1;
        for (int x = 0; x < width; ++x)
            draw_rectangle(image, left + x, top, 1, height,
                           colour_at(double(x) / (width - 1), view, type));
        if (has_components) {
            const std::string name = type_names[std::size_t(type)];
            draw_text(image, left - 0.6 * letters.height - text_width(name, letters.height),
                      top + 1.3 * letters.height, letters.height, name, component_colours[type]);
        }
    }
    top += height;
    const int bottom = int(numbers - 1.9 * letters.height);
    const std::string first = short_number(low), last = short_number(high);
    const double first_end = left + text_width(first, letters.height),
                 last_start = left + width - text_width(last, letters.height);
    draw_text(image, left, numbers, letters.height, first, white);
    draw_text(image, last_start, numbers, letters.height, last, white);
    double free = first_end + letters.height;
    const bool is_log = view.quantity == Pictured::density;
    for (double tick : ticks_of(low, high, is_log)) {
        const double x = left + part_of(tick, view) * width;
        const double digits = is_log ? std::log10(tick) : 0;
        const bool is_main = std::abs(digits - std::round(digits)) < 1e-9;
        draw_rectangle(image, int(x), bottom, letters.line / 2 + 1,
                       int((is_main ? 0.5 : 0.3) * letters.height), white);
        const std::string number = short_number(tick);
        const double half = 0.5 * text_width(number, letters.height);
        if (is_main && x - half > free && x + half + letters.height < last_start) {
            draw_text(image, x - half, numbers, letters.height, number, white);
            free = x + half + letters.height;
        }
    }
    draw_text(image, left + width - text_width(title, letters.height), top - 0.7 * letters.height,
              letters.height, title, white);
}

/// Returns the types of the completed options that the snapshot has.
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
            for (std::size_t k = 0; k < scene.each.size(); ++k) {
                const Colour own =
                    colour_at(part_of(scene.each[k].at(x, y), view), view, view.types[k]);
                for (std::size_t c = 0; c < 3; ++c)
                    pixel[c] = std::uint8_t(std::min(255, pixel[c] + own[c]));
            }
        }
    const Meaning& meaning = meaning_of(view.quantity);
    const std::string unit =
        snapshot.units.physical ? unit_name(meaning.dimension, snapshot.units) : "N-body units";
    if (!options.no_labels)
        draw_labels(image, snapshot, *view.field_of_view);
    if (!options.no_labels && !options.no_colour_bar)
        draw_colour_bar(image, view,
                        view.components ? present_types(snapshot, view.types) : std::vector<int>{},
                        std::string(meaning.name) + " [" + unit + "]");
    image.texts = {{"Software", std::string("chamomile ") + version},
                   {"Quantity", meaning.name},
                   {"Unit", unit},
                   {"Least", number_text(*view.min)},
                   {"Most", number_text(*view.max)},
                   {"Time", time_label(snapshot)}};
    return image;
}

} // namespace chamomile
