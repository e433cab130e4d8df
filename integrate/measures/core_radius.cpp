#include "chamomile/integrate/measures/core_radius.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include "chamomile/integrate/measures/neighbors.hpp"

namespace chamomile {

ClusterCore cluster_core(const Particles& particles, std::span<const Index> members)
{
    constexpr std::size_t neighbors = 6;
    constexpr double unbiased = double(neighbors - 2) / (neighbors - 1); // of squared densities
    const auto [stars, position] = stars_among(particles, members);
    ClusterCore core;
    if (stars.size() <= neighbors)
        return core;
    const std::vector<Index> nearest = nearest_neighbors(position, neighbors);
    const std::size_t n = stars.size();
    std::vector<double> density(n);
    double sum = 0, squares = 0;
    Vec3<double> moment;
    for (std::size_t k = 0; k < n; ++k) {
        const std::span row = std::span(nearest).subspan(k * neighbors, neighbors);
        double mass = 0;
        for (const Index j : row.first(neighbors - 1))
            mass += particles.mass[stars[j]];
        const double r = norm(position[row.back()] - position[k]);
        if (!(r > 0)) // seven at one place
            continue;
        density[k] = mass / (4 * std::numbers::pi / 3 * r * r * r);
        sum += density[k];
        squares += density[k] * density[k];
        moment += density[k] * position[k];
    }
    if (!(sum > 0))
        return core;
    core.center = (1 / sum) * moment;
    core.density = unbiased * squares / sum;
    for (std::size_t k = 0; k < n; ++k)
        core.radius += density[k] / sum * norm(position[k] - core.center);
    double mass = 0, energy = 0;
    Vec3<double> momentum;
    for (std::size_t k = 0; k < n; ++k) {
        if (norm(position[k] - core.center) > core.radius)
            continue;
        const double m = particles.mass[stars[k]];
        const Vec3<double>& v = particles.velocity[stars[k]];
        ++core.members;
        mass += m;
        momentum += m * v;
        energy += m * norm_squared(v);
    }
    if (core.members > 0) {
        core.mean_mass = mass / double(core.members);
        core.dispersion = std::sqrt(std::max(0.0, (energy - norm_squared(momentum) / mass) / mass));
    }
    return core;
}

} // namespace chamomile
