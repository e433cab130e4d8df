/// \file  Evaluates particles from rank 0 on all ranks.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chamomile/force/ranks/rank_solver.hpp"

namespace chamomile {

/// An ForceCommand is a command of rank 0 to every rank. A member for each part of a call.
struct ForceCommand {
    enum class Task {
        prepare, ///< make the solver, or refuse the options
        evaluate,
        service, ///< a message to services only
        end      ///< the last order
    };
    Task task = Task::prepare;
    std::uint64_t solver_number = 0; ///< identifies a solver of rank 0
    std::uint64_t adjustments = 0;   ///< calls of adjust() so far
    SentOptions options = {};
    // The request.
    std::uint64_t count = 0, tracers = 0, active = 0, active_tracers = 0; ///< particles
    bool has_active = false; ///< the request names targets; else all are
    bool has_potentials = false, has_softenings = false, has_ids = false, keeps_tree = false;
    std::uint64_t request_number = 0;
    std::optional<double> softening_length = {};
    std::optional<std::pair<double, double>> softenings = {}; ///< GlobalCounts::softenings
    /// Rank 0's request, if ranks share memory and so use its arrays; else null.
    const Request* shared = nullptr;

    int threads = 1;         ///< of each rank
    double time_limit = 600; ///< Communicator::time_limit()

    /// Copies the counts and flags of a request. Throws Error(input) for wrong softening lengths.
    void take(const Request& request, const SolverOptions& options);
};

/// Evaluates the particles of rank 0 on all ranks, an equal range on each. Ranks that share memory
/// use the request's arrays. Otherwise ranges are scattered and sums gathered.
class ScatteringSolver {
public:
    explicit ScatteringSolver(Communicator& ranks) : ranks_(ranks) {}

    /// Executes an order, collectively. `request` is null except on rank 0. Throws the same Error
    /// on all ranks, after which they can continue, or PeerFailed.
    ForceStatistics carry_out(const ForceCommand& order, const Request* request);

    /// Returns the name of this rank's device.
    std::string device() const { return solver_->device(); }
    const SolverOptions& options() const { return solver_->options(); }

private:
    void prepare(const ForceCommand& order);
    ForceStatistics evaluate(const ForceCommand& order, const Request* request);
    void copy_run(const ForceCommand& order, const Request* request);
    void share(const Request& all, std::size_t first);
    void scatter(const ForceCommand& order, const Request* request);
    void scatter_active(const ForceCommand& order, const Request* request);
    void gather(const ForceCommand& order, const Request* request);
    template <class T>
    std::span<const T> run_of(std::span<const T> all, const ForceCommand& order, Inbox& inbox);

    Communicator& ranks_;
    std::unique_ptr<AdjustableSolver> solver_;
    std::uint64_t adjustments_ = 0; ///< ForceCommand::adjustments
    DenseCopy dense_;               ///< of rank 0's particles
    Inbox positions_, masses_, softenings_, ids_, gathered_;
    std::vector<Index> active_;        ///< local targets, ascending
    std::vector<Index> active_of_all_; ///< all targets, ascending; on rank 0
    std::vector<Vec3<double>> acceleration_;
    std::vector<double> potential_;
    Request own_; ///< for this rank's range
};

} // namespace chamomile
