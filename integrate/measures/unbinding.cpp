// Potentials are computed only where they decide. A particle whose kinetic energy is below a limit
// of its depth (MinDepth) needs none; the others are the edge. Within the edge the potential
// after a removal is the old one less the potential of the removed particles, which are few.
#include "chamomile/integrate/measures/unbinding.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "chamomile/core/threads.hpp"
#include "chamomile/force/ranks/domain_solver.hpp"
#include "chamomile/integrate/external/external_field.hpp"

namespace chamomile {

namespace unbinding {

/// A particle as far as it decides what is bound. The potential is exact or too deep.
struct Member {
    Vec3<double> velocity;
    double mass, potential;
    Index index;
};

struct MassAndMomentum {
    double mass = 0;
    Vec3<double> momentum;
    std::size_t count = 0;

    void add(const MassAndMomentum& other)
    {
        mass += other.mass;
        momentum += other.momentum;
        count += other.count;
    }
};

} // namespace unbinding

namespace {

using unbinding::Member, unbinding::MassAndMomentum;

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

/// Returns whether a direct sum over the removed costs more than the potentials of all by a tree.
bool are_many(std::size_t removed, std::size_t edge, std::size_t sure)
{
    return removed * edge > 256 * (edge + sure);
}

double kinetic(const Vec3<double>& velocity, const Vec3<double>& mean)
{
    return 0.5 * norm_squared(velocity - mean);
}

bool is_bound(const Member& one, const Vec3<double>& mean)
{
    return kinetic(one.velocity, mean) + one.potential < 0;
}

/// Adds the members that `is_counted`, in blocks: independent of the number of threads.
template <class IsCounted>
MassAndMomentum sum_over(std::span<const Member> members, const IsCounted& is_counted)
{
    constexpr std::size_t block = 4096;
    std::vector<MassAndMomentum> sums((members.size() + block - 1) / block);
#pragma omp parallel for if (members.size() > worth_threads) schedule(static)
    for (std::size_t b = 0; b < sums.size(); ++b) {
        MassAndMomentum sum;
        for (const Member& one :
             members.subspan(b * block, std::min(block, members.size() - b * block))) {
            const bool counts = is_counted(one); // no branch: it would be mispredicted
            const double mass = double(counts) * one.mass;
            sum.mass += mass;
            sum.momentum += mass * one.velocity;
            sum.count += counts;
        }
        sums[b] = sum;
    }
    MassAndMomentum all;
    for (const MassAndMomentum& sum : sums)
        all.add(sum);
    return all;
}

struct Removal {
    std::vector<Member> members;
    double mass_left = 0;
};

/// Moves `velocity` to the mean of the bound members and of `sure`, then removes the unbound
/// members.
Removal remove_unbound(std::vector<Member>& members, const MassAndMomentum& sure,
                       Vec3<double>& velocity)
{
    MassAndMomentum bound;
    for (int round = 0; round < 100; ++round) {
        const std::size_t before = bound.count;
        bound = sum_over(members, [&](const Member& one) { return is_bound(one, velocity); });
        bound.add(sure);
        if (!(bound.mass > 0))
            return {std::exchange(members, {}), 0};
        const Vec3<double> mean = (1 / bound.mass) * bound.momentum;
        if (before == bound.count && mean == velocity)
            break;
        velocity = mean;
    }
    const auto unbound = std::stable_partition(
        members.begin(), members.end(), [&](const Member& one) { return is_bound(one, velocity); });
    Removal removal{{unbound, members.end()}, bound.mass};
    members.erase(unbound, members.end());
    return removal;
}

/// Mean position and velocity.
struct Middle {
    Vec3<double> position, velocity;
};

/// Returns the middle of the members with the deepest potentials.
Middle deepest(const Particles& particles, std::span<const Member> members)
{
    std::vector<double> potential(members.size());
    std::ranges::transform(members, potential.begin(), &Member::potential);
    const std::size_t count =
        std::min(members.size() - 1, std::max<std::size_t>(100, members.size() / 100));
    std::ranges::nth_element(potential, potential.begin() + std::ptrdiff_t(count));
    double mass = 0;
    Middle middle;
    for (const Member& one : members)
        if (one.potential <= potential[count]) {
            mass += one.mass;
            middle.position += one.mass * particles.position[one.index];
            middle.velocity += one.mass * one.velocity;
        }
    if (mass > 0) {
        middle.position = (1 / mass) * middle.position;
        middle.velocity = (1 / mass) * middle.velocity;
    }
    return middle;
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

/// A depth that the potential of some particles has at least: no pair is farther apart than the sum
/// of its distances from a center. By bins of squared distances, four per factor of 2;
/// 0 beyond the farthest source.
class MinDepth {
public:
    /// `length`: no pair is softened more than by a Plummer softening of this length.
    MinDepth(const Particles& particles, std::span<const Member> sources,
             const Vec3<double>& center, double G, double length)
        : particles_(particles), center_(center)
    {
        double max = 0;
        for (const Member& one : sources)
            max = std::max(max, distance_squared(one));
        const auto square = [](double x) { return x * x; };
        first_ = std::max<std::int64_t>(steps(max) - (bins - 1), 0);
        std::array<double, bins> mass{}, edge;
        for (const Member& one : sources)
            mass[bin_of(one)] += one.mass;
        for (int b = 0; b < bins; ++b)
            edge[b] = std::sqrt(std::bit_cast<double>((first_ + b + 1) << shift));
        for (int b = 0; b < bins; ++b) {
            for (int c = 0; c < bins; ++c)
                depth_[b] += G * mass[c] / std::sqrt(square(edge[b] + edge[c]) + square(length));
            own_[b] = G / std::sqrt(square(2 * edge[b]) + square(length));
        }
    }

    double at(const Member& one) const { return depth_[bin_of(one)]; }
    /// Without the depth of a source in its own field.
    double of_source(const Member& one) const
    {
        const std::size_t b = bin_of(one);
        return depth_[b] - one.mass * own_[b];
    }

private:
    static constexpr int bins = 64, shift = 50;
    static std::int64_t steps(double value) { return std::bit_cast<std::int64_t>(value) >> shift; }
    double distance_squared(const Member& one) const
    {
        return norm_squared(particles_.position[one.index] - center_);
    }
    std::size_t bin_of(const Member& one) const
    {
        return std::size_t(
            std::clamp<std::int64_t>(steps(distance_squared(one)) - first_, 0, bins));
    }

    const Particles& particles_;
    Vec3<double> center_;
    std::int64_t first_;
    std::array<double, bins + 1> depth_{}, own_{}; // of all sources; of a unit mass on itself
};

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

Unbinding::Unbinding(const SolverOptions& options) : options_(options)
{
    if (asks_ranks(options))
        options_ = of_first_rank(options);
    options_.accuracy.reset();
}

/// Returns the potentials of the first `sources` of the particles `places` at `targets`, which are
/// indices in `places`; empty: all. The other particles are tracers: then by a direct sum.
std::vector<double> Unbinding::potentials(const Particles& particles, std::span<const Index> places,
                                          std::size_t sources, std::span<const Index> targets)
{
    const bool are_all = sources == places.size();
    std::unique_ptr<Solver>& solver = are_all ? whole_ : direct_;
    if (!solver) {
        SolverOptions options = options_;
        if (!are_all)
            options.solver = SolverKind::direct;
        solver = make_solver(options);
    }
    const std::size_t n = places.size();
    std::vector<Vec3<double>> position(n), acceleration(n);
    std::vector<double> mass(n), potential(n), softening(particles.softening.empty() ? 0 : n);
    std::vector<std::uint64_t> id(n);
#pragma omp parallel for if (n > worth_threads) schedule(static)
    for (std::size_t k = 0; k < n; ++k) {
        position[k] = particles.position[places[k]];
        mass[k] = k < sources ? particles.mass[places[k]] : 0;
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
                    .active = targets};
    if (!softening.empty())
        request.softening = view_of(std::span(softening));
    solver->evaluate(request);
    for (std::size_t k = 0; k < targets.size(); ++k)
        potential[k] = potential[targets[k]];
    if (!targets.empty())
        potential.resize(targets.size());
    return potential;
}

/// Sets the potentials of `edge`, some members of `all`.
void Unbinding::compute(const Particles& particles, std::span<const Member> all,
                        std::span<Member> edge)
{
    std::vector<Index> places, targets;
    auto next = edge.begin();
    for (const Member& one : all) {
        if (next != edge.end() && next->index == one.index) {
            targets.push_back(Index(places.size()));
            ++next;
        }
        places.push_back(one.index);
    }
    const std::vector<double> potential = potentials(particles, places, places.size(), targets);
    for (std::size_t k = 0; k < edge.size(); ++k)
        edge[k].potential = potential[k];
}

/// Subtracts the potentials of removed members.
void Unbinding::subtract(const Particles& particles, std::span<const Member> removed,
                         std::span<Member> edge)
{
    std::vector<Index> places, targets(edge.size());
    for (const Member& one : removed)
        if (one.mass > 0)
            places.push_back(one.index);
    const std::size_t sources = places.size();
    if (sources == 0 || edge.empty())
        return;
    std::iota(targets.begin(), targets.end(), Index(sources));
    for (const Member& one : edge)
        places.push_back(one.index);
    const std::vector<double> lost = potentials(particles, places, sources, targets);
    for (std::size_t k = 0; k < edge.size(); ++k)
        edge[k].potential -= lost[k];
}

/// Removes the unbound members of `edge` until none is left; `sure` are bound. Returns the last
/// removal if its potential is not subtracted: direct sums would cost more than the potentials of
/// all, or differences would lose digits.
std::vector<Member> Unbinding::strip(const Particles& particles, std::vector<Member>& edge,
                                     const MassAndMomentum& sure, Vec3<double>& velocity)
{
    double removed_mass = 0;
    for (;;) {
        Removal removal = remove_unbound(edge, sure, velocity);
        for (const Member& one : removal.members)
            removed_mass += one.mass;
        if (removal.members.empty() || 2 * removed_mass > removal.mass_left ||
            are_many(removal.members.size(), edge.size(), sure.count))
            return std::move(removal.members);
        subtract(particles, removal.members, edge);
    }
}

std::vector<Index> Unbinding::bound_members(const Particles& particles, std::vector<Member> members,
                                            Vec3<double>& velocity)
{
    const double length = std::numbers::sqrt2 * // the rule may add squares
                          std::max(options_.softening.length, options_.softening.reach());
    const auto [center, first_velocity] = deepest(particles, members);
    const auto min_depth = [&, center = center](std::span<const Member> sources) {
        return MinDepth(particles, sources, center, options_.gravitational_constant, length);
    };
    velocity = first_velocity;
    std::vector<Member> removed = remove_unbound(members, {}, velocity).members;
    bool are_settled = removed.empty();
    for (bool are_exact = true; !are_settled && !members.empty(); are_exact = false) {
        // Some members are unbound even with the min pull of the removed ones.
        for (; 50 * removed.size() > members.size(); are_exact = false) {
            const MinDepth lost = min_depth(removed);
            for (Member& one : members)
                one.potential += lost.at(one);
            removed = remove_unbound(members, {}, velocity).members;
        }
        constexpr double margin = 0.9; // removals raise potentials
        const MinDepth depth = min_depth(members);
        std::vector<Member> sure, edge;
        for (const Member& one : members)
            (kinetic(one.velocity, velocity) < margin * depth.of_source(one) ? sure : edge)
                .push_back(one);
        if (are_exact && !are_many(removed.size(), edge.size(), sure.size()))
            subtract(particles, removed, edge);
        else
            compute(particles, members, edge);
        removed =
            strip(particles, edge, sum_over(sure, [](const Member&) { return true; }), velocity);
        members.clear();
        std::ranges::merge(sure, edge, std::back_inserter(members), {}, &Member::index,
                           &Member::index);
        const MinDepth left = min_depth(members);
        are_settled = removed.empty() && std::ranges::all_of(sure, [&](const Member& one) {
                          return kinetic(one.velocity, velocity) < left.of_source(one);
                      });
    }
    std::vector<Index> places;
    for (const Member& one : members)
        places.push_back(one.index);
    return places;
}

BoundSystem Unbinding::find(const Particles& particles, Candidates candidates,
                            const ExternalState& external)
{
    BoundSystem bound;
    bound.half_mass_radius = bound.tidal_radius = no_number;
    const std::size_t n = candidates.members.size();
    if (n < 2)
        return bound;
    if (candidates.potential.empty())
        candidates.potential = potentials(particles, candidates.members, n, {});
    std::vector<Member> members(n);
#pragma omp parallel for if (n > worth_threads) schedule(static)
    for (std::size_t k = 0; k < n; ++k) {
        const Index i = candidates.members[k];
        members[k] = {particles.velocity[i], particles.mass[i], candidates.potential[k], i};
    }
    bound.members = bound_members(particles, std::move(members), bound.velocity);
    if (bound.members.empty()) {
        bound.velocity = {};
        return bound;
    }
    const Particles some = some_of(particles, bound.members);
    for (const double mass : some.mass)
        bound.mass += mass;
    bound.center = density_center(some);
    const double half[] = {0.5};
    bound.half_mass_radius = lagrangian_radii(some, bound.center, half)[0];
    bound.tidal_radius = tidal_radius(external, options_.gravitational_constant * bound.mass,
                                      bound.center, bound.velocity);
    return bound;
}

} // namespace chamomile
