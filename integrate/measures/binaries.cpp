#include "chamomile/integrate/measures/binaries.hpp"

#include <algorithm>
#include <optional>

#include "chamomile/integrate/measures/neighbors.hpp"

namespace chamomile {
namespace {

/// Returns 2/3 of the mean kinetic energy of a star about the mean velocity.
double mean_kT(const Particles& particles, std::span<const Index> stars,
               const std::vector<Binary>& pairs)
{
    struct Star {
        double mass;
        Vec3<double> momentum;
    };
    std::vector<std::uint8_t> is_paired(particles.size());
    std::vector<Star> all;
    const auto star = [&](Index i) {
        return Star{particles.mass[i], particles.mass[i] * particles.velocity[i]};
    };
    for (const Binary& pair : pairs) {
        const Star one = star(pair.i), other = star(pair.j);
        is_paired[pair.i] = is_paired[pair.j] = 1;
        all.push_back({one.mass + other.mass, one.momentum + other.momentum});
    }
    for (const Index i : stars)
        if (!is_paired[i])
            all.push_back(star(i));
    Star total{};
    double twice = 0;
    for (const Star& one : all) {
        total.mass += one.mass;
        total.momentum += one.momentum;
        twice += norm_squared(one.momentum) / one.mass;
    }
    return (twice - norm_squared(total.momentum) / total.mass) / (3 * double(all.size()));
}

} // namespace

std::vector<Binary> binaries(const Particles& particles, std::span<const Index> members, double G)
{
    const auto [stars, position] = stars_among(particles, members);
    if (stars.size() < 2)
        return {};
    const std::size_t count = std::min<std::size_t>(6, stars.size() - 1);
    const std::vector<Index> nearest = nearest_neighbors(position, count);
    const auto orbit = [&](std::size_t k, std::size_t l) {
        const Index i = stars[k], j = stars[l];
        return kepler_orbit(G * (particles.mass[i] + particles.mass[j]),
                            particles.position[j] - particles.position[i],
                            particles.velocity[j] - particles.velocity[i]);
    };
    const auto energy = [&](std::size_t k, std::size_t l, const KeplerOrbit& of) {
        return G * particles.mass[stars[k]] * particles.mass[stars[l]] / (2 * of.semi_major_axis);
    };
    std::vector<std::size_t> companion(stars.size());
    for (std::size_t k = 0; k < stars.size(); ++k) {
        companion[k] = k; // none
        double max = 0;
        for (const Index l : std::span(nearest).subspan(k * count, count))
            if (const double bound = energy(k, l, orbit(k, l)); bound > max) {
                max = bound;
                companion[k] = l;
            }
    }
    std::vector<Binary> pairs;
    for (std::size_t k = 0; k < stars.size(); ++k)
        if (const std::size_t l = companion[k]; l > k && companion[l] == k) {
            const KeplerOrbit of = orbit(k, l);
            pairs.push_back({stars[k], stars[l], of, energy(k, l, of)});
        }
    if (const double kT = mean_kT(particles, stars, pairs); kT > 0)
        for (Binary& pair : pairs)
            pair.hardness = pair.energy / kT;
    return pairs;
}

} // namespace chamomile
