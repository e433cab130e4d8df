/// \file  The solvers that work by interaction lists: one step of the method, tree or direct.
#pragma once

#include <memory>

#include "force/evaluator.hpp"
#include "force/solver.hpp"
#include "tree/groups.hpp"
#include "tree/tree_builder.hpp"

namespace chamomile {

/// Most groups of a cluster, if they are full.
inline constexpr int groups_per_cluster = 8;

/// The parts of a solver, chosen once by make_solver().
struct SolverParts {
    std::unique_ptr<TreeBuilder> builder;
    std::unique_ptr<Evaluator> evaluator;
    std::unique_ptr<TreeBuilder> target_builder = {}; ///< of targets apart, if asked for
};

/// The options that make_solver() takes for these: checked, with 0 and "auto" replaced. Throws
/// Error(usage), Error(device).
SolverOptions settled(const SolverOptions& options);

/// The parts for options that are settled; with a builder for targets apart if they will come.
SolverParts make_parts(const SolverOptions& settled, bool targets_apart = false);

/// How targets that are sources are cut into groups.
GroupSizes group_sizes(const SolverOptions& settled);

/// By which a tree with these options accepts cells.
AcceptanceCriterion criterion_of(const SolverOptions& options);

/// A solver whose criterion, orders and sizes may change between evaluations; buffers stay.
class AdjustableSolver : public Solver {
public:
    /// `settled` options with the same law, device and precision.
    virtual void adjust(const SolverOptions& settled) = 0;
};

/// Barnes & Hut's tree, walked once per group (Barnes 1990).
std::unique_ptr<AdjustableSolver> make_tree_solver(const SolverOptions& options, SolverParts parts);

/// A tree that keeps options.accuracy.
std::unique_ptr<Solver> make_accurate_solver(const SolverOptions& options);

/// All pairs: every group's list is all particles.
std::unique_ptr<Solver> make_direct_solver(const SolverOptions& options, SolverParts parts);

} // namespace chamomile
