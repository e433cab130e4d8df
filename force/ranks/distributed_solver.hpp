/// \file  Gravity between particles distributed over ranks.
#pragma once

#include "chamomile/force/ranks/rank_solver.hpp"

namespace chamomile {

/// DistributedSolver sums the gravity of particles on all ranks. All calls are collective. Results
/// are bitwise those of one rank with the particles of rank 0, rank 1 and so on. Throws
/// CollectiveError or PeerFailed.
class DistributedSolver final : public Solver {
public:
    /// `options` name no ranks. Throws the same on all ranks: Error(usage) if options differ
    /// between ranks, Error(device).
    DistributedSolver(const SolverOptions& options, Communicator& ranks);

    /// Writes the sums of this rank's particles; a rank may have none. Only a request with a part
    /// may name active particles and keep cells (Request::keeps_tree). Without a part, all ranks
    /// with particles must give softening, or none. Error(input) names particles by global number.
    ForceStatistics evaluate(const Request& request) override;

    /// Evaluates a request with a part.
    ForceStatistics carry_out(const Request& request);

    /// Returns the part for a request in which all particles are active. `on_host`: massless
    /// particles at the end are tracers, or the last `tracers` of each rank. Throws like
    /// evaluate().
    static GlobalCounts part_of(const Request& request, Communicator& ranks, bool on_host = true,
                                std::optional<std::uint64_t> tracers = {});

    /// Returns the min and max softening length of the sources of all ranks; nothing without
    /// per-particle softening. Throws like evaluate().
    std::optional<std::pair<double, double>> softenings_of(const Request& request,
                                                           const GlobalCounts& part);

    void exchange(Archive& archive) override { solver_->exchange(archive); }
    bool takes_device_arrays() const override { return solver_->takes_device_arrays(); }
    std::string array_device() const override { return solver_->options().device; }
    Communicator* ranks_of_parts() override { return &ranks_; }
    /// Returns the options with 0 and "auto" replaced by the choices.
    const SolverOptions& options() const override { return options_; }
    /// Returns the name of the device that evaluates this rank's sums.
    std::string device() const override;

private:
    SolverOptions options_; ///< resolved
    std::string devices_;
    Communicator& ranks_;
    std::unique_ptr<AdjustableSolver> solver_;
};

} // namespace chamomile
