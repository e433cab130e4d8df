#include "chamomile/integrate/measures/radial_bins.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "chamomile/core/exact_sum.hpp"
#include "chamomile/core/ranks/rank_subset.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/core/weighted_quantiles.hpp"

namespace chamomile {
namespace {

/// A BinnedBody is a particle relative to the center, with velocity along r, theta, phi or R, phi,
/// z.
struct BinnedBody {
    double radius; ///< for binning
    Vec3<double> velocity;
    double z;
};

/// Returns the distances at these places, from 0 to 1, of all distances in ascending order.
std::vector<double> distances_at(std::span<const double> distances, std::vector<double> places,
                                 const RankSubset& all)
{
    ValuesInMemory values{distances};
    const double n = double(all.count);
    for (double& place : places)
        place = std::min(std::floor(place * n) + 1, n) / n;
    std::vector<double> found;
    for (const WeightedValue& one : weighted_quantiles(values, all, places))
        found.push_back(one.value);
    return found;
}

void require_in_box(const char* option, const std::optional<double>& value, double max)
{
    if (value && *value > max)
        throw CollectiveError(
            Fault::usage,
            formatted("%s: %.6g: must be at most half the side of the periodic box, %.6g", option,
                      *value, max));
}

/// Returns the edges of bins, by default between the radii `inner` and `outer`.
std::vector<double> edges_between(double inner, double outer, const ProfileRequest& request,
                                  double max)
{
    require_in_box("{r-max}", request.largest, max);
    require_in_box("{height}", request.height, max);
    const double low = request.smallest.value_or(request.cylinders ? 0 : inner);
    const double high = request.largest.value_or(std::min(outer, max));
    if (!(low < high) || (!request.cylinders && low <= 0))
        throw CollectiveError(
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

BinnedBody seen_from(const Vec3<double>& x, const Vec3<double>& v, bool cylinders)
{
    const double R = norm(Vec3<double>{x.x, x.y, 0}), r = norm(x);
    const double c = R > 0 ? x.x / R : 1, s = R > 0 ? x.y / R : 0;
    const double out = c * v.x + s * v.y, around = c * v.y - s * v.x;
    const double cosine = r > 0 ? x.z / r : 1, sine = r > 0 ? R / r : 0;
    if (cylinders)
        return {R, {out, around, v.z}, x.z};
    return {r, {sine * out + cosine * v.z, cosine * out - sine * v.z, around}, x.z};
}

} // namespace

RadialBins radial_bins(const Measured& all, const ProfileRequest& request, double side,
                       double scale)
{
    const Particles& p = all.particles;
    Communicator& ranks = all.part.ranks;
    const Vec3<double> center = request.center ? *request.center : density_center(all);
    const auto place = [&](std::size_t i) {
        Vec3<double> x = p.position[i] - center;
        if (side > 0)
            x = {std::remainder(x.x, side), std::remainder(x.y, side), std::remainder(x.z, side)};
        return scale * x;
    };
    std::vector<double> distances(p.size());
    for (std::size_t i = 0; i < p.size(); ++i)
        distances[i] = norm(place(i));
    const double half = distances_at(distances, {0.5}, all.part).at(0);

    struct Motion {
        double mass;
        Vec3<double> momentum;
    };
    ExactSums<Motion> inner;
    inner.add(0, p.size(), [&](std::size_t i) {
        return distances[i] <= half ? Motion{p.mass[i], p.mass[i] * p.velocity[i]} : Motion{};
    });
    ranks.sum(inner);
    const auto [mass, momentum] = inner.value();
    const Vec3<double> motion = mass > 0 ? (1 / mass) * momentum : momentum;

    std::vector<BinnedBody> bodies;
    for (std::size_t i = 0; i < p.size(); ++i) {
        bodies.push_back(seen_from(place(i), p.velocity[i] - motion, request.cylinders));
        distances[i] = bodies.back().radius;
    }
    const std::vector<double> ends = distances_at(distances, {0.01, 0.99}, all.part);
    RadialBins bins{
        .edges = edges_between(ends[0], ends[1], request, side > 0 ? 0.5 * scale * side : HUGE_VAL),
        .types = {-1},
        .sums = {}};
    const std::vector<double>& edges = bins.edges;
    const std::size_t n = edges.size();

    std::array<std::uint64_t, 6> counts{};
    for (const std::uint8_t type : p.type)
        ++counts[type];
    ranks.sum(counts);
    std::array<std::size_t, 6> group{}; // of each type; 0: all particles
    if (std::ranges::count(counts, 0) < 5)
        for (int type = 0; type < 6; ++type)
            if (counts[std::size_t(type)] > 0) {
                group[std::size_t(type)] = bins.types.size();
                bins.types.push_back(type);
            }

    std::vector<ExactSums<RadialBin>> sums(bins.types.size() * n);
    for (std::size_t i = 0; i < p.size(); ++i) {
        const auto& [radius, v, z] = bodies[i];
        const auto k = std::size_t(std::ranges::upper_bound(edges, radius) - edges.begin());
        if (k >= n || (request.height && std::abs(z) > *request.height))
            continue;
        const double m = p.mass[i];
        sums[group[p.type[i]] * n + k].add(
            {1, m, m * z * z, m * v, m * Vec3<double>{v.x * v.x, v.y * v.y, v.z * v.z}});
    }
    for (std::size_t k = n; k < sums.size(); ++k)
        sums[k % n] += sums[k];
    for (ExactSums<RadialBin>& sum : sums) {
        ranks.sum(sum);
        bins.sums.push_back(sum.value());
    }
    return bins;
}

} // namespace chamomile
