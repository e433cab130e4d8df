/// \file  Forces by one tree distributed over ranks.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "chamomile/core/ranks/communicator.hpp"
#include "chamomile/force/solver.hpp"

namespace chamomile {

class AdjustableSolver;
class ScatteringSolver;
struct ForceCommand;

/// Returns whether the options ask for several ranks: by `ranks`, by `own_ranks`, or by a device
/// that names several GPUs.
bool asks_ranks(const SolverOptions& options);

/// Returns how many threads the solver starts as ranks; 0: none. Throws like choose_gpus().
int own_ranks(const SolverOptions& options);

/// The options that ask for several ranks, for messages.
inline constexpr const char* name_of_ranks = "{ranks}, several processes or several GPUs";

/// Returns the options for rank 0 without other ranks, on the first GPU if the ranks use GPUs.
/// Throws like choose_gpus().
SolverOptions of_first_rank(const SolverOptions& options);

/// Returns the device word for all ranks of a platform: cpu, or the GPUs of each machine. `first`
/// is the platform of rank 0.
std::string devices_of_ranks(const Platform& platform, const Platform& first);

/// Makes the solver of rank 0, for options.ranks or for threads of this process. Each request
/// scatters its particles to all ranks. Each rank computes part of the tree, the lists and the
/// sums, on the CPU or on a GPU. Forces are bitwise those of one rank on such a device. The other
/// ranks must run serve_solver(). Throws Error(usage) if ranks would share a GPU without
/// share_gpu.
std::unique_ptr<Solver> make_domain_solver(const SolverOptions& options);

/// Executes commands of rank 0, like serve_solver().
using ServeRank = std::function<void(Communicator&)>;

/// Starts own_ranks() threads as ranks, if there are any, and sets options.ranks. The threads
/// execute commands of rank 0 until the result is destroyed. Throws like make_domain_solver().
std::shared_ptr<const void> make_own_ranks(SolverOptions& options, const ServeRank& serve);

/// Like make_domain_solver(), for the ranks and devices of `platform` and options that are
/// `resolved` on rank 0.
std::unique_ptr<AdjustableSolver> make_adjustable_domain_solver(const SolverOptions& resolved,
                                                                const Platform& platform);

/// Interface for messages of rank 0 that are not solver commands. All ranks execute each message
/// together. carry_out() must throw the same Error on all ranks, or an exception that ends all.
class RankService {
public:
    virtual ~RankService() = default;
    virtual void carry_out(std::span<const std::byte> message) = 0;
};

/// Executes commands of rank 0 to its solvers and, if not null, to `service`.
class RankDispatcher {
public:
    explicit RankDispatcher(Communicator& ranks, RankService* service = nullptr);
    ~RankDispatcher();
    RankDispatcher(const RankDispatcher&) = delete;
    RankDispatcher& operator=(const RankDispatcher&) = delete;

    /// Executes commands until rank 0 calls end_serving(). May be called again; solvers are kept
    /// while rank 0 has theirs. Throws PeerFailed, after which no rank can continue.
    void serve();
    /// Returns the number of solvers on this rank.
    std::size_t solvers() const { return solvers_.size(); }

private:
    bool carry_out();
    ScatteringSolver& solver_of(const ForceCommand& order, std::span<const std::uint64_t> live);

    Communicator& ranks_;
    RankService* service_;
    std::map<std::uint64_t, std::unique_ptr<ScatteringSolver>> solvers_; ///< by their numbers
};

/// Runs RankDispatcher::serve() once.
void serve_solver(Communicator& ranks, RankService* service = nullptr);

/// Broadcasts a message of rank 0 to the services of all ranks; executes it on rank 0 by `own`.
/// `keeps_threads`: rank 0 keeps its number of threads, else it uses its share of them.
void lead_services(Communicator& ranks, std::span<const std::byte> message, RankService& own,
                   bool keeps_threads = false);

/// Makes serve_solver() return on the other ranks, unless a rank has failed. Throws PeerFailed.
void end_serving(Communicator& ranks);

} // namespace chamomile
