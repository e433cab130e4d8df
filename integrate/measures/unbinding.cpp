// The potential after a removal is the old one less that of the removed particles, which are few.
// It is computed again once more than half as much mass as is left has been removed: differences
// then lose digits.
#include "chamomile/integrate/measures/unbinding.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "chamomile/core/filter_indices.hpp"
#include "chamomile/core/threads.hpp"
#include "chamomile/force/ranks/domain_solver.hpp"
#include "chamomile/integrate/external/external_field.hpp"

namespace chamomile {
namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

struct MassAndMomentum {
    double mass = 0;
    Vec3<double> momentum;
    std::size_t count = 0;
};

/// Adds particles that `is_counted`, in blocks: independent of the number of threads.
template <class IsCounted>
MassAndMomentum sum_over(const Particles& particles, std::span<const Index> members,
                         const IsCounted& is_counted)
{
    constexpr std::size_t block = 4096;
    std::vector<MassAndMomentum> sums((members.size() + block - 1) / block);
#pragma omp parallel for if (members.size() > worth_threads) schedule(static)
    for (std::size_t b = 0; b < sums.size(); ++b)
        for (std::size_t k = b * block; k < std::min(members.size(), (b + 1) * block); ++k)
            if (is_counted(k)) {
                const Index i = members[k];
                sums[b].mass += particles.mass[i];
                sums[b].momentum += particles.mass[i] * particles.velocity[i];
                ++sums[b].count;
            }
    MassAndMomentum all;
    for (const MassAndMomentum& sum : sums) {
        all.mass += sum.mass;
        all.momentum += sum.momentum;
        all.count += sum.count;
    }
    return all;
}

/// Returns masses, positions and ids of some particles.
Particles some_of(const Particles& particles, std::span<const Index> members)
{
    Particles some;
    some.resize(members.size());
#pragma omp parallel for if (members.size() > worth_threads) schedule(static)
    for (std::size_t k = 0; k < members.size(); ++k) {
        some.mass[k] = particles.mass[members[k]];
        some.position[k] = particles.position[members[k]];
        some.id[k] = particles.id[members[k]];
    }
    return some;
}

/// Returns the mean velocity of the particles nearest to the density center.
Vec3<double> central_velocity(const Particles& particles, std::span<const Index> members)
{
    const Vec3<double> center = density_center(some_of(particles, members));
    std::vector<double> distance(members.size());
#pragma omp parallel for if (members.size() > worth_threads) schedule(static)
    for (std::size_t k = 0; k < members.size(); ++k)
        distance[k] = norm_squared(particles.position[members[k]] - center);
    std::vector<double> sorted = distance;
    const std::size_t near =
        std::min(members.size() - 1, std::max<std::size_t>(100, members.size() / 100));
    std::nth_element(sorted.begin(), sorted.begin() + std::ptrdiff_t(near), sorted.end());
    const MassAndMomentum sum =
        sum_over(particles, members, [&](std::size_t k) { return distance[k] <= sorted[near]; });
    return sum.mass > 0 ? (1 / sum.mass) * sum.momentum : Vec3<double>{};
}

/// Returns the tidal radius of a mass; NaN without a field or without a tide that strips.
double tidal_radius(const ExternalState& external, double GM, const Vec3<double>& x,
                    const Vec3<double>& v)
{
    const double R = norm(x);
    if (!external.field || !(R > 0))
        return no_number;
    const double h = 1e-4 * R;
    const Vec3<double> out = (1 / R) * x, places[] = {x - h * out, x + h * out};
    Vec3<double> pull[2];
    external.field->add(external.time, places, {}, pull, {});
    const double W = norm(cross(x, v)) / (R * R);
    const double tide = W * W + (dot(pull[1], out) - dot(pull[0], out)) / (2 * h);
    return tide > 0 ? std::cbrt(GM / tide) : no_number;
}

} // namespace

struct Unbinding::Set {
    std::vector<Index> members;
    std::vector<double> potential;
    Vec3<double> velocity;
    double mass = 0;
};

Unbinding::Unbinding(const SolverOptions& options) : options_(options)
{
    if (asks_ranks(options))
        options_ = of_first_rank(options);
    options_.accuracy.reset();
}

