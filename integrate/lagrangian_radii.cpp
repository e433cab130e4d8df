#include <algorithm>
#include <cmath>

#include "chamomile/integrate/diagnostics.hpp"

namespace chamomile {
namespace {

struct Distance {
    double r2;
    Index particle;

    friend bool operator<(const Distance& a, const Distance& b)
    {
        return a.r2 < b.r2 || (a.r2 == b.r2 && a.particle < b.particle);
    }
};

void measure(std::span<Distance> distances, const Particles& particles, const Vec3<double>& center)
{
    for (Distance& distance : distances)
        distance.r2 = norm_squared(particles.position[distance.particle] - center);
}

std::vector<Distance> massive_particles(const Particles& particles)
{
    std::vector<Distance> massive;
    for (std::size_t i = 0; i < particles.size(); ++i)
        if (particles.mass[i] > 0)
            massive.push_back({0, Index(i)});
    return massive;
}

Vec3<double> center_of_mass(std::span<const Distance> distances, const Particles& particles)
{
    double mass = 0;
    Vec3<double> sum;
    for (const Distance& distance : distances) {
        mass += particles.mass[distance.particle];
        sum += particles.mass[distance.particle] * particles.position[distance.particle];
    }
    return (1 / mass) * sum;
}

} // namespace

Vec3<double> density_center(const Particles& particles)
{
    constexpr std::size_t fewest = 100;
    std::vector<Distance> distances = massive_particles(particles);
    if (distances.empty())
        return {};
    std::span<Distance> near = distances;
    Vec3<double> center = center_of_mass(near, particles);
    while (near.size() > fewest) {
        measure(near, particles, center);
        std::nth_element(near.begin(), near.begin() + near.size() / 2, near.end());
        near = near.first(near.size() / 2);
        center = center_of_mass(near, particles);
    }
    return center;
}

std::vector<double> lagrangian_radii(const Particles& particles, const Vec3<double>& center,
                                     std::span<const double> fractions)
{
    std::vector<double> radii(fractions.size(), 0.0);
    std::vector<Distance> distances = massive_particles(particles);
    if (distances.empty())
        return radii;
    measure(distances, particles, center);
    double total = 0;
    for (const Distance& distance : distances)
        total += particles.mass[distance.particle];

    // From the largest fraction down, each within what the one before left: the range [first, last)
    // is halved until it holds the one particle with which the mass reaches the fraction.
    std::size_t outermost = distances.size();
    for (std::size_t k = fractions.size(); k-- > 0;) {
        std::size_t first = 0, last = outermost;
        double inside = 0; // mass of [0, first)
        while (last - first > 1) {
            const std::size_t middle = (first + last) / 2;
            std::nth_element(distances.begin() + first, distances.begin() + middle,
                             distances.begin() + last);
            double half = 0;
            for (std::size_t i = first; i < middle; ++i)
                half += particles.mass[distances[i].particle];
            if (inside + half >= fractions[k] * total) {
                last = middle;
            } else {
                inside += half;
                first = middle;
            }
        }
        radii[k] = std::sqrt(distances[first].r2);
        outermost = last;
    }
    return radii;
}

} // namespace chamomile
