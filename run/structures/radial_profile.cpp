#include "chamomile/run/structures/radial_profile.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "chamomile/core/error.hpp"
#include "chamomile/core/options/quantity.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/integrate/diagnostics.hpp"

namespace chamomile {
namespace {

using std::numbers::pi;

/// A Body is a particle relative to the center, with velocity along r, theta, phi or R, phi, z.
struct Body {
    double radius, distance, mass; ///< radius: for binning; distance: from the center
    Vec3<double> velocity;
    double z;
    int type;
};

/// Moments of the bodies in one bin.
struct Bin {
    double count = 0, mass = 0, heights = 0;
    Vec3<double> sum, squares;

    void add(const Body& body)
    {
        const Vec3<double>& v = body.velocity;
        count += 1;
        mass += body.mass;
        heights += body.mass * body.z * body.z;
        sum += body.mass * v;
        squares += body.mass * Vec3<double>{v.x * v.x, v.y * v.y, v.z * v.z};
    }
};

/// Returns the bodies sorted by binning radius.
std::vector<Body> seen_from(const Snapshot& snapshot, const ProfileRequest& request)
{
    const Particles& p = snapshot.particles;
    if (snapshot.box_size > 0 && !request.center)
        throw Error(Fault::usage, "profile: {center}: missing: needed in a periodic box");
    const double a = snapshot.comoving ? snapshot.comoving->scale_factor : 1;
    const Vec3<double> center = request.center ? *request.center : density_center(p);
    std::vector<Vec3<double>> places(p.size());
    std::vector<double> distances(p.size());
    for (std::size_t i = 0; i < p.size(); ++i) {
        Vec3<double> x = p.position[i] - center;
        if (const double side = snapshot.box_size; side > 0)
            x = {std::remainder(x.x, side), std::remainder(x.y, side), std::remainder(x.z, side)};
        places[i] = a * x;
        distances[i] = norm(places[i]);
    }
    std::vector<double> sorted = distances;
    std::nth_element(sorted.begin(), sorted.begin() + std::ptrdiff_t(p.size() / 2), sorted.end());
    double mass = 0;
    Vec3<double> motion;
    for (std::size_t i = 0; i < p.size(); ++i)
        if (distances[i] <= sorted[p.size() / 2]) {
            mass += p.mass[i];
            motion += p.mass[i] * p.velocity[i];
        }
    if (mass > 0)
        motion = (1 / mass) * motion;

    std::vector<Body> bodies;
    for (std::size_t i = 0; i < p.size(); ++i) {
        const Vec3<double> x = places[i], v = p.velocity[i] - motion;
        const double R = norm(Vec3<double>{x.x, x.y, 0}), r = distances[i];
        const double c = R > 0 ? x.x / R : 1, s = R > 0 ? x.y / R : 0;
        const double out = c * v.x + s * v.y, around = c * v.y - s * v.x;
        const double cosine = r > 0 ? x.z / r : 1, sine = r > 0 ? R / r : 0;
        const Vec3<double> velocity =
            request.cylinders
                ? Vec3<double>{out, around, v.z}
                : Vec3<double>{sine * out + cosine * v.z, cosine * out - sine * v.z, around};
        bodies.push_back({request.cylinders ? R : r, r, p.mass[i], velocity, x.z, int(p.type[i])});
    }
    std::sort(bodies.begin(), bodies.end(),
              [](const Body& one, const Body& other) { return one.radius < other.radius; });
    return bodies;
}

/// Returns the max radius for shells within the nearest periodic images.
double largest_radius(const Snapshot& snapshot)
{
    const double a = snapshot.comoving ? snapshot.comoving->scale_factor : 1;
    return snapshot.box_size > 0 ? 0.5 * a * snapshot.box_size
                                 : std::numeric_limits<double>::infinity();
}

void require_in_box(const char* option, const std::optional<double>& value, double max)
{
    if (value && *value > max)
        throw Error(Fault::usage,
                    formatted("%s: %.6g: must be at most half the side of the periodic box, %.6g",
                              option, *value, max));
}

std::vector<double> edges_of(const std::vector<Body>& bodies, const ProfileRequest& request,
                             double max)
{
    require_in_box("{r-max}", request.largest, max);
    require_in_box("{height}", request.height, max);
    const auto radius_of = [&](double part) {
        return bodies[std::min(std::size_t(part * double(bodies.size())), bodies.size() - 1)]
            .radius;
    };
    const double low = request.smallest.value_or(request.cylinders ? 0 : radius_of(0.01));
    const double high = request.largest.value_or(std::min(radius_of(0.99), max));
    if (!(low < high) || (!request.cylinders && low <= 0))
        throw Error(
            Fault::usage,
            formatted("profile: radii from %.6g to %.6g: the first must be %s and below the second",
                      low, high, request.cylinders ? "at least 0" : "above 0"));
    std::vector<double> edges;
    for (int k = 0; k <= request.bins; ++k) {
        const double part = double(k) / request.bins;
        edges.push_back(request.cylinders ? low + part * (high - low)
                                          : low * std::pow(high / low, part));
    }
    return edges;
}

/// Returns the headings with units.
std::vector<std::string> headings(const Snapshot& snapshot, bool cylinders)
{
    using namespace dimensions;
    const auto with = [&](const std::string& name, Dimension dimension) {
        if (!snapshot.comoving || dimension.length == 0 || dimension.time != 0)
            return heading(name, dimension, snapshot.units);
        const std::string unit = unit_name(dimension, snapshot.units);
        return name + " [physical" + (unit.empty() ? "" : " " + unit) + "]";
    };
    std::vector<std::string> names = {"type", with("r_low", length), with("r_high", length),
                                      "particles"};
    const std::string matter =
        with(cylinders ? "surface_density" : "density", cylinders ? surface_density : density);
    names.push_back(matter);
    names.push_back("error of " + matter);
    names.push_back(with("mass_inside", mass));
    if (!cylinders)
        names.push_back(with("circular_speed", velocity));
    for (const char* name :
         {cylinders ? "mean_v_R" : "mean_v_r", "mean_v_phi", cylinders ? "sigma_R" : "sigma_r",
          cylinders ? "sigma_phi" : "sigma_theta", cylinders ? "sigma_z" : "sigma_phi"})
        names.push_back(with(name, velocity));
    names.emplace_back("relative error of sigma");
    if (cylinders)
        names.push_back(with("rms_z", length));
    else {
        names.emplace_back("anisotropy");
        names.emplace_back("error of anisotropy");
    }
    return names;
}

/// Returns a number with six digits, or an empty text if not finite.
std::string cell(double value)
{
    return std::isfinite(value) ? formatted("%.6g", value) : "";
}

} // namespace

std::string profile_note(const Snapshot& snapshot, const ProfileRequest& request)
{
    if (!(snapshot.box_size > 0) || request.largest)
        return "";
    return formatted("%s reach at most %.6g, half the side of the periodic box",
                     request.cylinders ? "rings" : "shells", largest_radius(snapshot));
}

std::string profile_table(const Snapshot& snapshot, const ProfileRequest& request)
{
    const std::vector<Body> bodies = seen_from(snapshot, request);
    const std::vector<double> edges = edges_of(bodies, request, largest_radius(snapshot));
    const double height = request.height.value_or(std::numeric_limits<double>::infinity());
    const double nothing = std::numeric_limits<double>::quiet_NaN();
    const std::size_t n = edges.size() - 1;

    std::vector<int> types = {-1};
    for (int type = 0; type < 6; ++type)
        if (std::any_of(bodies.begin(), bodies.end(),
                        [type](const Body& body) { return body.type == type; }))
            types.push_back(type);
    if (types.size() == 2)
        types.pop_back();

    Table table(headings(snapshot, request.cylinders));
    for (int type : types) {
        std::vector<Bin> bins(n);
        double within = 0; // mass inside the first edge
        for (const Body& body : bodies) {
            if ((type >= 0 && body.type != type) || std::abs(body.z) > height)
                continue;
            const auto above = std::upper_bound(edges.begin(), edges.end(), body.radius);
            const auto k = std::size_t(above - edges.begin()); // 0: inside the first edge
            if (k == 0)
                within += body.mass;
            else if (k <= n)
                bins[k - 1].add(body);
        }
        for (std::size_t k = 0; k < n; ++k) {
            const Bin& bin = bins[k];
            within += bin.mass;
            const double low = edges[k], high = edges[k + 1];
            const double size = request.cylinders
                                    ? pi * (high * high - low * low)
                                    : 4 * pi / 3 * (high * high * high - low * low * low);
            const double density = bin.mass / size;
            const double inverse = bin.mass > 0 ? 1 / bin.mass : nothing;
            const Vec3<double> mean = inverse * bin.sum, square = inverse * bin.squares;
            const auto spread = [&](double of_square, double of_mean) {
                // sample variance: the mean takes one degree of freedom
                return bin.count > 1 ? std::sqrt(std::max(0.0, of_square - of_mean * of_mean) *
                                                 bin.count / (bin.count - 1))
                                     : nothing;
            };
            const Vec3<double> sigma = {spread(square.x, mean.x), spread(square.y, mean.y),
                                        spread(square.z, mean.z)};
            std::vector<std::string> row = {
                type < 0 ? "all" : std::to_string(type),
                cell(low),
                cell(high),
                std::to_string(std::uint64_t(bin.count)),
                cell(density),
                cell(bin.count > 0 ? density / std::sqrt(bin.count) : nothing),
                cell(within)};
            if (!request.cylinders)
                row.push_back(cell(std::sqrt(snapshot.G() * within / high)));
            row.push_back(cell(mean.x));
            row.push_back(cell(request.cylinders ? mean.y : mean.z));
            for (double value : {sigma.x, sigma.y, sigma.z})
                row.push_back(cell(value));
            row.push_back(cell(bin.count > 1 ? 1 / std::sqrt(2 * (bin.count - 1)) : nothing));
            if (request.cylinders)
                row.push_back(cell(std::sqrt(inverse * bin.heights)));
            else {
                const double ratio =
                    0.5 * (sigma.y * sigma.y + sigma.z * sigma.z) / (sigma.x * sigma.x);
                row.push_back(cell(1 - ratio));
                // error of a ratio of variances with 2 n and n degrees of freedom
                row.push_back(
                    cell(bin.count > 1 ? ratio * std::sqrt(3 / (bin.count - 1)) : nothing));
            }
            table.add(std::move(row));
        }
    }
    return table.csv();
}

} // namespace chamomile
