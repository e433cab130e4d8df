#include <algorithm>
#include <cmath>

#include "chamomile/core/random.hpp"
#include "chamomile/core/ranks/rank_subset.hpp"
#include "chamomile/core/threads.hpp"
#include "chamomile/core/weighted_quantiles.hpp"
#include "chamomile/integrate/diagnostics.hpp"

namespace chamomile {
namespace {

struct Body {
    Vec3<double> position;
    double mass;
};

struct NumberedBody {
    Body body;
    std::uint64_t number; ///< global
};

struct Weighed {
    double mass = 0;
    Vec3<double> mass_position;

    void add(const Weighed& other)
    {
        mass += other.mass;
        mass_position += other.mass_position;
    }
};

/// Max sample in the search for the center. All particles are used if fewer than `fewest_bodies`
/// of the sample have mass.
constexpr std::size_t max_bodies = 1 << 17, fewest_bodies = max_bodies / 8;

/// Gathers bodies with mass on rank 0: all, or one per `stretch`, chosen at random.
std::vector<Body> bodies(const Measured& all, std::uint64_t stretch)
{
    const Particles& particles = all.particles;
    ParticleReader& rows = all.rows;
    const RankSubset& part = all.part;
    std::vector<Index> places; // local indices of the sample
    if (stretch > 1) {
        std::vector<std::uint64_t> numbers((part.count + stretch - 1) / stretch);
#pragma omp parallel for if (numbers.size() > worth_threads) schedule(static)
        for (std::size_t k = 0; k < numbers.size(); ++k) {
            const std::uint64_t begin = k * stretch, length = std::min(stretch, part.count - begin);
            numbers[k] = begin + RandomStream(0, 0, k).word() % length;
        }
        places = part.places_of(numbers, particles.size());
    }
    const auto place = [&](std::size_t k) { return places.empty() ? k : places[k]; };
    std::vector<Body> chosen(stretch > 1 ? places.size() : particles.size());
    rows.for_blocks(chosen.size(), [&](std::size_t begin, std::size_t end) {
        const auto position = rows.read_vectors(
            Column::position, stretch > 1
                                  ? RowSelection(std::span(places).subspan(begin, end - begin))
                                  : RowSelection(begin, end));
#pragma omp parallel for if (end - begin > worth_threads) schedule(static)
        for (std::size_t k = begin; k < end; ++k)
            chosen[k] = {position[k - begin], particles.mass[place(k)]};
    });
    const auto is_massless = [](const Body& body) { return !(body.mass > 0); };
    if (part.ranks.size() == 1 && part.number.empty()) {
        std::erase_if(chosen, is_massless);
        return chosen;
    }
    std::vector<NumberedBody> numbered;
    for (std::size_t k = 0; k < chosen.size(); ++k)
        if (!is_massless(chosen[k]))
            numbered.push_back({chosen[k], part.number_of(place(k))});
    Inbox inbox;
    part.ranks.gather(std::span<const NumberedBody>(numbered), inbox);
    numbered.assign(inbox.all<NumberedBody>().begin(), inbox.all<NumberedBody>().end());
    std::ranges::sort(numbered, {}, &NumberedBody::number);
    chosen.clear();
    for (const NumberedBody& one : numbered)
        chosen.push_back(one.body);
    return chosen;
}

std::vector<Body> bodies(const Measured& all)
{
    const std::uint64_t stretch = (all.part.count + max_bodies - 1) / max_bodies;
    std::vector<Body> some = bodies(all, std::max<std::uint64_t>(stretch, 1));
    std::uint64_t found = some.size();
    all.part.ranks.sum(std::span(&found, 1));
    return stretch > 1 && found < fewest_bodies ? bodies(all, 1) : some;
}

/// Adds bodies block by block in order: independent of the number of threads.
Vec3<double> center_of_mass(const std::vector<Body>& bodies)
{
    constexpr std::size_t block = 1024;
    const std::size_t n = bodies.size();
    std::vector<Weighed> sums((n + block - 1) / block);
#pragma omp parallel for if (n > worth_threads) schedule(static)
    for (std::size_t b = 0; b < sums.size(); ++b) {
        Weighed sum;
        for (std::size_t i = b * block; i < std::min(n, (b + 1) * block); ++i)
            sum.add({bodies[i].mass, bodies[i].mass * bodies[i].position});
        sums[b] = sum;
    }
    Weighed all;
    for (const Weighed& sum : sums)
        all.add(sum);
    return (1 / all.mass) * all.mass_position;
}

/// Squared distances of bodies from a center, equally weighted.
struct BodyDistances {
    const std::vector<Body>& all;
    Vec3<double> center;

