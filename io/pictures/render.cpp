#include "chamomile/io/pictures/render.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <string>

#include "chamomile/core/error.hpp"
#include "chamomile/io/pictures/frame.hpp"
#include "chamomile/io/pictures/labels.hpp"
#include "chamomile/io/pictures/projection.hpp"

namespace chamomile {
namespace {

constexpr double kpc_in_cm = 3.085678e21, year_in_s = 3.155815e7; // sidereal, as in GADGET

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
        if (end && !(*end > 0 && std::isfinite(*end)))
            refuse(name, *end, "must be a positive surface density");
    if (o.min && o.max && *o.min >= *o.max)
        refuse("min", *o.min, "must be below max");
    for (int type : o.types)
        if (type < 0 || type > 5)
            refuse("particle type", type, "must be between 0 and 5");
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

std::string number_with(const char* name, double value)
{
    char text[64];
    std::snprintf(text, sizeof text, "%.4g%s%s", value, *name ? " " : "", name);
    return text;
}

/// Draws the scale bar at the lower left and the time at the upper left.
void draw_labels(Image& image, const Snapshot& snapshot, double field_of_view)
{
    const int dot = std::max(1, std::min(image.width(), image.height()) / 400);
    const int margin = 12 * dot;
    const Colour white = {235, 235, 235};
    double length_unit = 1, time_unit = 1;
    const char *length_name = "", *time_name = "";
    const Units& units = snapshot.units;
    if (units.physical) {
        const double kpc = units.length_in_cm / kpc_in_cm;
        const bool mpc = kpc * field_of_view > 5000;
        length_unit = mpc ? kpc / 1000 : kpc;
        length_name = units.per_hubble ? (mpc ? "Mpc/h" : "kpc/h") : (mpc ? "Mpc" : "kpc");
        const double gyr = units.length_in_cm / units.velocity_in_cm_per_s / (1e9 * year_in_s);
        time_unit = gyr;
        time_name = units.per_hubble ? "Gyr/h" : "Gyr";
    }
    const double bar = rounded_up(field_of_view * length_unit / 10);
    const int pixels = int(std::lround(bar / length_unit / field_of_view * image.width()));
    const int bottom = image.height() - margin;
    draw_rectangle(image, margin, bottom - dot, pixels, dot, white);
    draw_text(image, margin, bottom - 5 * dot, dot, number_with(length_name, bar), white);
    char time[64];
    if (snapshot.comoving)
        std::snprintf(time, sizeof time, "z = %.2f", 1 / snapshot.comoving->scale_factor - 1);
    else
        std::snprintf(time, sizeof time, "t = %.2f%s%s", snapshot.time * time_unit,
                      *time_name ? " " : "", time_name);
    draw_text(image, margin, margin + 7 * dot, dot, time, white);
}

/// A Scene is what a picture shows: its surface density, with the options it was made by.
struct Scene {
    RenderOptions options; ///< completed
    SurfaceDensity density;
};

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
    if (side > 0) {
        completed.centre = completed.centre.value_or(Vec3<double>{side / 2, side / 2, side / 2});
        completed.field_of_view = completed.field_of_view.value_or(side);
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
    if (!completed.min || !completed.max) {
        auto [low, high] = range_of(density);
        if (side > 0) {
            const double mean = std::accumulate(masses.begin(), masses.end(), 0.0) *
                                completed.slice.value_or(side) / (side * side * side);
            low = std::min(low, 0.4 * mean);
            high = std::max(high, 20 * mean);
        }
        completed.max =
            completed.max.value_or(completed.min ? std::max(high, 10 * *completed.min) : high);
        completed.min = completed.min.value_or(std::min(low, 0.1 * *completed.max));
    }
    return {completed, std::move(density)};
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
    Image image(options.width, options.height);
    const double low = std::log(*scene.options.min), high = std::log(*scene.options.max);
#pragma omp parallel for
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x) {
            const double value = scene.density.at(x, y);
            const double part = value > 0 ? (std::log(value) - low) / (high - low) : 0;
            image.at(x, y) = colour_of(part, options.colour_map);
        }
    if (options.labels)
        draw_labels(image, snapshot, *scene.options.field_of_view);
    return image;
}

} // namespace chamomile
