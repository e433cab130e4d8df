/// \file  Forces of particles that lie in the memory of several ranks.
#pragma once

#include "chamomile/force/ranks/rank_solver.hpp"

namespace chamomile {

/// A DistributedSolver sums the gravity of the particles of all ranks, each of which has its own:
/// as make_domain_solver() does for particles that are all on rank 0. All ranks make it and make
/// its calls together. Sums have the bits of one rank that has the particles of rank 0, those of
/// rank 1 and so on.
class DistributedSolver {
public:
    /// The options name no ranks. Throws the same on all ranks: Error(usage) with the refusal
    /// (ranks_refusal()) or where a rank has other options than rank 0, Error(device).
    DistributedSolver(const SolverOptions& options, Communicator& ranks);

    /// Writes the sums of this rank's particles, of which there may be none. All ranks that have
    /// particles give softening lengths of their own, or none. Throws the same on all ranks;
    /// Error(input) names particles by their number among those of all.
    ForceStatistics evaluate(const Request& request);

    /// Does so with a request whose part says what the ranks have together.
    ForceStatistics carry_out(const Request& request);

    /// Returns the shortest and the longest softening length of the sources of all ranks, if the
    /// particles have lengths of their own. Throws as evaluate().
    std::optional<std::pair<double, double>> softenings_of(const Request& request,
                                                           const RequestPart& part);

    /// Returns the options with 0 and "auto" replaced by the choices.
    const SolverOptions& options() const { return options_; }
    /// Returns the name of what evaluates the sums of this rank.
    std::string device() const;

private:
    RequestPart part_of(const Request& request, bool has_potentials);

    SolverOptions options_; ///< resolved
    std::string devices_;
    Communicator& ranks_;
    std::unique_ptr<AdjustableSolver> solver_;
};

} // namespace chamomile
