#include <cmath>

#include "chamomile/core/random.hpp"
#include "chamomile/integrate/diagnostics.hpp"
#include "chamomile/integrate/measures/ordered_sum.hpp"
#include "chamomile/integrate/measures/weighted_quantiles.hpp"

namespace chamomile {
namespace {

struct Body {
    Vec3<double> position;
    double mass;
};

struct Weighed {
    double mass = 0;
    Vec3<double> mass_position;

    Weighed& operator+=(const Weighed& other)
    {
        mass += other.mass;
        mass_position += other.mass_position;
        return *this;
    }
};

/// Returns those with mass among all particles, or among one of each `stretch`, at random.
std::vector<Body> bodies(const Particles& particles, std::size_t stretch)
{
    const std::size_t n = particles.size();
    std::vector<Body> chosen((n + stretch - 1) / stretch);
#pragma omp parallel for if (chosen.size() > worth_threads) schedule(static)
    for (std::size_t k = 0; k < chosen.size(); ++k) {
        const std::size_t begin = k * stretch, length = std::min(stretch, n - begin);
        const std::size_t i =
            stretch > 1 ? begin + std::size_t(RandomStream(0, 0, k).word() % length) : begin;
        chosen[k] = {particles.position[i], particles.mass[i]};
    }
    std::erase_if(chosen, [](const Body& body) { return !(body.mass > 0); });
    return chosen;
}

/// The centre is found from at most so many particles, unless nearly all of them have no mass.
constexpr std::size_t most_bodies = 1 << 17, fewest_bodies = most_bodies / 8;

std::vector<Body> bodies(const Particles& particles)
{
    const std::size_t stretch = (particles.size() + most_bodies - 1) / most_bodies;
    if (stretch > 1)
        if (std::vector<Body> some = bodies(particles, stretch); some.size() >= fewest_bodies)
            return some;
    return bodies(particles, 1);
}

Vec3<double> center_of_mass(const std::vector<Body>& bodies)
{
    const Weighed sum = ordered_sum<Weighed>(bodies.size(), [&](std::size_t i) {
        return Weighed{bodies[i].mass, bodies[i].mass * bodies[i].position};
    });
    return (1 / sum.mass) * sum.mass_position;
}

/// Keeps the half that is nearer to the centre, in its order.
void halve(std::vector<Body>& near, const Vec3<double>& center)
{
    const auto distance = [&](std::size_t i) { return norm_squared(near[i].position - center); };
    const double part[] = {double(near.size() / 2) / double(near.size())};
    const WeightedValue last = weighted_quantiles(
                                   near.size(), distance, [](std::size_t) { return 1.0; }, part)
                                   .front();
    std::size_t kept = 0;
    for (std::size_t i = 0; i < near.size(); ++i) {
        const double r2 = distance(i);
        near[kept] = near[i];
        // There is no branch here: it would be guessed wrong each other time.
        kept += std::size_t(r2 < last.value) |
                (std::size_t(r2 == last.value) & std::size_t(i <= last.place));
    }
    near.resize(kept);
}

} // namespace

Vec3<double> density_center(const Particles& particles)
{
    constexpr std::size_t fewest = 100;
    std::vector<Body> near = bodies(particles);
    if (near.empty())
        return {};
    Vec3<double> center = center_of_mass(near);
    while (near.size() > fewest) {
        halve(near, center);
        center = center_of_mass(near);
    }
    return center;
}

std::vector<double> lagrangian_radii(const Particles& particles, const Vec3<double>& center,
                                     std::span<const double> fractions)
{
    const std::vector<WeightedValue> last = weighted_quantiles(
        particles.size(),
        [&](std::size_t i) { return norm_squared(particles.position[i] - center); },
        [&](std::size_t i) { return particles.mass[i]; }, fractions);
    std::vector<double> radii(fractions.size(), 0.0);
    for (std::size_t k = 0; k < last.size(); ++k)
        radii[k] = std::sqrt(last[k].value);
    return radii;
}

} // namespace chamomile
