#include "chamomile/force/list_field.hpp"

#include <cmath>

#include "chamomile/core/error.hpp"
#include "chamomile/core/threads.hpp"
#include "chamomile/force/gpu.hpp"
#include "chamomile/force/list_batches.hpp"
#include "chamomile/force/singular_pairs.hpp"
#include "chamomile/tree/keys.hpp"

namespace chamomile {
namespace {

/// Of a group of targets apart: sources closer than this to its centre are summed in two floats.
Vec3<double> near_reach(const Group& group, double unit)
{
    const Vec3<double> half = 0.5 * (group.box.high - group.box.low);
    const double least = 1e-6 * group.radius + 1e-12 * unit; // above 0 in float
    return {1.0001 * half.x + least, 1.0001 * half.y + least, 1.0001 * half.z + least};
}

} // namespace

ListField::ListField(const SolverOptions& settled, SolverParts parts)
    : options_(settled), parts_(std::move(parts)), tree_(parts_.builder->memory()),
      targets_(parts_.target_builder->memory()), walk_(settled.instruction_set),
      cancelling_(settled)
{}

std::optional<AcceptanceCriterion> ListField::criterion() const
{
    const bool walks = options_.solver != SolverKind::direct;
    return walks ? std::optional(criterion_of(options_)) : std::nullopt;
}

TreePlan ListField::plan() const
{
    return {options_.leaf_size, Index(options_.group_size) * groups_per_cluster, criterion(), {}};
}

void ListField::build(const FieldSources& sources)
{
    build_profile_ = {};
    size_ = 0; // until all is done
    has_order_ = false;
    rank_.clear();
    TreePlan plan = this->plan();
    if (options_.decorrelate)
        plan.placement = random_placement(*options_.decorrelate, builds_++);
    parts_.builder->build(tree_, {sources.count, sources.position, sources.mass}, plan,
                          build_profile_);
    finish_build(sources);
}

void ListField::refit(const FieldSources& sources)
{
    if (sources.count != size())
        throw Error(Fault::input, "refit: sources: " + std::to_string(sources.count) +
                                      ": must be as many as were built: " + std::to_string(size()));
    build_profile_ = {};
    size_ = 0;
    has_order_ = false;
    parts_.builder->refit(tree_, {sources.count, sources.position, sources.mass}, plan(),
                          build_profile_);
    finish_build(sources);
}

void ListField::finish_build(const FieldSources& sources)
{
    const Moments& moments = tree_.moments;
    double mass = moments.multipole.empty() ? 0 : moments.multipole[0].mass;
    const double side = moments.bounds.empty() ? 0 : moments.bounds[0].longest_side();
    const Vec3<double> center =
        moments.multipole.empty() ? Vec3<double>{} : moments.multipole[0].center;
    if (!std::isfinite(mass + side + norm(center)) || !criterion()) {
        const Particles all = all_sources();
        for (std::size_t i = 0; i < all.size(); ++i)
            if (const Vec3<double>& p = all.position[i]; !std::isfinite(p.x + p.y + p.z))
                throw Error(Fault::input,
                            "particle " + std::to_string(i) + ": position: must be finite");
        mass = require_masses(all, criterion().has_value());
    }
    scale_ = InternalScale::of(side, options_.softening.length, mass);
    has_both_signs_ = !criterion() && mass > 0 && !(moments.multipole[0].mass >= 0.999999 * mass);
    if (criterion() && sources.count > 0) {
        const TimedPhase phase(build_profile_, "nodes");
        parts_.builder->finish_nodes(tree_);
        walk_.prepare(tree_.octree, tree_.nodes, *criterion());
    }
    size_ = sources.count;
}

const Octree& ListField::octree()
{
    if (!has_order_) {
        parts_.builder->fetch_order(tree_.octree);
        parts_.builder->fetch_sources(tree_.octree);
    }
    has_order_ = true;
    return tree_.octree;
}

Particles ListField::all_sources()
{
    const Octree& octree = this->octree();
    Particles all;
    all.resize(octree.size);
    for (std::size_t k = 0; k < octree.size; ++k) {
        all.position[octree.order[k]] = octree.sources[k].position;
        all.mass[octree.order[k]] = octree.sources[k].mass;
    }
    return all;
}

std::size_t ListField::sum(const TargetsApart& apart, std::span<const Index> active,
                           const ForceOutput& output, ForceStatistics& statistics)
{
    const bool potential(output.potential);
    room_.try_until_it_fits([&] {
        parts_.evaluator->begin(
            {&tree_.octree, &tree_.moments, &groups_, scale_, options_.softening, options_.order,
             potential ? Quantities::acceleration_potential : Quantities::acceleration,
             options_.local_order, output, apart, active});
        submit(apart, room_.batch_size(options_.batch_size, *parts_.evaluator), statistics);
    });
    const TimedPhase phase(statistics.profile, "results");
    const std::size_t not_finite = parts_.evaluator->finish();
    parts_.evaluator->add_statistics(statistics);
    statistics.targets = groups_.target_count;
    statistics.groups = groups_.groups.size();
    statistics.cells = tree_.octree.cells.size();
    return not_finite;
}

void ListField::submit(const TargetsApart& apart, int batch_size, ForceStatistics& statistics)
{
    submit_batches(
        groups_, *parts_.evaluator, batch_size,
        [&](InteractionLists& lists, std::size_t first, std::size_t last) {
            if (criterion()) {
                walk_.list(lists, groups_, first, last);
            } else {
                const std::size_t begin = groups_.clusters[first].first_group,
                                  end = groups_.clusters[last - 1].last_group;
                list_all_particles(lists, Index(size()),
                                   std::span(groups_.groups).subspan(begin, end - begin));
            }
            if (apart.octree) {
                Index g = groups_.clusters[first].first_group;
                for (ListRow& row : lists.rows)
                    row.near_reach = near_reach(groups_.groups[g++], scale_.length);
            }
        },
        statistics);
}

ForceStatistics ListField::evaluate(const FieldTargets& targets, const FieldResults& results,
                                    MayBeFar far)
{
    ForceStatistics statistics;
    std::swap(statistics.profile, build_profile_); // it belongs to the first evaluation
    ForceOutput output{results.acceleration, results.potential};
    output.set_units(options_.gravitational_constant, scale_);
    if (targets.count == 0)
        return statistics;
    if (!output.acceleration) {
        acceleration_.resize(targets.count);
        output.acceleration = view_of(std::span(acceleration_));
    }
    TreePlan plan = this->plan();
    plan.criterion = {};
    try {
        parts_.target_builder->build(targets_, {targets.count, targets.position}, plan,
                                     statistics.profile);
    } catch (const Error& error) {
        const std::string line = error.what(), particle = "particle ";
        if (line.rfind(particle, 0) != 0)
            throw;
        throw Error(error.fault(), "target " + line.substr(particle.size()));
    }
    if (far == MayBeFar::yes && size() > 0 &&
        is_far(targets_.moments.bounds[0].farthest_distance(tree_.moments.multipole[0].center)))
        return evaluate_with_far(targets, results);
    {
        const TimedPhase phase(statistics.profile, "groups");
        make_groups(groups_, targets_.octree, targets_.moments, {}, target_sizes(targets.count));
        for (Cluster& cluster : groups_.clusters)
            cluster.mass = 0; // targets pull at nothing
        find_self(targets);
    }
    const TargetsApart apart{&targets_.octree, self_.empty() ? nullptr : self_.data()};
    if (sum(apart, {}, output, statistics) > 0)
        repair(targets, output);
    return statistics;
}

/// Groups and clusters of sparse targets are smaller, so that they hold no more sources than usual;
/// but groups fill a pack or warp.
GroupSizes ListField::target_sizes(std::size_t targets) const
{
    const double part = double(targets) / double(size());
    if (!criterion() || part >= 1)
        return {options_.group_size, groups_per_cluster};
    const double most = options_.group_size, least = options_.device == "cpu" ? 16 : 32;
    const double group = std::max(std::min(least, most), part * most);
    return {int(group), std::max(1, int(groups_per_cluster * part * most / group))};
}

void ListField::find_self(const FieldTargets& targets)
{
    self_.clear();
    if (targets.self.empty())
        return;
    if (targets.self.size() != targets.count)
        throw Error(Fault::input, "self: " + std::to_string(targets.self.size()) +
                                      " entries: must be one for each of " +
                                      std::to_string(targets.count) + " targets");
    const Octree& octree = this->octree();
    if (rank_.empty()) {
        rank_.resize(octree.size);
        for (std::size_t k = 0; k < octree.size; ++k)
            rank_[octree.order[k]] = Index(k);
    }
    for (std::size_t i = 0; i < targets.count; ++i)
        if (const std::int64_t self = targets.self[i];
            self < -1 || self >= std::int64_t(octree.size))
            throw Error(Fault::input, "target " + std::to_string(i) +
                                          ": self: " + std::to_string(self) +
                                          ": must be -1 or below " + std::to_string(octree.size));
    parts_.target_builder->fetch_order(targets_.octree);
    self_.resize(targets.count);
#pragma omp parallel for if (targets.count > worth_threads)
    for (std::size_t t = 0; t < targets.count; ++t) {
        const std::int64_t self = targets.self[targets_.octree.order[t]];
        self_[t] = self < 0 ? no_source_here : rank_[std::size_t(self)];
    }
}

ForceStatistics ListField::evaluate_sources(std::span<const Index> active,
                                            const FieldResults& results)
{
    ForceStatistics statistics;
    std::swap(statistics.profile, build_profile_);
    if (size() == 0)
        return statistics;
    if (!criterion() && options_.device != "cpu")
        return sum_on_device(active, results);
    {
        const TimedPhase phase(statistics.profile, "groups");
        if (!active.empty())
            octree(); // with the order
        make_groups(groups_, tree_.octree, tree_.moments, active, group_sizes(options_));
    }
    const std::size_t n = size();
    const bool here = active.empty(); // results are where the caller wants them
    const bool potential(results.potential);
    ForceOutput output{results.acceleration, results.potential};
    if (!here || !output.acceleration) {
        acceleration_.resize(n);
        output.acceleration = view_of(std::span(acceleration_));
    }
    if (!here && potential) {
        potential_.resize(n);
        output.potential = view_of(std::span(potential_));
    }
    output.set_units(options_.gravitational_constant, scale_);
    if (sum({}, active, output, statistics) > 0)
        repair_sources(output);
    if (!criterion() && options_.precision == Precision::single_precision &&
        options_.device == "cpu") {
        const TimedPhase phase(statistics.profile, "cancelling");
        statistics.cancelling = cancelling_.sum_again(octree(), groups_, scale_, output);
    }
    if (!here) {
        std::vector<double> rows(active.size() * 3);
        for (std::size_t k = 0; k < active.size(); ++k)
            for (int c = 0; c < 3; ++c)
                rows[3 * k + std::size_t(c)] = output.acceleration.load(active[k], c);
        write_rows(rows, active.size(), results.acceleration);
        for (std::size_t k = 0; potential && k < active.size(); ++k)
            rows[k] = potential_[active[k]];
        write_rows(rows, active.size(), results.potential);
    }
    return statistics;
}

/// A GPU has a solver of its own for all pairs, which looks after forces that cancel.
ForceStatistics ListField::sum_on_device(std::span<const Index> active, const FieldResults& results)
{
    if (!direct_)
        direct_ = make_solver(options_);
    const bool potential(results.potential);
    Particles all = all_sources();
    const ForceStatistics statistics = direct_->solve(
        all, potential ? Quantities::acceleration_potential : Quantities::acceleration, active);
    std::vector<double> acceleration, wells;
    for (std::size_t k = 0; k < (active.empty() ? all.size() : active.size()); ++k) {
        const std::size_t i = active.empty() ? k : active[k];
        for (int c = 0; c < 3; ++c)
            acceleration.push_back((&all.acceleration[i].x)[c]);
        wells.push_back(potential ? all.potential[i] : 0);
    }
    write_rows(acceleration, wells.size(), results.acceleration);
    write_rows(wells, wells.size(), results.potential);
    return statistics;
}

} // namespace chamomile
