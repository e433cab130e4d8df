/// \file  What the solvers by interaction lists share: one evaluation reads like a step of the
/// method.
#pragma once

#include <utility>

#include "chamomile/core/error.hpp"
#include "chamomile/core/threads.hpp"
#include "chamomile/force/list_batches.hpp"
#include "chamomile/force/list_solver.hpp"
#include "chamomile/force/singular_pairs.hpp"
#include "chamomile/tree/walk.hpp"

namespace chamomile {

/// What tree and direct sum share: targets in groups, lists in batches, sums back to the caller.
template <class Interface>
class ListSolver : public Interface {
public:
    ListSolver(const SolverOptions& options, SolverParts parts)
        : options_(options), parts_(std::move(parts)), tree_(parts_.builder->memory())
    {}

    /// Where a device has no room for the batches, smaller ones are tried: they change no bit.
    ForceStatistics solve(Particles& particles, Quantities quantities,
                          std::span<const Index> active) override
    {
        const std::size_t n = particles.size();
        particles.acceleration.resize(n);
        Request request{
            {n, view_of(std::span(particles.position)), view_of(std::span(particles.mass))},
            {view_of(std::span(particles.acceleration)), {}},
            quantities,
            active,
            &particles};
        if (quantities == Quantities::acceleration_potential) {
            particles.potential.resize(n);
            request.output.potential = view_of(std::span(particles.potential));
        }
        return evaluate(request);
    }

    ForceStatistics solve_there(const DeviceArrays& arrays) override
    {
        return evaluate(
            {{arrays.count, arrays.position, arrays.mass},
             {arrays.acceleration, arrays.potential},
             arrays.potential ? Quantities::acceleration_potential : Quantities::acceleration,
             {},
             nullptr,
             arrays.level,
             arrays.first});
    }

    bool takes_device_arrays() const override { return options_.device != "cpu"; }

    std::string device() const override { return parts_.evaluator->device(); }
    const SolverOptions& options() const override { return options_; }
    void adjust(const SolverOptions& settled) override { options_ = settled; }
    void number_next(std::uint64_t number) override { number_ = number; }
    void keep_tree(bool kept) override { keeps_tree_ = kept; }
    void soften(double length) override { options_.softening.length = length; }

protected:
    /// By which cells are accepted; none if there is no walk.
    virtual std::optional<AcceptanceCriterion> criterion() const { return {}; }
    virtual void built(Profile&) {}
    virtual void prepare_lists() {}
    /// Completes what the evaluator is told.
    virtual void complete(EvaluationInput&) {}
    virtual double longest_group() const { return Box::infinity; }
    virtual void list(InteractionLists& lists, std::size_t first_cluster,
                      std::size_t last_cluster) const = 0;
    /// What to do about sums that are not finite.
    virtual void repair(Particles& particles, Quantities quantities)
    {
        repair_singular_targets(particles, tree_.octree, groups_, options_, quantities);
    }
    /// A last look at all sums.
    virtual void improve(const InternalScale&, const ForceOutput&, ForceStatistics&) {}

    SolverOptions options_;
    SolverParts parts_;
    Tree tree_;
    TargetGroups groups_;

private:
    struct Request {
        TreeParticles sources;
        ForceOutput output;
        Quantities quantities;
        std::span<const Index> active;
        Particles* particles;                ///< that these are; null: they are a device's
        const std::uint8_t* level = nullptr; ///< DeviceArrays::level
        int first = 0;
    };

    ForceStatistics evaluate(const Request& request)
    {
        for (const std::uint64_t number = number_;; number_ = number)
            try {
                return evaluate_once(request);
            } catch (const OutOfDeviceMemory&) {
                if (batch_size() <= least_batch)
                    throw;
                most_in_batch_ = batch_size() / 2;
                if (is_kept_) // other cells would make other bits
                    grown_ = request.sources.count;
            }
    }

