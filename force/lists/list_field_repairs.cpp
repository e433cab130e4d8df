// ListField: sums in double, one target at a time, where float lacks range or digits.
#include <algorithm>
#include <cmath>
#include <optional>

#include "chamomile/core/error.hpp"
#include "chamomile/core/interruption.hpp"
#include "chamomile/core/norm.hpp"
#include "chamomile/force/gpu.hpp"
#include "chamomile/force/lists/list_field.hpp"
#include "chamomile/force/repairs/singular_pairs.hpp"

namespace chamomile {

/// Sums near targets by lists, and far ones one by one: by the moments of all sources, or exactly
/// if masses have both signs or the target is a source.
ForceStatistics ListField::at_points_with_far(const FieldTargets& targets, const Outputs& to)
{
    const Multipole& whole = sources_.tree().moments.multipole[0];
    const std::vector<double> places = read(targets.position, targets.count, 3);
    std::vector<double> acceleration(3 * targets.count), potential(targets.count);
    std::vector<Vec3<double>> near;
    std::vector<std::int64_t> self;
    std::vector<std::size_t> number; // index of each near target
    std::optional<Particles> all;    // the sources, if some target needs them one by one
    std::vector<double> own_length, near_softening;
    const bool per_particle = has_own_softenings();
    if (per_particle)
        own_length = target_softenings(targets);
    // Far sources act with their mean eps^2.
    Softening mean = softening_.pair;
    if (per_particle)
        mean.length = std::sqrt(sources_.tree().moments.softening[0].mean());
    const auto split = [&] {
        for (std::size_t i = 0; i < targets.count; ++i) {
            look_for_interruption();
            const Vec3<double> place{places[3 * i], places[3 * i + 1], places[3 * i + 2]};
            const std::int64_t own = targets.self.empty() ? -1 : targets.self[i];
            if (!is_far(norm_of_any_size(place - whole.center))) {
                near.push_back(place);
                if (per_particle)
                    near_softening.push_back(own_length[i]);
                if (!targets.self.empty())
                    self.push_back(own);
                number.push_back(i);
            } else {
                const bool exactly = sources_.has_both_signs() || own >= 0;
                if (exactly && !all)
                    all = sources_.all();
                const double length = per_particle ? own_length[i] : 0;
                Softening of_pair = mean;
                if (per_particle)
                    of_pair.length = std::sqrt(pair_softening_squared(
                        length * length, mean.length * mean.length, softening_.pair.rule));
                put_sum(exactly ? sum_of_single_target(*all, place, own, softening_.pair, length)
                                : sum_from_afar(whole, place, of_pair),
                        i, acceleration, potential);
            }
        }
    };
    if (parts_.domains)
        parts_.domains->ranks().run_and_agree(split);
    else
        split();
    std::vector<Vec3<double>> accelerations(near.size());
    std::vector<double> potentials(near.size());
    ForceStatistics statistics = at_points(
        {near.size(),
         view_of(std::span(near)),
         {},
         self,
         per_particle ? view_of(std::span(near_softening)) : ArrayView{}},
        {view_of(std::span(accelerations)), view_of(std::span(potentials))}, MayBeFar::no);
    for (std::size_t k = 0; k < near.size(); ++k) {
        std::copy_n(&accelerations[k].x, 3, &acceleration[3 * number[k]]);
        potential[number[k]] = potentials[k];
    }
    write(acceleration, targets.count, to.acceleration);
    write(potential, targets.count, to.potential);
    statistics.targets = targets.count;
    return statistics;
}

void ListField::repair_sources(const ForceOutput& output)
{
    Particles all = sources_.all();
    const std::vector<double> acceleration = read(output.acceleration, all.size(), 3);
    std::vector<double> potential = read(output.potential, all.size(), 1);
    std::vector<Index> singular;
    const Octree& octree = sources_.ordered();
    for (std::size_t t = 0; t < groups_.target_count; ++t) {
        const Index i = octree.order[groups_.target(t)];
        const double* a = &acceleration[3 * i];
        if (!std::isfinite(a[0] + a[1] + a[2] + potential[i]))
            singular.push_back(i);
    }
    for (std::size_t i = 0; i < all.size(); ++i)
        all.acceleration[i] = {acceleration[3 * i], acceleration[3 * i + 1],
                               acceleration[3 * i + 2]};
    all.potential = std::move(potential);
    if (long_range_ && !singular.empty())
        refuse_singular_target(all, singular.front(), softening_.pair);
    SolverOptions exact = options_;
    exact.softening = softening_.pair;
    repair_singular_targets(all, singular, exact, Quantities::acceleration_potential);
    std::vector<double> rows(3 * all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        rows[3 * i] = all.acceleration[i].x;
        rows[3 * i + 1] = all.acceleration[i].y;
        rows[3 * i + 2] = all.acceleration[i].z;
    }
    write(rows, all.size(), output.acceleration);
    write(all.potential, all.size(), output.potential);
}

/// Writes target i's sum in the caller's units. Throws Error(numeric) if it overflows.
void ListField::put_sum(const TargetSum& sum, std::size_t i, std::vector<double>& acceleration,
                        std::vector<double>& potential) const
{
    const double G = options_.gravitational_constant;
    const Vec3<double> a = G * sum.acceleration;
    potential[i] = G * sum.potential;
    if (!std::isfinite(a.x + a.y + a.z + potential[i]))
        throw Error(Fault::numeric, "target " + item(i) + ": field: not finite");
    std::copy_n(&a.x, 3, &acceleration[3 * i]);
}

/// Returns the error for target `number`, whose sum is not finite in a periodic box.
Error ListField::singular_point(std::size_t number)
{
    return Error(Fault::input, "target " + item(number) +
                                   ": field: not finite: a target at the position of a source "
                                   "needs a softening > 0 in a periodic box");
}

/// Repeats non-finite sums, from pairs closer than float resolves, directly and in double.
void ListField::repair_points(const FieldTargets& targets, const ForceOutput& output)
{
    parts_.target_builder->fetch_order(targets_->octree);
    parts_.target_builder->fetch_sources(targets_->octree);
    const Particles all = sources_.all();
    const std::vector<double>& own = targets_->octree.softening; // eps^2, sorted
    std::vector<double> acceleration = read(output.acceleration, targets.count, 3),
                        potential = read(output.potential, targets.count, 1);
    for (std::size_t t = 0; t < targets.count; ++t) {
        look_for_interruption();
        const std::size_t i = targets_->octree.order[t];
        const double* a = &acceleration[3 * i];
        if (std::isfinite(a[0] + a[1] + a[2] + potential[i]))
            continue;
        if (long_range_)
            throw singular_point(i);
        put_sum(sum_of_single_target(all, targets_->octree.sources[t].position,
                                     targets.self.empty() ? -1 : targets.self[i], softening_.pair,
                                     own.empty() ? 0 : std::sqrt(own[t])),
                i, acceleration, potential);
    }
    write(acceleration, targets.count, output.acceleration);
    write(potential, targets.count, output.potential);
}

} // namespace chamomile
