/// \file  Forces by one tree that is dealt to several ranks.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "chamomile/force/solver.hpp"
#include "chamomile/parallel/communicator.hpp"

namespace chamomile {

class AdjustableSolver;
class ScatteringSolver;
struct Order;

/// Tells whether the options ask for several ranks: given ones, or threads of this process, one for
/// each of several GPUs if they do not say how many.
bool asks_ranks(const SolverOptions& options);

/// Returns how many threads of this process are ranks; 0: none. Throws as choose_gpus() does.
int own_ranks(const SolverOptions& options);

/// What asks for ranks, as messages name it.
inline constexpr const char* name_of_ranks = "{ranks}, several processes or several GPUs";

/// Tells in a sentence why these options are not computed by several ranks, which it calls so;
/// nothing if they are. It asks no device.
std::optional<std::string> ranks_refusal(const SolverOptions& options,
                                         const std::string& several = name_of_ranks);

/// Returns options of one rank alone, on the first GPU if the ranks have GPUs. Throws as
/// choose_gpus() does.
SolverOptions of_first_rank(const SolverOptions& options);

/// Returns the devices of all ranks of a platform, each of which has its own among the GPUs of its
/// machine; `first` is that of the first rank.
std::string devices_of_ranks(const Platform& platform, const Platform& first);

/// Makes the solver of rank 0 of options.ranks, or of ranks that are threads of this process, whose
/// requests deal the particles to all ranks: each has a part of the tree, of its lists and of the
/// sums, on the processor or on a GPU. Forces have the bits of one rank on one such device,
/// whatever the number of ranks. The other ranks run serve_solver() meanwhile. Throws Error(usage)
/// with the refusal, or where ranks would share a GPU that may not.
std::unique_ptr<Solver> make_domain_solver(const SolverOptions& options);

/// A ServeRank serves rank 0, as serve_solver() does.
using ServeRank = std::function<void(Communicator&)>;

/// Makes own_ranks() threads of this process ranks, if there are any, and names them in the
/// options. They serve rank 0 as long as what is returned lives. Throws as make_domain_solver()
/// does.
std::shared_ptr<const void> make_own_ranks(SolverOptions& options, const ServeRank& serve);

/// Makes the solver of make_domain_solver() on the ranks and devices of a platform, for options
/// that are `resolved` on its first rank.
std::unique_ptr<AdjustableSolver> make_adjustable_domain_solver(const SolverOptions& resolved,
                                                                const Platform& platform);

/// A RankGuest carries out messages of rank 0 to the guests of all ranks, which do so together. Its
/// errors end all ranks, but for those of which all know.
class RankGuest {
public:
    virtual ~RankGuest() = default;
    virtual void carry_out(std::span<const std::byte> message) = 0;
};

/// A RankServer serves the solvers of rank 0, and with a guest the messages to it.
class RankServer {
public:
    explicit RankServer(Communicator& ranks, RankGuest* guest = nullptr);
    ~RankServer();
    RankServer(const RankServer&) = delete;
    RankServer& operator=(const RankServer&) = delete;

    /// Serves until end_serving() is called on rank 0, and again where it is called again, with
    /// what this rank has. Throws PeerFailed, or what this rank fails of, after which no rank can
    /// go on.
    void serve();

private:
    ScatteringSolver& solver_of(const Order& order);

    Communicator& ranks_;
    RankGuest* guest_;
    std::map<std::uint64_t, std::unique_ptr<ScatteringSolver>> solvers_; ///< by their numbers
};

/// Serves so once.
void serve_solver(Communicator& ranks, RankGuest* guest = nullptr);

/// Has the guests of all ranks carry out a message, that of rank 0 among them, which calls it.
void lead_guests(Communicator& ranks, std::span<const std::byte> message, RankGuest& own);

/// Ends serve_solver() on the other ranks, if none has failed.
void end_serving(Communicator& ranks);

} // namespace chamomile
