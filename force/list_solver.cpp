// One evaluation reads like a step of the method: order, cells, moments, groups, lists, sums.
#include "force/list_solver.hpp"

#include <cmath>

#include "core/error.hpp"
#include "force/cancelling_targets.hpp"
#include "force/list_batches.hpp"
#include "force/singular_pairs.hpp"
#include "tree/walk.hpp"

namespace chamomile {
namespace {

/// What tree and direct sum share: targets in groups, lists in batches, sums back to the caller.
class ListSolver : public AdjustableSolver {
public:
    ListSolver(const SolverOptions& options, SolverParts parts)
        : options_(options), parts_(std::move(parts)), tree_(parts_.builder->memory())
    {}

    /// Where a device has no room for the batches, smaller ones are tried: they change no bit.
    ForceStatistics solve(Particles& particles, Quantities quantities,
                          std::span<const Index> active) override
    {
        for (const std::uint64_t number = number_;; number_ = number)
            try {
                return solve_once(particles, quantities, active);
            } catch (const OutOfDeviceMemory&) {
                if (batch_size() <= least_batch)
                    throw;
                most_in_batch_ = batch_size() / 2;
            }
    }

    std::string device() const override { return parts_.evaluator->device(); }
    const SolverOptions& options() const override { return options_; }
    void adjust(const SolverOptions& settled) override { options_ = settled; }
    void number_next(std::uint64_t number) override { number_ = number; }
    void soften(double length) override { options_.softening.length = length; }

protected:
    /// By which cells are accepted; none if there is no walk.
    virtual std::optional<AcceptanceCriterion> criterion() const { return {}; }
    virtual void prepare_lists() {}
    virtual void list(InteractionLists& lists, std::size_t first_cluster,
                      std::size_t last_cluster) const = 0;
    /// A last look at all sums.
    virtual void improve(const InternalScale&, const ForceOutput&, ForceStatistics&) {}

    SolverOptions options_;
    SolverParts parts_;
    Tree tree_;
    TargetGroups groups_;

private:
    ForceStatistics solve_once(Particles& particles, Quantities quantities,
                               std::span<const Index> active)
    {
        ForceStatistics statistics;
        Profile& profile = statistics.profile;
        parts_.builder->build(tree_,
                              {particles.size(), view_of(std::span(particles.position)),
                               view_of(std::span(particles.mass))},
                              {options_.leaf_size, cluster_size(), criterion(), placement()},
                              profile);
        ++number_;
        if (!active.empty())
            parts_.builder->fetch_order(tree_.octree);
        const Moments& moments = tree_.moments;
        double mass = moments.multipole.empty() ? 0 : moments.multipole[0].mass;
        if (!std::isfinite(mass))
            mass = require_masses(particles, criterion().has_value());
        const InternalScale scale =
            InternalScale::of(moments.bounds.empty() ? 0 : moments.bounds[0].longest_side(),
                              options_.softening.length, mass);
        {
            const TimedPhase phase(profile, "groups");
            make_groups(groups_, tree_.octree, moments, active,
                        {options_.group_size, groups_per_cluster});
        }
        {
            const TimedPhase phase(profile, "nodes");
            prepare_lists();
        }
        const ForceOutput output = output_to(particles, scale, quantities);
        parts_.evaluator->begin({&tree_.octree, &moments, &groups_, scale, options_.softening,
                                 options_.order, quantities, options_.local_order, output});
        submit_batches(
            groups_, *parts_.evaluator, int(batch_size()),
            [&](InteractionLists& lists, std::size_t first, std::size_t last) {
                list(lists, first, last);
            },
            statistics);
        finish(particles, quantities, profile);
        improve(scale, output, statistics);
        parts_.evaluator->add_statistics(statistics);
        statistics.targets = groups_.target_count;
        statistics.groups = groups_.groups.size();
        statistics.cells = tree_.octree.cells.size();
        return statistics;
    }

    CubePlacement placement() const
    {
        return options_.decorrelate ? random_placement(*options_.decorrelate, number_)
                                    : CubePlacement{};
    }

    Index cluster_size() const { return Index(options_.group_size) * groups_per_cluster; }

    /// Of groups.
    std::size_t batch_size() const
    {
        const std::size_t wanted = options_.batch_size > 0 ? std::size_t(options_.batch_size)
                                                           : parts_.evaluator->batch_size();
        return most_in_batch_ > 0 ? std::min(wanted, most_in_batch_) : wanted;
    }

    /// Sums to the caller, in the caller's units.
    ForceOutput output_to(Particles& particles, const InternalScale& scale,
                          Quantities quantities) const
    {
        particles.acceleration.resize(particles.size());
        ForceOutput output{view_of(std::span(particles.acceleration)), {}};
        if (quantities == Quantities::acceleration_potential) {
            particles.potential.resize(particles.size());
            output.potential = view_of(std::span(particles.potential));
        }
        output.potential_unit = options_.gravitational_constant * scale.mass / scale.length;
        output.acceleration_unit = output.potential_unit / scale.length;
        return output;
    }

    void finish(Particles& particles, Quantities quantities, Profile& profile)
    {
        const TimedPhase phase(profile, "results");
        if (parts_.evaluator->finish() > 0) {
            parts_.builder->fetch_order(tree_.octree);
            repair_singular_targets(particles, tree_.octree, groups_, options_, quantities);
        }
    }

    static constexpr std::size_t least_batch = 8;
    std::size_t most_in_batch_ = 0; // what a device had room for; 0: all
    std::uint64_t number_ = 0;      // of the next evaluation
};

class TreeSolver final : public ListSolver {
public:
    using ListSolver::ListSolver;

private:
    std::optional<AcceptanceCriterion> criterion() const override { return criterion_of(options_); }

    void prepare_lists() override
    {
        parts_.builder->finish_nodes(tree_);
        walk_.prepare(tree_.octree, tree_.nodes, *criterion());
    }

    void list(InteractionLists& lists, std::size_t first_cluster,
              std::size_t last_cluster) const override
    {
        walk_.list(lists, groups_, first_cluster, last_cluster);
    }

    Walk walk_{options_.instruction_set};
};

class DirectSolver final : public ListSolver {
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