/// Returns the potentials at the targets. Targets that are not sources follow as tracers.
std::vector<double> Unbinding::potentials(const Particles& particles,
                                          std::span<const Index> sources,
                                          std::span<const Index> targets)
{
    if (!solver_)
        solver_ = make_solver(options_);
    const bool are_same = sources.data() == targets.data();
    std::vector<Index> places(sources.begin(), sources.end()), active;
    if (!are_same) {
        places.insert(places.end(), targets.begin(), targets.end());
        active.resize(targets.size());
        std::iota(active.begin(), active.end(), Index(sources.size()));
    }
    const std::size_t n = places.size();
    std::vector<Vec3<double>> position(n), acceleration(n);
    std::vector<double> mass(n), potential(n), softening(particles.softening.empty() ? 0 : n);
    std::vector<std::uint64_t> id(n);
#pragma omp parallel for if (n > worth_threads) schedule(static)
    for (std::size_t k = 0; k < n; ++k) {
        position[k] = particles.position[places[k]];
        mass[k] = k < sources.size() ? particles.mass[places[k]] : 0;
        id[k] = particles.id[places[k]];
        if (!softening.empty())
            softening[k] = particles.softening[places[k]];
    }
    Request request{.count = n,
                    .position = view_of(std::span(position)),
                    .mass = view_of(std::span(mass)),
                    .id = id,
                    .acceleration = view_of(std::span(acceleration)),
                    .potential = view_of(std::span(potential)),
                    .active = active};
    if (!softening.empty())
        request.softening = view_of(std::span(softening));
    solver_->evaluate(request);
    if (!are_same)
        potential.erase(potential.begin(), potential.begin() + std::ptrdiff_t(sources.size()));
    return potential;
}

/// Removes the unbound particles of `set`.
void Unbinding::remove_unbound(const Particles& particles, Set& set)
{
    double removed_mass = 0; // since the potential was computed
    for (;;) {
        const auto is_bound = [&](std::size_t k) {
            const Vec3<double> v = particles.velocity[set.members[k]] - set.velocity;
            return 0.5 * norm_squared(v) + set.potential[k] < 0;
        };
        std::size_t count = 0;
        for (int round = 0; round < 100; ++round) {
            const MassAndMomentum bound = sum_over(particles, set.members, is_bound);
            const std::size_t before = std::exchange(count, bound.count);
            set.mass = bound.mass;
            if (!(bound.mass > 0)) {
                set = {};
                return;
            }
            const Vec3<double> mean = (1 / bound.mass) * bound.momentum;
            if (before == count && mean == set.velocity)
                break;
            set.velocity = mean;
        }
        if (count == set.members.size())
            return;
        std::vector<Index> kept, removed;
        list_where(set.members.size(), is_bound, kept);
        list_where(
            set.members.size(), [&](std::size_t k) { return !is_bound(k); }, removed);
        std::vector<double> potential(kept.size());
#pragma omp parallel for if (kept.size() > worth_threads) schedule(static)
        for (std::size_t k = 0; k < kept.size(); ++k) {
            potential[k] = set.potential[kept[k]];
            kept[k] = set.members[kept[k]];
        }
        for (Index& k : removed)
            k = set.members[k];
        if (kept.empty() || removed.empty()) { // rounding at the limit of rounds
            if (kept.empty())
                set = {};
            return;
        }
        double mass = 0;
        for (const Index i : removed)
            mass += particles.mass[i];
        removed_mass += mass;
        if (2 * removed_mass > set.mass) {
            potential = potentials(particles, kept, kept);
            removed_mass = 0;
        } else if (mass > 0) {
            const std::vector<double> lost = potentials(particles, removed, kept);
            for (std::size_t k = 0; k < kept.size(); ++k)
                potential[k] -= lost[k];
        }
        set.members = std::move(kept);
        set.potential = std::move(potential);
    }
}

BoundSystem Unbinding::find(const Particles& particles, Candidates candidates,
                            const ExternalState& external)
{
    BoundSystem bound;
    bound.half_mass_radius = bound.tidal_radius = no_number;
    if (candidates.members.size() < 2)
        return bound;
    Set set{std::move(candidates.members), std::move(candidates.potential), {}, 0};
    if (set.potential.empty())
        set.potential = potentials(particles, set.members, set.members);
    set.velocity = central_velocity(particles, set.members);
    remove_unbound(particles, set);
    bound.members = std::move(set.members);
    bound.potential = std::move(set.potential);
    if (bound.members.empty())
        return bound;
    bound.mass = set.mass;
    bound.velocity = set.velocity;
    const Particles some = some_of(particles, bound.members);
    bound.center = density_center(some);
    const double half[] = {0.5};
    bound.half_mass_radius = lagrangian_radii(some, bound.center, half)[0];
    bound.tidal_radius = tidal_radius(external, options_.gravitational_constant * bound.mass,
                                      bound.center, bound.velocity);
    return bound;
}

} // namespace chamomile
