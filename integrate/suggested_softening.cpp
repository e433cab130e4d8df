#include "chamomile/integrate/suggested_softening.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "chamomile/core/threads.hpp"

namespace chamomile {
namespace {

constexpr std::size_t fewest = 10, max_sources = 1 << 16, max_targets = 128;

/// Returns positions of particles with mass: all, or one at random of each stretch of equal length.
std::vector<Vec3<double>> sample_of(const Particles& particles, ParticleReader& rows)
{
    const std::size_t n = particles.size(), step = (n + max_sources - 1) / max_sources;
    std::vector<std::size_t> chosen;
    std::uint64_t state = 1;
    for (std::size_t begin = 0; begin < n; begin += step) {
        state = state * 6364136223846793005u + 1442695040888963407u; // Knuth's MMIX
        const std::size_t i = begin + std::size_t(state >> 33) % std::min(step, n - begin);
        if (particles.mass[i] > 0)
            chosen.push_back(i);
    }
    std::vector<Vec3<double>> places;
    rows.for_blocks(n, [&](std::size_t begin, std::size_t end) {
        const std::span<const Vec3<double>> block =
            rows.read_vectors(Column::position, {begin, end});
        while (places.size() < chosen.size() && chosen[places.size()] < end)
            places.push_back(block[chosen[places.size()] - begin]);
    });
    return places;
}

/// Returns the distance of the target's eighth neighbor.
double eighth_distance(const std::vector<Vec3<double>>& places, std::size_t target)
{
    std::array<double, 8> nearest;
    nearest.fill(std::numeric_limits<double>::infinity());
    for (std::size_t k = 0; k < places.size(); ++k) {
        const double r2 = norm_squared(places[k] - places[target]);
        if (k == target || !(r2 < nearest.back()))
            continue;
        const auto place = std::upper_bound(nearest.begin(), nearest.end(), r2);
        std::move_backward(place, nearest.end() - 1, nearest.end());
        *place = r2;
    }
    return std::sqrt(nearest.back());
}

} // namespace

double suggested_softening(const Particles& particles, ParticleReader& rows)
{
    if (particles.size() < fewest)
        return 0;
    const std::vector<Vec3<double>> places = sample_of(particles, rows);
    if (places.size() < fewest)
        return 0;
    const std::size_t targets = std::min(places.size(), max_targets);
    std::vector<double> distance(targets);
#pragma omp parallel for if (targets * places.size() > worth_threads) schedule(static)
    for (std::size_t t = 0; t < targets; ++t)
        distance[t] = eighth_distance(places, t * places.size() / targets);
    const auto middle = distance.begin() + std::ptrdiff_t(targets / 4);
    std::nth_element(distance.begin(), middle, distance.end());
    const double part = double(places.size()) / double(particles.size());
    const double mean_distance = *middle * std::cbrt(part * std::numbers::pi / 6);
    return 0.4 * mean_distance;
}

} // namespace chamomile