    ForceStatistics evaluate_once(const Request& request)
    {
        const std::span<const Index> active = request.active;
        ForceStatistics statistics;
        Profile& profile = statistics.profile;
        grow_tree(request.sources, profile);
        built(profile);
        ++number_;
        const Moments& moments = tree_.moments;
        double mass = moments.multipole.empty() ? 0 : moments.multipole[0].mass;
        if (!std::isfinite(mass))
            mass = require_masses(host(request), criterion().has_value());
        const InternalScale scale =
            InternalScale::of(moments.bounds.empty() ? 0 : moments.bounds[0].longest_side(),
                              options_.softening.length, mass);
        {
            const TimedPhase phase(profile, "groups");
            GroupSizes sizes = group_sizes(options_);
            sizes.longest_side = longest_group();
            if (!active.empty())
                find_ranks();
            if (request.level)
                parts_.builder->find_targets(groups_, request.level, request.first);
            else
                find_targets(groups_, tree_.octree, active, rank_);
            cut_groups(groups_, tree_.octree, moments, sizes);
            if (has_wide_boxes(groups_, sizes.longest_side))
                parts_.builder->find_boxes(groups_, tree_.octree, sizes.longest_side);
            finish_groups(groups_);
        }
        {
            const TimedPhase phase(profile, "nodes");
            prepare_lists();
        }
        ForceOutput output = request.output;
        output.set_units(options_.gravitational_constant, scale);
        EvaluationInput input{&tree_.octree,
                              &moments,
                              &groups_,
                              scale,
                              options_.softening,
                              options_.order,
                              request.quantities,
                              options_.local_order,
                              output,
                              {},
                              active};
        complete(input);
        parts_.evaluator->begin(input);
        submit_batches(
            groups_, *parts_.evaluator, int(batch_size()),
            [&](InteractionLists& lists, std::size_t first, std::size_t last) {
                list(lists, first, last);
            },
            statistics);
        finish(request, profile);
        improve(scale, output, statistics);
        parts_.evaluator->add_statistics(statistics);
        statistics.kept_tree = is_kept_;
        statistics.targets = groups_.target_count;
        statistics.groups = groups_.groups.size();
        statistics.cells = tree_.octree.cells.size();
        return statistics;
    }

    /// Anew, or on the cells of the last one.
    void grow_tree(TreeParticles sources, Profile& profile)
    {
        const TreePlan plan{options_.leaf_size,
                            cluster_size(),
                            criterion(),
                            placement(),
                            clusters_to_groups * longest_group(),
                            {options_.periodic.box}};
        is_kept_ = keeps_tree_ && grown_ > 0 && grown_ == sources.count;
        grown_ = 0; // until all is done
        if (is_kept_) {
            sources.has_same_masses = true;
            parts_.builder->refit(tree_, sources, plan, profile);
        } else {
            rank_.clear();
            has_order_ = false;
            parts_.builder->build(tree_, sources, plan, profile);
        }
        grown_ = sources.count;
    }

    /// Fetches the order; of a tree that is kept, the ranks too.
    void find_ranks()
    {
        Octree& octree = tree_.octree;
        if (!has_order_)
            parts_.builder->fetch_order(octree);
        has_order_ = true;
        if (!is_kept_ || !rank_.empty())
            return;
        rank_.resize(octree.size);
#pragma omp parallel for if (octree.size > worth_threads)
        for (std::size_t k = 0; k < octree.size; ++k)
            rank_[octree.order[k]] = Index(k);
    }

    CubePlacement placement() const
    {
        return options_.decorrelate ? random_placement(*options_.decorrelate, number_)
                                    : CubePlacement{};
    }

    Index cluster_size() const
    {
        return Index(options_.group_size) * groups_per_cluster;
    }

    /// Of groups.
    std::size_t batch_size() const
    {
        const std::size_t wanted = options_.batch_size > 0 ? std::size_t(options_.batch_size)
                                                           : parts_.evaluator->batch_size();
        return most_in_batch_ > 0 ? std::min(wanted, most_in_batch_) : wanted;
    }

    static Particles& host(const Request& request)
    {
        if (!request.particles)
            throw NeedsHost();
        return *request.particles;
    }

    void finish(const Request& request, Profile& profile)
    {
        const TimedPhase phase(profile, "results");
        if (parts_.evaluator->finish() > 0) {
            Particles& particles = host(request);
            parts_.builder->fetch_order(tree_.octree);
            repair(particles, request.quantities);
        }
    }

    static constexpr std::size_t least_batch = 8;
    std::size_t most_in_batch_ = 0; // what a device had room for; 0: all
    std::uint64_t number_ = 0;      // of the next evaluation
    bool keeps_tree_ = false;       // as said
    bool is_kept_ = false;          // the tree of this evaluation is
    std::size_t grown_ = 0;         // particles of the last whole tree
    bool has_order_ = false;        // octree.order is that of the tree
    std::vector<Index> rank_;       // sorted place of each particle, in a kept tree
};

template <class Interface>
class TreeLists : public ListSolver<Interface> {
public:
    using ListSolver<Interface>::ListSolver;

protected:
    using Lists = ListSolver<Interface>;
    using Lists::groups_, Lists::options_, Lists::parts_, Lists::tree_;

    std::optional<AcceptanceCriterion> criterion() const override { return criterion_of(options_); }

    Walk walk_{options_.instruction_set};

private:
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
};

} // namespace chamomile
