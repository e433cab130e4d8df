#include "chamomile/force/pairs/field_derivatives.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "chamomile/core/error.hpp"
#include "chamomile/core/interruption.hpp"
#include "chamomile/force/pairs/coincident_sources.hpp"

namespace chamomile {
namespace {

std::vector<double> squared(std::vector<double> lengths)
{
    for (double& length : lengths)
        length *= length;
    return lengths;
}

void note(const PairStatistics& pairs, ForceStatistics& statistics)
{
    statistics.particle_particle += pairs.pairs;
    statistics.targets = pairs.targets;
    statistics.device_busy += pairs.device_busy;
}

void append(const Vec3<double>& vector, std::vector<double>& rows)
{
    rows.insert(rows.end(), {vector.x, vector.y, vector.z});
}

bool is_finite(const std::vector<double>& rows, std::size_t i, std::size_t width)
{
    return rows.empty() || std::all_of(&rows[width * i], &rows[width * i] + width,
                                       [](double x) { return std::isfinite(x); });
}

/// Writes row k of `from` as row i of `to`; both may be empty.
void replace(const std::vector<double>& from, std::size_t k, std::vector<double>& to, std::size_t i,
             std::size_t width)
{
    if (!to.empty())
        std::copy_n(&from[width * k], width, &to[width * i]);
}

} // namespace

void FieldDerivatives::take_velocities(const std::vector<double>& velocities)
{
    for (std::size_t k = 0; k < velocities.size(); ++k)
        if (!std::isfinite(velocities[k]))
            throw Error(Fault::input, "source " + item(k / 3) + ": velocity: must be finite");
    velocity_.clear();
    for (std::size_t k = 0; k < velocities.size(); k += 3)
        velocity_.push_back({velocities[k], velocities[k + 1], velocities[k + 2]});
}

FieldDerivatives::Sums FieldDerivatives::at_sources(ListField& lists, FieldAdjoint& adjoint,
                                                    std::span<const Index> active,
                                                    const FieldResults& wanted,
                                                    ForceStatistics& statistics)
{
    if (wanted.jerk && velocity_.empty())
        throw Error(Fault::usage, "sources: velocities: missing: needed for jerks");
    if (!active.empty())
        return by_pairs(lists, {active.begin(), active.end()}, wanted, statistics);
    if (options_.solver == SolverKind::tree)
        return by_lists(lists, adjoint, wanted, statistics);
    std::vector<Index> all(lists.size());
    std::iota(all.begin(), all.end(), Index(0));
    return by_pairs(lists, all, wanted, statistics);
}

/// Sums at all sources by the lists, and over pairs where that is not finite.
FieldDerivatives::Sums FieldDerivatives::by_lists(ListField& lists, FieldAdjoint& adjoint,
                                                  const FieldResults& wanted,
                                                  ForceStatistics& statistics)
{
    const std::size_t n = lists.size();
    Sums sums;
    const auto derive = [&](const ArrayView& lambda, const ArrayView& velocity) {
        ForceStatistics own;
        std::vector<double> rows = adjoint.derivatives(lists, lambda, velocity, own);
        add(statistics, own);
        return rows;
    };
    if (wanted.tidal) {
        sums.tidal.resize(6 * n);
        for (std::size_t axis = 0, at = 0; axis < 3; at += 3 - axis++) { // the upper triangle
            Vec3<double> along;
            (&along.x)[axis] = 1;
            const std::vector<double> row = derive({}, vectors_at(&along.x, 0));
            for (std::size_t i = 0; i < n; ++i)
                std::copy_n(&row[3 * i + axis], 3 - axis, &sums.tidal[6 * i + at]);
        }
    }
    if (wanted.jerk) {
        const std::vector<double> mass = copy_of(lists).mass;
        std::vector<Vec3<double>> lambda(n);
        for (std::size_t i = 0; i < n; ++i)
            lambda[i] = mass[i] * velocity_[i];
        sums.jerk = derive(view_of(std::span<const Vec3<double>>(lambda)),
                           view_of(std::span<const Vec3<double>>(velocity_)));
    }
    std::vector<Index> singular;
    for (std::size_t i = 0; i < n; ++i)
        if (!is_finite(sums.tidal, i, 6) || !is_finite(sums.jerk, i, 3))
            singular.push_back(Index(i));
    if (singular.empty())
        return sums;
    const Sums again = by_pairs(lists, singular, wanted, statistics);
    for (std::size_t k = 0; k < singular.size(); ++k) {
        replace(again.tidal, k, sums.tidal, singular[k], 6);
        replace(again.jerk, k, sums.jerk, singular[k], 3);
    }
    return sums;
}

FieldDerivatives::Sums FieldDerivatives::by_pairs(ListField& lists,
                                                  const std::vector<Index>& sources,
                                                  const FieldResults& wanted,
                                                  ForceStatistics& statistics)
{
    PairTargets targets;
    targets.self = sources;
    const FieldCopy all = copy_of(lists);
    for (const Index i : sources) {
        append(all.position[i], targets.position);
        if (wanted.jerk)
            append(velocity_[i], targets.velocity);
        if (lists.has_own_softenings())
            targets.softening.push_back(all.softening[i]);
    }
    refuse_coincident(lists, targets);
    return at_points(lists, targets, wanted, statistics);
}

FieldDerivatives::Sums FieldDerivatives::at_points(ListField& lists, const PairTargets& targets,
                                                   const FieldResults& wanted,
                                                   ForceStatistics& statistics)
{
    FieldCopy places = copy_of(lists);
    const std::size_t n = places.mass.size(), count = targets.self.size();
    double mass = 0;
    for (const double m : places.mass)
        mass += std::abs(m);
    const double unit = InternalScale::of(0, 0, mass).mass; // float's range is narrower
    for (double& m : places.mass)
        m /= unit;
    const std::span<const double> position =
                                      as_rows(std::span<const Vec3<double>>(places.position)),
                                  velocity = as_rows(std::span<const Vec3<double>>(velocity_));
    const std::vector<double> squares = squared(places.softening), own = squared(targets.softening);
    look_for_interruption();
    const Coincident at = find_coincident(lists, targets);
    const Exclusions excluded{at.begin, at.sources};
    laws_.take(lists.softening(), lists.has_own_softenings());
    Sums result;
    if (wanted.tidal) {
        result.tidal.resize(6 * count);
        note(
            laws_.tidal().sum({joined(count, {targets.position, own}),
                               joined(n, {position, places.mass, squares}), targets.self, excluded},
                              result.tidal),
            statistics);
    }
    if (wanted.jerk) {
        if (velocity.size() != 3 * n)
            throw Error(Fault::usage, "sources: velocities: missing: needed for jerks");
        std::vector<double> sums(7 * count);
        result.jerk.resize(3 * count);
        note(laws_.jerk().sum({joined(count, {targets.position, targets.velocity, own}),
                               joined(n, {position, velocity, places.mass, squares}), targets.self,
                               excluded},
                              sums),
             statistics);
        for (std::size_t i = 0; i < count; ++i)
            std::copy_n(&sums[7 * i + 3], 3, &result.jerk[3 * i]);
    }
    for (std::vector<double>* rows : {&result.tidal, &result.jerk})
        for (double& value : *rows)
            value *= unit * options_.gravitational_constant;
    return result;
}

} // namespace chamomile
