/// \file  Sums of particles that ranks have dealt to each other, on their way home.
#pragma once

#include <span>
#include <vector>

#include "chamomile/domain/domain_tree_builder.hpp"
#include "chamomile/force/evaluator.hpp"
#include "chamomile/force/ranks/rank_figures.hpp"

namespace chamomile {

/// DealtSums hold the sums of a rank's arrivals (DomainTreeBuilder) and the work that each took,
/// and bring both to the ranks that have the particles.
class DealtSums {
public:
    /// Returns where the sums of arrivals go, in the units of `to`.
    ForceOutput begin(const DomainTreeBuilder& targets, const TargetGroups& groups,
                      const ForceOutput& to, bool with_potentials);
    /// Takes the work of each target from an evaluator that finishes open lists.
    std::span<float> work_of_targets() { return work_of_target_; }
    /// Finds the work of targets from whole lists. Several threads may call it.
    void note_work(const DomainTreeBuilder& targets, const TargetGroups& groups,
                   const InteractionLists& lists, int groups_per_cluster);
    /// Takes over what the evaluator has put to work_of_targets().
    void note_work_of_targets(const DomainTreeBuilder& targets, const TargetGroups& groups);
    /// Brings sums and work to the ranks that have the particles.
    void send_home(DomainTreeBuilder& targets, const ForceOutput& to, bool with_potentials);

    /// Adds what an evaluation of these targets on that tree did on this rank.
    void count(const DomainTreeBuilder& tree, std::uint64_t not_finite);
    /// Returns what was counted since the last call.
    RankFigures take_figures() { return std::exchange(figures_, {}); }

private:
    template <class T>
    using Memory = std::pmr::vector<T>;

    Memory<Vec3<double>> acceleration_{large_memory()};
    Memory<double> potential_{large_memory()};
    Memory<float> work_{large_memory()}, work_of_target_{large_memory()};
    RankFigures figures_;
};

} // namespace chamomile
