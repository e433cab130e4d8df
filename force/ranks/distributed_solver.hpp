/// \file  Forces of particles that lie in the memory of several ranks.
#pragma once

#include "chamomile/force/ranks/rank_solver.hpp"

namespace chamomile {

/// DistributedSolver sums the gravity of particles on all ranks. Its calls are collective. Results
/// have the bits of one rank with the particles of rank 0, rank 1 and so on, in this order. Throws
/// Agreed or PeerFailed.
class DistributedSolver final : public Solver {
public:
    /// The options name no ranks. Throws the same on all ranks: Error(usage) with the refusal
    /// (ranks_refusal()) or where a rank has other options than rank 0, Error(device).
    DistributedSolver(const SolverOptions& options, Communicator& ranks);

    /// Writes the sums of this rank's particles; a rank may have none. With Request::part it takes
    /// active particles and keeps cells (Request::keeps_tree). Without it all ranks with particles
    /// give softening lengths, or none does. Error(input) names particles by global number.
    ForceStatistics evaluate(const Request& request) override;

    /// Evaluates a request with a part.
    ForceStatistics carry_out(const Request& request);

    /// Returns the part of a request without active particles. `on_host`: massless particles at the
    /// end are tracers. Throws like evaluate().
    static RequestPart part_of(const Request& request, Communicator& ranks, bool on_host = true);

    /// Returns the shortest and the longest softening length of the sources of all ranks, if the
    /// particles have lengths of their own. Throws as evaluate().
    std::optional<std::pair<double, double>> softenings_of(const Request& request,
                                                           const RequestPart& part);

    bool takes_device_arrays() const override { return solver_->takes_device_arrays(); }
    std::string array_device() const override { return solver_->options().device; }
    Communicator* ranks_of_parts() override { return &ranks_; }
    /// Returns the options with 0 and "auto" replaced by the choices.
    const SolverOptions& options() const override { return options_; }
    /// Returns the name of what evaluates the sums of this rank.
    std::string device() const override;

private:
    SolverOptions options_; ///< resolved
    std::string devices_;
    Communicator& ranks_;
    std::unique_ptr<AdjustableSolver> solver_;
};

} // namespace chamomile
