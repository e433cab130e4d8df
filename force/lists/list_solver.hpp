/// \file  The parts of solvers with interaction lists, and how options choose them.
#pragma once

#include <memory>
#include <optional>

#include "chamomile/force/evaluator.hpp"
#include "chamomile/force/mesh/long_range.hpp"
#include "chamomile/force/solver.hpp"
#include "chamomile/tree/groups.hpp"
#include "chamomile/tree/tree_builder.hpp"

namespace chamomile {

class DomainTreeBuilder;

/// The parts of a solver, chosen once by make_solver().
struct SolverParts {
    std::unique_ptr<TreeBuilder> builder;
    std::unique_ptr<Evaluator> evaluator;
    std::unique_ptr<TreeBuilder> target_builder = {}; ///< for separate targets, if wanted
    /// `builder` and `target_builder`, if these are for several ranks; else null.
    DomainTreeBuilder *domains = nullptr, *target_domains = nullptr;
};

/// Returns the options that make_solver() uses for `options`: checked, with 0 and "auto" replaced.
/// Throws Error(usage), Error(device).
SolverOptions resolved(const SolverOptions& options);

/// Makes the parts for resolved options, with a builder for separate targets if these will come.
SolverParts make_parts(const SolverOptions& resolved, bool separate_targets = false);

/// Returns the number of particles before the tracers. Tracers are massless particles at the end:
/// they exert no force and are evaluated as points. If there are tracers and per-particle
/// softening, `lengths` receives every particle's softening. All particles count as sources if all
/// are massless in a box, or if sources share one softening length and a tracer differs.
std::size_t sources_of(const Request& request, const SolverOptions& options,
                       std::vector<double>& lengths);

/// Returns the group sizes for targets that are sources.
GroupSizes group_sizes(const SolverOptions& resolved);

/// Returns the group sizes for `points` targets among `sources`. Sparse points get smaller groups
/// and clusters, which hold no more sources than usual; but groups fill a pack or warp.
GroupSizes sizes_of_points(const SolverOptions& resolved, std::size_t points, std::size_t sources);

/// Returns the acceptance criterion for these options. `min_length`: the min softening length,
/// with per-particle softening.
AcceptanceCriterion criterion_of(const SolverOptions& options,
                                 std::optional<double> min_length = {});

/// A solver whose criterion, orders and sizes may change between evaluations; it keeps buffers.
class AdjustableSolver : public Solver {
public:
    /// Sets `resolved` options with equal physics, device and precision.
    virtual void adjust(const SolverOptions& resolved) = 0;
};

/// Part `part` of `parts` of the targets of a direct sum.
struct TargetPart {
    int part = 0, parts = 1;
};

/// A direct sum over all pairs on one device: at all targets in a request, or at one part.
class DirectSolver : public Solver {
public:
    /// Like evaluate(), at one part of the targets. Sums are bitwise those of a full evaluation.
    /// `numbers` receives the indices of this part's targets.
    virtual ForceStatistics evaluate_part(const Request& request, const TargetPart& part,
                                          std::vector<Index>& numbers) = 0;
};

/// Makes a direct sum for `resolved` options that name one device. In a periodic box the CPU sums.
/// Throws Error(device).
std::unique_ptr<DirectSolver> make_direct_solver(const SolverOptions& resolved);

/// Like make_direct_solver(), on the CPU, with groups and lists.
std::unique_ptr<DirectSolver> make_host_direct_solver(const SolverOptions& resolved);

/// Makes a solver by interaction lists: Barnes & Hut's tree, walked once per group (Barnes 1990),
/// in a periodic box plus a long range (null: by the options), or all pairs, where each group's
/// list is all particles.
std::unique_ptr<AdjustableSolver> make_list_solver(const SolverOptions& resolved, SolverParts parts,
                                                   std::unique_ptr<LongRange> long_range = {});

/// Makes a tree solver that keeps options.accuracy, on options.ranks if not null. `ranks` keeps the
/// ranks alive if the solver owns them.
std::unique_ptr<Solver> make_accurate_solver(const SolverOptions& options,
                                             std::shared_ptr<const void> ranks = {});

} // namespace chamomile
