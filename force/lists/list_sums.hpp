/// \file  Sums over the lists of target groups, batch by batch.
#pragma once

#include <functional>

#include "chamomile/force/lists/list_batches.hpp"
#include "chamomile/force/lists/source_tree.hpp"
#include "chamomile/force/periodic/long_range_field.hpp"
#include "chamomile/force/periodic/short_range.hpp"
#include "chamomile/force/ranks/rank_figures.hpp"

namespace chamomile {

/// A range of clusters; `last` is excluded.
struct ClusterRange {
    std::size_t first, last;
};

/// The lists of one evaluation on the host, for others with the same groups.
struct KeptLists {
    std::vector<InteractionLists> batches; ///< by the first cluster
    bool are_complete = false;
};

/// GroupLists make the lists for target groups: by a walk, or from all sources.
struct GroupLists {
    const Walk* walk; ///< null: each group's list is all sources
    std::size_t sources;
    double unit_of_near = 0;   ///< for separate targets: length unit in near_distance(); else 0
    KeptLists* kept = nullptr; ///< read if complete, else written

    /// Appends lists for a range of clusters; open lists are finished by an evaluator. Thread-safe.
    void append(InteractionLists& lists, const TargetGroups& groups, ClusterRange range,
                bool are_open) const;
};

/// Returns the distance, along each axis, from the center of a group with separate targets below
/// which sources are summed in two floats. `unit`: length unit.
Vec3<double> near_distance(const Group& group, double unit);

/// Target groups with their lists, and output arrays for their sums.
struct ListedTargets {
    const TargetGroups& groups;
    GroupLists lists;
    ForceOutput output;
    SeparateTargets separate = {};
    std::span<const Index> active = {};   ///< EvaluationInput::active
    bool adds_mesh = false;               ///< whether the evaluator adds its mesh's field
    DomainTreeBuilder* domains = nullptr; ///< builder for the targets on several ranks
    bool has_potentials = false; ///< on several ranks: whether any rank asks for potentials
    bool is_adjoint = false;     ///< EvaluationInput::is_adjoint
};

/// PairForce is the force law for pairs.
struct PairForce {
    const SolverOptions& options;
    const SourceSoftening& softening;
    const LongRangeField* long_range; ///< in a periodic box; else null
};

/// ListSums sum over lists on one device.
class ListSums {
public:
    /// Keeps a reference.
    explicit ListSums(Evaluator& evaluator) : evaluator_(evaluator) {}

    /// Writes the sums and returns how many are not finite; on ranks returns 0, see
    /// consume_figures(). If the device lacks memory, retries with smaller batches, which changes
    /// no bit.
    std::size_t sum(const SourceTree& sources, const PairForce& force, const ListedTargets& targets,
                    ForceStatistics& statistics);

    /// Reduces the batch size after a device ran out of memory. Returns false at the minimum.
    bool shrink_batches() { return batch_limit_.shrink(); }
    /// Returns the figures of evaluations on ranks since the last call.
    RankFigures consume_figures() { return std::exchange(figures_, {}); }

private:
    EvaluationInput input_of(const SourceTree& sources, const PairForce& force,
                             const ListedTargets& targets);
    void evaluate(const EvaluationInput& input, const SolverOptions& options,
                  const ListedTargets& targets, ForceStatistics& statistics);
    void return_results(const DomainTreeBuilder& tree, const ListedTargets& targets,
                        std::size_t not_finite);
    void append(InteractionLists& lists, const ListedTargets& targets, ClusterRange range,
                int groups_per_cluster);

    Evaluator& evaluator_;
    BatchLimit batch_limit_;
    RankFigures figures_;
    ShortRangeForm form_;                    ///< in a periodic box
    std::pair<double, double> fitted_for_{}; ///< r_s and r_cut in form_
};

} // namespace chamomile
