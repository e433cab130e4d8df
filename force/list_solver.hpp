/// \file  The parts of solvers that work by interaction lists, and how options choose them.
#pragma once

#include <memory>

#include "chamomile/force/evaluator.hpp"
#include "chamomile/force/solver.hpp"
#include "chamomile/mesh/long_range.hpp"
#include "chamomile/tree/groups.hpp"
#include "chamomile/tree/tree_builder.hpp"

namespace chamomile {

/// Most groups of a cluster, if they are full.
inline constexpr int groups_per_cluster = 8;

/// The parts of a solver, chosen once by make_solver().
struct SolverParts {
    std::unique_ptr<TreeBuilder> builder;
    std::unique_ptr<Evaluator> evaluator;
    std::unique_ptr<TreeBuilder> target_builder = {}; ///< of separate targets, if asked for
};

/// The options that make_solver() takes for these: checked, with 0 and "auto" replaced. Throws
/// Error(usage), Error(device).
SolverOptions resolved(const SolverOptions& options);

/// The parts for options that are resolved; with a builder for separate targets if they will come.
SolverParts make_parts(const SolverOptions& resolved, bool separate_targets = false);

/// How targets that are sources are cut into groups.
GroupSizes group_sizes(const SolverOptions& resolved);

/// By which a tree with these options accepts cells.
AcceptanceCriterion criterion_of(const SolverOptions& options);

/// Why a goal cannot be kept by anybody; nothing if it is in range.
std::optional<std::string> goal_refusal(const AccuracyGoal& goal);

/// A solver whose criterion, orders and sizes may change between evaluations; buffers stay.
class AdjustableSolver : public Solver {
public:
    /// `resolved` options with the same physics, device and precision.
    virtual void adjust(const SolverOptions& resolved) = 0;
};

/// Sums by interaction lists: Barnes & Hut's tree, walked once per group (Barnes 1990), in a
/// periodic box with a long range beside it (null: by the options), or all pairs, where every
/// group's list is all particles.
std::unique_ptr<AdjustableSolver> make_list_solver(const SolverOptions& resolved, SolverParts parts,
                                                   std::unique_ptr<LongRange> long_range = {});

/// A tree that keeps options.accuracy.
std::unique_ptr<Solver> make_accurate_solver(const SolverOptions& options);

} // namespace chamomile