    std::size_t size() const { return all.size(); }
    std::size_t max() const { return std::max<std::size_t>(all.size(), 1); }
    std::span<const std::uint16_t> bins(const ValueBins&) const { return {}; }
    void fetch(std::size_t, std::size_t) {}
    double value(std::size_t i) const { return norm_squared(all[i].position - center); }
    double weight(std::size_t) const { return 1; }
    std::vector<double> at(const std::vector<Index>& places) const
    {
        std::vector<double> values(places.size());
        std::ranges::transform(places, values.begin(), [this](Index i) { return value(i); });
        return values;
    }
};

/// Squared distances of particles from a center, weighted by mass.
struct RowDistances {
    const Measured& all;
    Vec3<double> center;
    std::span<const Vec3<double>> position = {}; ///< from particle `first` on
    std::size_t first = 0;

    std::size_t size() const { return all.particles.size(); }
    std::size_t max() const { return all.rows.max(); }
    std::span<const std::uint16_t> bins(const ValueBins& bins) const
    {
        return all.rows.bins_of_distances(center, bins);
    }
    void fetch(std::size_t begin, std::size_t end)
    {
        position = all.rows.read_vectors(Column::position, {begin, end});
        first = begin;
    }
    double value(std::size_t i) const { return norm_squared(position[i - first] - center); }
    double weight(std::size_t i) const { return all.particles.mass[i]; }
    std::vector<double> at(std::span<const Index> places)
    {
        std::vector<double> values(places.size());
        all.rows.for_blocks(places.size(), [&](std::size_t begin, std::size_t end) {
            const RowSelection asked(places.subspan(begin, end - begin));
            const auto position = all.rows.read_vectors(Column::position, asked);
#pragma omp parallel for if (position.size() > worth_threads) schedule(static)
            for (std::size_t k = 0; k < position.size(); ++k)
                values[begin + k] = norm_squared(position[k] - center);
        });
        return values;
    }
};

/// Keeps the half nearer to the center, in order.
void halve(std::vector<Body>& near, const Vec3<double>& center)
{
    BodyDistances distances{near, center};
    const double part[] = {double(near.size() / 2) / double(near.size())};
    Communicator alone;
    const WeightedValue last =
        weighted_quantiles(distances, RankSubset{alone, near.size()}, part).front();
    std::size_t kept = 0;
    for (std::size_t i = 0; i < near.size(); ++i) {
        const double r2 = distances.value(i);
        near[kept] = near[i];
        // No branch: it would be mispredicted every other time.
        kept += std::size_t(r2 < last.value) |
                (std::size_t(r2 == last.value) & std::size_t(i <= last.place));
    }
    near.resize(kept);
}

} // namespace

Vec3<double> density_center(const Particles& particles)
{
    RowsInMemory rows(particles);
    Communicator alone;
    return density_center({particles, rows, RankSubset{alone, particles.size()}});
}

Vec3<double> density_center(const Measured& all)
{
    constexpr std::size_t fewest = 100;
    std::vector<Body> near = bodies(all);
    Vec3<double> center;
    if (!near.empty())
        center = center_of_mass(near);
    while (near.size() > fewest) {
        halve(near, center);
        center = center_of_mass(near);
    }
    const Inbox found = all.part.ranks.broadcast(std::as_bytes(std::span(&center, 1)));
    return found.from<Vec3<double>>(0)[0];
}

std::vector<double> lagrangian_radii(const Particles& particles, const Vec3<double>& center,
                                     std::span<const double> fractions)
{
    RowsInMemory rows(particles);
    Communicator alone;
    return lagrangian_radii({particles, rows, RankSubset{alone, particles.size()}}, center,
                            fractions);
}

std::vector<double> lagrangian_radii(const Measured& all, const Vec3<double>& center,
                                     std::span<const double> fractions)
{
    RowDistances distances{all, center};
    const std::vector<WeightedValue> last = weighted_quantiles(distances, all.part, fractions);
    std::vector<double> radii(fractions.size(), 0.0);
    for (std::size_t k = 0; k < last.size(); ++k)
        radii[k] = std::sqrt(last[k].value);
    return radii;
}

} // namespace chamomile
