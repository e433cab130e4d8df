#include <algorithm>
#include <cmath>

#include "chamomile/core/exact_sum.hpp"
#include "chamomile/core/random.hpp"
#include "chamomile/core/threads.hpp"
#include "chamomile/integrate/diagnostics.hpp"
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
};

/// The centre is found from at most so many particles, unless nearly all of them have no mass.
constexpr std::size_t most_bodies = 1 << 17, fewest_bodies = most_bodies / 8;

/// Returns those with mass among all particles, or among one of each `stretch`, at random.
std::vector<Body> bodies(const Particles& particles, ParticleRows& rows, std::size_t stretch)
{
    const std::size_t n = particles.size(), stretches = (n + stretch - 1) / stretch;
    std::vector<Body> chosen;
    std::vector<Index> places;
    rows.for_blocks(stretches, [&](std::size_t first, std::size_t last) {
        const std::size_t count = last - first;
        places.resize(count);
#pragma omp parallel for if (count > worth_threads) schedule(static)
        for (std::size_t k = 0; k < count; ++k) {
            const std::size_t begin = (first + k) * stretch, length = std::min(stretch, n - begin);
            places[k] = Index(
                stretch > 1 ? begin + std::size_t(RandomStream(0, 0, first + k).word() % length)
                            : begin);
        }
        const auto position = rows.vectors(Column::position, RowsAsked(places));
        std::vector<Body> here(count);
#pragma omp parallel for if (count > worth_threads) schedule(static)
        for (std::size_t k = 0; k < count; ++k)
            here[k] = {position[k], particles.mass[places[k]]};
        std::erase_if(here, [](const Body& body) { return !(body.mass > 0); });
        if (chosen.empty())
            chosen = std::move(here);
        else
            chosen.insert(chosen.end(), here.begin(), here.end());
    });
    return chosen;
}

std::vector<Body> bodies(const Particles& particles, ParticleRows& rows)
{
    const std::size_t stretch = (particles.size() + most_bodies - 1) / most_bodies;
    if (stretch > 1)
        if (std::vector<Body> some = bodies(particles, rows, stretch); some.size() >= fewest_bodies)
            return some;
    return bodies(particles, rows, 1);
}

Vec3<double> center_of_mass(const std::vector<Body>& bodies)
{
    const Weighed sum = exact_sum<Weighed>(bodies.size(), [&](std::size_t i) {
        return Weighed{bodies[i].mass, bodies[i].mass * bodies[i].position};
    });
    return (1 / sum.mass) * sum.mass_position;
}

/// BodyDistances are the squared distances of bodies from a centre, of which all count alike.
struct BodyDistances {
    const std::vector<Body>& all;
    Vec3<double> center;

    std::size_t size() const { return all.size(); }
    std::size_t most() const { return std::max<std::size_t>(all.size(), 1); }
    std::span<const std::uint16_t> bins(const ValueBins&) const { return {}; }
    void bring(std::size_t, std::size_t) {}
    double value(std::size_t i) const { return norm_squared(all[i].position - center); }
    double weight(std::size_t) const { return 1; }
    std::vector<double> at(const std::vector<Index>& places) const
    {
        std::vector<double> values(places.size());
        std::ranges::transform(places, values.begin(), [this](Index i) { return value(i); });
        return values;
    }
};

/// RowDistances are those of particles, which weigh their masses.
struct RowDistances {
    const Particles& particles;
    ParticleRows& rows;
    Vec3<double> center;
    std::span<const Vec3<double>> position = {}; ///< of those from `first` on
    std::size_t first = 0;

    std::size_t size() const { return particles.size(); }
    std::size_t most() const { return rows.most(); }
    std::span<const std::uint16_t> bins(const ValueBins& bins) const
    {
        return rows.bins_of_distances(center, bins);
    }
    void bring(std::size_t begin, std::size_t end)
    {
        position = rows.vectors(Column::position, {begin, end});
        first = begin;
    }
    double value(std::size_t i) const { return norm_squared(position[i - first] - center); }
    double weight(std::size_t i) const { return particles.mass[i]; }
    std::vector<double> at(std::span<const Index> places)
    {
        std::vector<double> values(places.size());
        rows.for_blocks(places.size(), [&](std::size_t begin, std::size_t end) {
            const RowsAsked asked(places.subspan(begin, end - begin));
            const auto position = rows.vectors(Column::position, asked);
#pragma omp parallel for if (position.size() > worth_threads) schedule(static)
            for (std::size_t k = 0; k < position.size(); ++k)
                values[begin + k] = norm_squared(position[k] - center);
        });
        return values;
    }
};

/// Keeps the half that is nearer to the centre, in its order.
void halve(std::vector<Body>& near, const Vec3<double>& center)
{
    BodyDistances distances{near, center};
    const double part[] = {double(near.size() / 2) / double(near.size())};
    const WeightedValue last = weighted_quantiles(distances, part).front();
    std::size_t kept = 0;
    for (std::size_t i = 0; i < near.size(); ++i) {
        const double r2 = distances.value(i);
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
    RowsInMemory rows(particles);
    return density_center(particles, rows);
}

Vec3<double> density_center(const Particles& particles, ParticleRows& rows)
{
    constexpr std::size_t fewest = 100;
    std::vector<Body> near = bodies(particles, rows);
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
    RowsInMemory rows(particles);
    return lagrangian_radii(particles, rows, center, fractions);
}

std::vector<double> lagrangian_radii(const Particles& particles, ParticleRows& rows,
                                     const Vec3<double>& center, std::span<const double> fractions)
{
    RowDistances distances{particles, rows, center};
    const std::vector<WeightedValue> last = weighted_quantiles(distances, fractions);
    std::vector<double> radii(fractions.size(), 0.0);
    for (std::size_t k = 0; k < last.size(); ++k)
        radii[k] = std::sqrt(last[k].value);
    return radii;
}

} // namespace chamomile
