#include "chamomile/force/lists/list_sums.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "chamomile/core/error.hpp"
#include "chamomile/tree/domain/imported_cells.hpp"

namespace chamomile {

Vec3<double> near_distance(const Group& group, double unit)
{
    const Vec3<double> half = 0.5 * (group.box.high - group.box.low);
    const double min = 1e-6 * group.radius + 1e-12 * unit; // above 0 in float
    return {1.0001 * half.x + min, 1.0001 * half.y + min, 1.0001 * half.z + min};
}

void GroupLists::append(InteractionLists& lists, const TargetGroups& groups, ClusterRange range,
                        bool are_open) const
{
    const auto [first, last] = range;
    if (kept && kept->are_complete) {
        lists = kept->batches[first];
        return;
    }
    const std::size_t begin = groups.clusters[first].first_group,
                      end = groups.clusters[last - 1].last_group;
    if (!walk)
        list_all_particles(lists, Index(sources),
                           std::span(groups.groups).subspan(begin, end - begin));
    else if (are_open)
        walk->open(lists, groups, first, last);
    else
        walk->list(lists, groups, first, last);
    if (kept)
        kept->batches[first] = lists;
    if (unit_of_near == 0)
        return;
    auto group = groups.groups.begin() + std::ptrdiff_t(begin);
    for (ListRow& row : lists.rows)
        row.near_distance = near_distance(*group++, unit_of_near);
}

std::size_t ListSums::sum(const SourceTree& sources, const PairForce& force,
                          const ListedTargets& targets, ForceStatistics& statistics)
{
    const EvaluationInput input = input_of(sources, force, targets);
    DomainTreeBuilder* const domains = targets.domains;
    const auto evaluate = [&] { this->evaluate(input, force.options, targets, statistics); };
    if (domains)
        domains->ranks().run_and_agree(evaluate);
    else
        evaluate();
    const TimedPhase phase(statistics.profile, "results");
    std::size_t not_finite = evaluator_.finish();
    evaluator_.add_statistics(statistics);
    statistics.targets = targets.groups.target_count;
    statistics.groups = targets.groups.groups.size();
    statistics.cells = sources.tree().octree.cells.size();
    if (!domains)
        return not_finite;
    statistics.cells = sources.domains()->part().cells();
    return_results(*sources.domains(), targets, not_finite);
    return 0;
}

/// Returns sums to the ranks that own the particles, and counts this evaluation's figures.
void ListSums::return_results(const DomainTreeBuilder& tree, const ListedTargets& targets,
                              std::size_t not_finite)
{
    DomainTreeBuilder& domains = *targets.domains;
    figures_.work += domains.part().return_results(
        targets.groups, targets.lists.walk && evaluator_.finishes_lists(), domains.ranks());
    const Imported imported = tree.part().imported();
    figures_.not_finite += not_finite;
    figures_.imported_particles += imported.particles;
    figures_.imported_cells += imported.cells;
    figures_.partners = std::max(figures_.partners, std::uint64_t(tree.partners()));
    figures_.import_bytes += tree.import_bytes();
    figures_.memory = tree.held_bytes();
}

EvaluationInput ListSums::input_of(const SourceTree& sources, const PairForce& force,
                                   const ListedTargets& targets)
{
    const SolverOptions& options = force.options;
    const Tree& tree = sources.tree();
    EvaluationInput input{.octree = &tree.octree,
                          .moments = &tree.moments,
                          .groups = &targets.groups,
                          .scale = sources.scale(),
                          .softening = force.softening.pair,
                          .order = options.order,
                          .local_order = options.local_order,
                          .output = targets.output,
                          .separate = targets.separate,
                          .active = targets.active,
                          .is_adjoint = targets.is_adjoint};
    if (targets.domains) {
        DomainPart& part = targets.domains->part();
        const ArrivalSums sums =
            part.begin_sums({targets.output.acceleration, targets.output.potential},
                            targets.groups.target_count, targets.has_potentials);
        input.output.acceleration = sums.rows.acceleration;
        input.output.potential = sums.rows.potential;
        input.arrivals = sums;
        input.active = part.active();
        input.targets_of_ranks = sources.domains()->targets();
        input.nodes = &tree.nodes;
        input.work = part.work_of_targets();
        input.groups_per_cluster = options.cluster_size;
    }
    input.quantities = input.output.potential || targets.has_potentials
                           ? Quantities::acceleration_potential
                           : Quantities::acceleration;
    if (const LongRangeField* long_range = force.long_range) {
        const double unit = input.scale.length;
        const std::pair ranges(long_range->split() / unit, long_range->cut() / unit);
        if (std::exchange(fitted_for_, ranges) != ranges)
            form_ = ShortRangeForm::fit(ranges.first, ranges.second);
        input.periodicity = {options.box};
        input.cut = long_range->cut();
        input.form = &form_;
        input.mesh = targets.adds_mesh ? long_range->of_evaluator() : nullptr;
    }
    return input;
}

void ListSums::evaluate(const EvaluationInput& input, const SolverOptions& options,
                        const ListedTargets& targets, ForceStatistics& statistics)
{
    const auto is_to_be_repeated = [&] {
        const TimedPhase phase(statistics.profile, "results");
        return evaluator_.needs_repetition();
    };
    do
        batch_limit_.try_until_it_fits([&] {
            evaluator_.begin(input);
            submit_batches(
                targets.groups, evaluator_, batch_limit_.batch_size(options.batch_size, evaluator_),
                [&](InteractionLists& lists, std::size_t first, std::size_t last) {
                    append(lists, targets, {first, last}, options.cluster_size);
                },
                statistics);
        });
    while (is_to_be_repeated());
}

void ListSums::append(InteractionLists& lists, const ListedTargets& targets, ClusterRange range,
                      int groups_per_cluster)
{
    const bool are_open = evaluator_.finishes_lists();
    targets.lists.append(lists, targets.groups, range, are_open);
    if (!targets.domains || are_open)
        return;
    if (has_absent(lists))
        throw Error(Fault::numeric, "domains: a list opens a cell that was not imported");
    targets.domains->part().record_work(targets.groups, lists, groups_per_cluster);
}

} // namespace chamomile
