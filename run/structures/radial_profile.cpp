#include "chamomile/run/structures/radial_profile.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "chamomile/core/error.hpp"
#include "chamomile/core/options/quantity.hpp"
#include "chamomile/core/ranks/rank_subset.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/integrate/ranks/led_particles.hpp"

namespace chamomile {
namespace {

using std::numbers::pi;

double scale_of(const Snapshot& snapshot)
{
    return snapshot.comoving ? snapshot.comoving->scale_factor : 1;
}

RadialBins bins_of(const Snapshot& snapshot, const ProfileRequest& request, LedParticles* led)
{
    const Particles& p = snapshot.particles;
    if (led)
        return led->radial_bins(request, p.type);
    if (snapshot.box_size > 0 && !request.center)
        throw Error(Fault::usage, "profile: {center}: missing: needed in a periodic box");
    RowsInMemory rows(p);
    Communicator alone;
    return radial_bins({p, rows, RankSubset{alone, p.size()}}, request, snapshot.box_size,
                       scale_of(snapshot));
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
                     request.cylinders ? "rings" : "shells",
                     0.5 * scale_of(snapshot) * snapshot.box_size);
}

std::string profile_table(const Snapshot& snapshot, const ProfileRequest& request,
                          LedParticles* led)
{
    const RadialBins found = bins_of(snapshot, request, led);
    const std::vector<double>& edges = found.edges;
    const double nothing = std::numeric_limits<double>::quiet_NaN();
    const std::size_t n = edges.size() - 1;

    Table table(headings(snapshot, request.cylinders));
    const RadialBin* bins = found.sums.data();
    for (int type : found.types) {
        double within = bins[0].mass;
        for (std::size_t k = 0; k < n; ++k) {
            const RadialBin& bin = bins[k + 1];
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
        bins += n + 1;
    }
    return table.csv();
}

} // namespace chamomile
