/// \file  The parts of solvers that work by interaction lists, and how options choose them.
#pragma once

#include <memory>
#include <optional>

#include "chamomile/force/evaluator.hpp"
#include "chamomile/force/solver.hpp"
#include "chamomile/mesh/long_range.hpp"
#include "chamomile/tree/groups.hpp"
#include "chamomile/tree/tree_builder.hpp"

namespace chamomile {

class DomainTreeBuilder;

/// These are the parts of a solver, chosen once by make_solver().
struct SolverParts {
    std::unique_ptr<TreeBuilder> builder;
    std::unique_ptr<Evaluator> evaluator;
    std::unique_ptr<TreeBuilder> target_builder = {}; ///< of separate targets, if asked for
    /// The builders, if they are those of several ranks.
    DomainTreeBuilder *domains = nullptr, *target_domains = nullptr;
};

/// Returns the options that make_solver() takes for these: checked, with 0 and "auto" replaced.
/// Throws Error(usage), Error(device).
SolverOptions resolved(const SolverOptions& options);

/// Makes the parts for options that are resolved, with a builder for separate targets if they will
/// come.
SolverParts make_parts(const SolverOptions& resolved, bool separate_targets = false);

/// Returns how many particles stand before those without mass at the end, the tracers, which pull
/// at nothing and are points of the field; `lengths` gets the softening lengths of all, if there
/// are tracers and they have such. Where there are no others in a box, or sources have one
/// softening length and tracers another, all are sources.
std::size_t sources_of(const Request& request, const SolverOptions& options,
                       std::vector<double>& lengths);

/// Returns the sizes by which targets that are sources are cut into groups.
GroupSizes group_sizes(const SolverOptions& resolved);

/// Returns those by which points beside so many sources are cut. Groups and clusters of sparse
/// points are smaller, so that they hold no more sources than usual; but groups fill a pack or
/// warp.
GroupSizes sizes_of_points(const SolverOptions& resolved, std::size_t points, std::size_t sources);

/// Returns the criterion by which a tree with these options accepts cells; of particles with
/// softening lengths of their own `least_length` is the shortest.
AcceptanceCriterion criterion_of(const SolverOptions& options,
                                 std::optional<double> least_length = {});

/// The criterion, orders and sizes of this solver may change between evaluations; buffers stay.
class AdjustableSolver : public Solver {
public:
    /// Takes `resolved` options with the same physics, device and precision.
    virtual void adjust(const SolverOptions& resolved) = 0;
};

/// A TargetPart is one of so many runs of the targets of a direct sum.
struct TargetPart {
    int part = 0, parts = 1;
};

/// A DirectSolver sums over all pairs on one device: at all targets of a request, or at a part of
/// them where others sum at the other parts.
class DirectSolver : public Solver {
public:
    /// Does as evaluate() does, at a part of the targets, with the bits that they have among all.
    /// `numbers` get those of the targets of this part.
    virtual ForceStatistics evaluate_part(const Request& request, const TargetPart& part,
                                          std::vector<Index>& numbers) = 0;
};

/// Makes the solver of direct sums of isolated particles, for `resolved` options that name one
/// device. Throws Error(device).
std::unique_ptr<DirectSolver> make_direct_solver(const SolverOptions& resolved);

/// Makes that of processors, which has groups and lists too.
std::unique_ptr<DirectSolver> make_host_direct_solver(const SolverOptions& resolved);

/// Makes a solver that sums by interaction lists: Barnes & Hut's tree, walked once per group
/// (Barnes 1990), in a periodic box with a long range beside it (null: by the options), or all
/// pairs, where every group's list is all particles.
std::unique_ptr<AdjustableSolver> make_list_solver(const SolverOptions& resolved, SolverParts parts,
                                                   std::unique_ptr<LongRange> long_range = {});

/// Makes a solver by a tree that keeps options.accuracy, on options.ranks if there are any; `ranks`
/// is what these live in, if that is the solver's own.
std::unique_ptr<Solver> make_accurate_solver(const SolverOptions& options,
                                             std::shared_ptr<const void> ranks = {});

} // namespace chamomile
