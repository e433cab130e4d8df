// All particles by a tree, or by sums over all.
#include "chamomile/force/list_solver.hpp"

#include "chamomile/core/norm.hpp"
#include "chamomile/force/cancelling_targets.hpp"
#include "chamomile/force/tree_lists.hpp"

namespace chamomile {
namespace {

class TreeSolver final : public TreeLists<AdjustableSolver> {
public:
    using TreeLists::TreeLists;

    void adjust(const SolverOptions& settled) override
    {
        TreeLists::adjust(settled);
        looks_ = true;
    }

private:
    /// Once: whether what the criterion takes for the acceleration is near to it.
    void improve(const InternalScale&, const ForceOutput& output,
                 ForceStatistics& statistics) override
    {
        constexpr std::size_t fewest = 100; // of which a part says something
        const bool has_cells = statistics.particle_cell + statistics.expansions > 0;
        if (!looks_ || !criterion()->is_relative() || !has_cells || groups_.target_count < fewest ||
            output.acceleration.on_device)
            return;
        looks_ = false;
        const TimedPhase phase(statistics.profile, "estimates");
        parts_.builder->fetch_order(tree_.octree);
        constexpr std::size_t most = 64;
        const std::size_t clusters = groups_.clusters.size(), step = (clusters + most - 1) / most;
        std::size_t small = 0, seen = 0;
        for (std::size_t c = 0; c < clusters; c += step) {
            const Cluster& cluster = groups_.clusters[c];
            const double least =
                walk_.acceleration(cluster) * std::abs(options_.gravitational_constant) / 8;
            for (Index t = groups_.groups[cluster.first_group].begin;
                 t < groups_.groups[cluster.last_group - 1].end; ++t, ++seen)
                small += norm_of_any_size(output.acceleration.load_vector(
                             tree_.octree.order[groups_.target(t)])) < least;
        }
        if (seen > 0)
            statistics.cancelling_part = double(small) / double(seen);
    }

    bool looks_ = true;
};

class DirectSolver final : public ListSolver<AdjustableSolver> {
public:
    DirectSolver(const SolverOptions& options, SolverParts parts)
        : ListSolver(options, std::move(parts)), cancelling_(options)
    {}

    void soften(double length) override
    {
        ListSolver::soften(length);
        cancelling_ = CancellingTargets(options_);
    }

private:
    void list(InteractionLists& lists, std::size_t first_cluster,
              std::size_t last_cluster) const override
    {
        const std::size_t begin = groups_.clusters[first_cluster].first_group,
                          end = groups_.clusters[last_cluster - 1].last_group;
        list_all_particles(lists, Index(tree_.octree.size),
                           std::span(groups_.groups).subspan(begin, end - begin));
    }

    void improve(const InternalScale& scale, const ForceOutput& output,
                 ForceStatistics& statistics) override
    {
        if (options_.precision == Precision::double_precision)
            return;
        const TimedPhase phase(statistics.profile, "cancelling");
        statistics.cancelling = cancelling_.sum_again(tree_.octree, groups_, scale, output);
    }

    CancellingTargets cancelling_;
};

} // namespace

GroupSizes group_sizes(const SolverOptions& options)
{
    GroupSizes sizes{options.group_size, groups_per_cluster};
    if (options.solver == SolverKind::tree) {
        const bool on_host = options.device == "cpu";
        sizes.least = on_host ? 16 : 0; // a pack; where a GPU would wait for the longest list, none
        sizes.sparse = 1000;
    }
    return sizes;
}

AcceptanceCriterion criterion_of(const SolverOptions& options)
{
    AcceptanceCriterion criterion;
    criterion.kind = options.criterion;
    criterion.theta = options.theta;
    criterion.tolerance = options.tolerance;
    criterion.order = options.order;
    criterion.local_order = options.local_order;
    criterion.softening = options.softening.length;
    if (options.softening.kind == SofteningKind::spline)
        criterion.clearance = options.softening.spline_radius();
    return criterion;
}

std::unique_ptr<AdjustableSolver> make_tree_solver(const SolverOptions& options, SolverParts parts)
{
    return std::make_unique<TreeSolver>(options, std::move(parts));
}

std::unique_ptr<Solver> make_direct_solver(const SolverOptions& options, SolverParts parts)
{
    return std::make_unique<DirectSolver>(options, std::move(parts));
}

} // namespace chamomile
