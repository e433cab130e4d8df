// ListField: sums at points that need not be sources.
#include <cmath>

#include "chamomile/core/error.hpp"
#include "chamomile/core/norm.hpp"
#include "chamomile/core/threads.hpp"
#include "chamomile/force/lists/list_field.hpp"
#include "chamomile/force/repairs/singular_pairs.hpp"

namespace chamomile {

ForceStatistics ListField::at_points(const FieldTargets& targets, const Outputs& to)
{
    return at_points(targets, to, long_range_ ? MayBeFar::no : MayBeFar::yes);
}

ForceStatistics ListField::at_points(const FieldTargets& targets, const Outputs& to, MayBeFar far)
{
    ForceStatistics statistics;
    statistics.profile = sources_.consume_profile();
    const std::size_t count = count_of_all(targets.count);
    if (count == 0)
        return statistics;
    ArrayView acceleration = to.acceleration;
    std::vector<Vec3<double>> unwanted;
    if (!acceleration && !parts_.domains) {
        unwanted.resize(targets.count);
        acceleration = view_of(std::span(unwanted));
    }
    const ForceOutput output = in_units(acceleration, to.potential);
    FieldTargets inside = targets;
    if (long_range_)
        inside.position = in_box(targets.position, targets.count, wrapped_targets_);
    if (long_range_ && to.long_range != LongRangePart::left_out)
        long_range_->cover(targets.count, inside.position);
    TreePlan plan = tree_plan();
    plan.groups = sizes_of_points(options_, count, size());
    plan.groups.longest_side = longest_group();
    plan.has_no_listed_targets = true;
    plan.criterion = {};
    plan.placement = {};
    std::vector<double> softenings;
    TreeParticles points{targets.count, inside.position};
    if (has_own_softenings()) {
        softenings = target_softenings(targets);
        points.softening = view_of(std::span(softenings));
    }
    if (parts_.domains)
        points.ranks = RowsOfRank{.per_particle = has_own_softenings()};
    points.word = "target";
    parts_.target_builder->build(*targets_, points, plan, statistics.profile);
    if (far == MayBeFar::yes && size() > 0 &&
        is_far(targets_->moments.bounds[0].farthest_distance(
            sources_.tree().moments.multipole[0].center))) {
        add(statistics, at_points_with_far(targets, to));
        return statistics;
    }
    {
        const TimedPhase phase(statistics.profile, "groups");
        parts_.target_builder->make_groups(groups_, *targets_, {}, plan.groups);
        for (Cluster& cluster : groups_.clusters)
            cluster.mass = 0; // targets exert no force
        find_self(targets);
    }
    GroupLists lists = lists_for_groups(statistics);
    lists.unit_of_near = sources_.scale().length;
    const ListedTargets listed{
        .groups = groups_,
        .lists = lists,
        .output = output,
        .separate = {&targets_->octree, self_.empty() ? nullptr : self_.data()},
        .domains = parts_.target_domains,
        .has_potentials = plan_.has_potentials};
    if (sums_.sum(sources_, force(), listed, statistics) > 0)
        repair_points(targets, output);
    if (long_range_)
        add_long_range_at(inside, to, statistics);
    record_softening(statistics);
    return statistics;
}

/// Adds the long range at any points; only targets that are sources have a self term.
void ListField::add_long_range_at(const FieldTargets& targets, const Outputs& to,
                                  ForceStatistics& statistics)
{
    if (to.long_range == LongRangePart::left_out)
        return;
    const ArrayView& into =
        to.long_range == LongRangePart::stored ? to.long_range_acceleration : to.acceleration;
    const std::size_t n = targets.count;
    if (n == 0) // on this rank
        return;
    std::vector<Vec3<double>> place(n), acceleration(n);
    std::vector<double> rows = read(targets.position, n, 3), potentials(n);
    std::copy(rows.begin(), rows.end(), &place[0].x);
    long_range_->add(n, view_of(std::span(place)), {}, view_of(std::span(acceleration)),
                     to.potential ? view_of(std::span(potentials)) : ArrayView{},
                     statistics.profile);
    rows = read(into, n, 3);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t c = 0; c < 3; ++c)
            rows[3 * i + c] += (&acceleration[i].x)[c];
    write(rows, n, into);
    if (!to.potential)
        return;
    std::vector<double> mass(targets.self.empty() ? 0 : size());
    if (!targets.self.empty()) {
        const Octree& octree = sources_.octree();
        for (std::size_t k = 0; k < octree.size; ++k)
            mass[octree.order[k]] = octree.sources[k].mass;
    }
    std::vector<double> potential = read(to.potential, n, 1);
    const PotentialOffset offset = long_range_->potential_offset();
    for (std::size_t i = 0; i < n; ++i) {
        const std::int64_t self = targets.self.empty() ? -1 : targets.self[i];
        potential[i] += potentials[i] + offset(self < 0 ? 0 : mass[std::size_t(self)]);
    }
    write(potential, n, to.potential);
}

/// Returns softening lengths for targets, for sources with per-particle softening.
std::vector<double> ListField::target_softenings(const FieldTargets& targets)
{
    std::vector<double> length(targets.count);
    if (targets.softening)
        return cut_softenings(targets.softening, targets.count);
    if (!targets.self.empty()) {
        const Octree& octree = sources_.octree();
        const std::span<const Index> place = sources_.places();
        for (std::size_t i = 0; i < targets.count && i < targets.self.size(); ++i)
            if (const std::int64_t self = targets.self[i];
                self >= 0 && self < std::int64_t(place.size()))
                length[i] = std::sqrt(octree.softening[place[std::size_t(self)]]);
    }
    return length;
}

void ListField::find_self(const FieldTargets& targets)
{
    self_.clear();
    if (targets.self.empty())
        return;
    if (targets.self.size() != targets.count)
        throw Error(Fault::input, "self: " + std::to_string(targets.self.size()) +
                                      " entries: must be one per target, " +
                                      std::to_string(targets.count));
    const Octree& octree = sources_.octree();
    const std::span<const Index> place = sources_.places();
    for (std::size_t i = 0; i < targets.count; ++i)
        if (const std::int64_t self = targets.self[i];
            self < -1 || self >= std::int64_t(octree.size))
            throw Error(Fault::input, "target " + item(i) + ": self: " + std::to_string(self) +
                                          ": must be -1 or below " + std::to_string(octree.size));
    parts_.target_builder->fetch_order(targets_->octree);
    self_.resize(targets.count);
#pragma omp parallel for if (targets.count > worth_threads)
    for (std::size_t t = 0; t < targets.count; ++t) {
        const std::int64_t self = targets.self[targets_->octree.order[t]];
        self_[t] = self < 0 ? no_source_here : place[std::size_t(self)];
    }
}

} // namespace chamomile
