/// \file  The solvers that work by interaction lists: one step of the method, tree or direct.
#pragma once

#include <functional>
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
    std::unique_ptr<TreeBuilder> target_builder = {}; ///< of targets apart, if asked for
};

/// The options that make_solver() takes for these: checked, with 0 and "auto" replaced. Throws
/// Error(usage), Error(device).
SolverOptions settled(const SolverOptions& options);

/// The same with the number of cells that is taken for so many particles, where that is left open.
PeriodicOptions with_mesh(PeriodicOptions periodic, std::size_t particles);

/// r_s, by which the ranges of the force part: of a mesh whose number of cells is known, or modes.
double split_radius(const PeriodicOptions& periodic);

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

/// r_s and r_cut in units of length.
struct ShortRangeLengths {
    double split, cut;
};

/// Gravity's short range (force/short_range.hpp) in the cube of options.periodic, whose particles'
/// positions lie in it.
class ShortRangeSolver : public AdjustableSolver {
public:
    virtual void set_lengths(const ShortRangeLengths& lengths) = 0;
    /// Of criteria that compare with the acceleration, G included: none is taken to be less.
    virtual void set_least_acceleration(double acceleration) = 0;
    /// The evaluator's own mesh, whose field is then part of what solve() writes; null: it has
    /// none. It is the caller's, and must live as long as solve() is called.
    virtual std::unique_ptr<LongRange> make_mesh(const MeshOptions& options) = 0;
    virtual void use_mesh(bool) = 0; ///< or leave its field out of the evaluations to come
    /// Is called in each evaluation when the tree is built.
    virtual void when_built(std::function<void(Profile&)> observer) = 0;
};
std::unique_ptr<ShortRangeSolver> make_short_range_solver(const SolverOptions& options,
                                                          SolverParts parts);

/// Of the side of a periodic cube that r_cut may be: groups of targets need the rest.
inline constexpr double most_of_periodic_box = 0.45;

/// Short range and long range together; null: a long range by the options.
std::unique_ptr<Solver> make_periodic_solver(const SolverOptions& settled,
                                             std::unique_ptr<LongRange> long_range);

/// Barnes & Hut's tree, walked once per group (Barnes 1990).
std::unique_ptr<AdjustableSolver> make_tree_solver(const SolverOptions& options, SolverParts parts);

/// Throws Error(usage) for a goal out of range.
void check_goal(const AccuracyGoal& goal);

/// A tree that keeps options.accuracy.
std::unique_ptr<Solver> make_accurate_solver(const SolverOptions& options);

/// All pairs: every group's list is all particles.
std::unique_ptr<Solver> make_direct_solver(const SolverOptions& options, SolverParts parts);

} // namespace chamomile
