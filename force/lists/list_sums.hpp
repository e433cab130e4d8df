/// \file  The sums over the lists of target groups, made and evaluated batch by batch.
#pragma once

#include <functional>

#include "chamomile/force/lists/list_batches.hpp"
#include "chamomile/force/lists/source_tree.hpp"
#include "chamomile/force/periodic/long_range_field.hpp"
#include "chamomile/force/periodic/short_range.hpp"
#include "chamomile/force/ranks/rank_figures.hpp"

namespace chamomile {

/// A ClusterRange is a run of clusters that excludes its end.
struct ClusterRange {
    std::size_t first, last;
};

/// GroupLists make the lists of target groups: of a walk of the tree, or of all sources.
struct GroupLists {
    const Walk* walk; ///< null: the list of each group is all sources
    std::size_t sources;
    double unit_of_near = 0; ///< of separate targets: unit of length of near_distance()

    /// Appends the lists of clusters first .. last, or open ones, which an evaluator finishes.
    /// Several threads may call it.
    void append(InteractionLists& lists, const TargetGroups& groups, ClusterRange range,
                bool are_open) const;
};

/// Returns a distance for a group of separate targets: sources closer than this to its centre are
/// summed in two floats.
Vec3<double> near_distance(const Group& group, double unit);

/// ListedTargets are target groups with their lists, and where their sums go.
struct ListedTargets {
    const TargetGroups& groups;
    GroupLists lists;
    ForceOutput output;
    SeparateTargets separate = {};
    std::span<const Index> active = {};   ///< EvaluationInput::active
    bool adds_mesh = false;               ///< an evaluator that has a mesh adds its field
    DomainTreeBuilder* domains = nullptr; ///< that have the targets, of several ranks
    bool has_potentials = false;          ///< of several ranks: asked for by any
};

/// PairForce is the law by which pairs are summed.
struct PairForce {
    const SolverOptions& options;
    const SourceSoftening& softening;
    const LongRangeField* long_range; ///< of a periodic box; else null
};

/// ListSums sum over lists on one device.
class ListSums {
public:
    /// Keeps a reference.
    explicit ListSums(Evaluator& evaluator) : evaluator_(evaluator) {}

    /// Writes the sums and returns how many are not finite; of ranks 0, and take_figures() has the
    /// number. Where the device has no room for the batches, smaller ones are tried: they change no
    /// bit.
    std::size_t sum(const SourceTree& sources, const PairForce& force, const ListedTargets& targets,
                    ForceStatistics& statistics);

    /// Tells, where a device has no room, whether the next batches can be smaller.
    bool shrink_batches() { return batch_limit_.shrink(); }
    /// Returns what evaluations on ranks did since the last call.
    RankFigures take_figures() { return std::exchange(figures_, {}); }

private:
    EvaluationInput input_of(const SourceTree& sources, const PairForce& force,
                             const ListedTargets& targets);
    void evaluate(const EvaluationInput& input, const SolverOptions& options,
                  const ListedTargets& targets, ForceStatistics& statistics);
    void send_home(const DomainTreeBuilder& tree, const ListedTargets& targets,
                   std::size_t not_finite);
    void append(InteractionLists& lists, const ListedTargets& targets, ClusterRange range,
                int groups_per_cluster);

    Evaluator& evaluator_;
    BatchLimit batch_limit_;
    RankFigures figures_;
    ShortRangeForm form_;   ///< of a periodic box
    double fitted_for_ = 0; ///< unit of length of the form
};

} // namespace chamomile
