/// \file  Forces by one tree that is dealt to several ranks.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "chamomile/force/solver.hpp"
#include "chamomile/parallel/communicator.hpp"

namespace chamomile {

class AdjustableSolver;

/// Tells whether the options ask for several ranks: given ones, or threads of this process.
bool asks_ranks(const SolverOptions& options);

/// What asks for ranks, as messages name it.
inline constexpr const char* name_of_ranks = "--ranks, or several processes";

/// Tells in a sentence why these options are not computed by several ranks, which it calls so;
/// nothing if they are. It asks no device.
std::optional<std::string> ranks_refusal(const SolverOptions& options,
                                         const std::string& several = name_of_ranks);

/// Returns options of one rank alone, on the first card if the ranks have cards. Throws as
/// choose_gpus() does.
SolverOptions of_first_rank(const SolverOptions& options);

/// Returns the devices of all ranks, each of which has its own among the cards of its machine;
/// `first` are the options of the first rank.
std::string devices_of_ranks(const SolverOptions& options, const SolverOptions& first);

/// Makes the solver of rank 0 of options.ranks, or of ranks that are threads of this process, whose
/// requests deal the particles to all ranks: each has a part of the tree, of its lists and of the
/// sums, on the processor or on a GPU. Forces have the bits of one rank on one such device,
/// whatever the number of ranks. The other ranks run serve_solver() meanwhile. Throws Error(usage)
/// with the refusal, or where ranks would share a GPU that may not.
std::unique_ptr<Solver> make_domain_solver(const SolverOptions& options);

/// Makes the same for `resolved` options, without ranks, on processors.
std::unique_ptr<AdjustableSolver> make_adjustable_domain_solver(const SolverOptions& resolved,
                                                                Communicator& ranks);

/// Serves the solvers of rank 0 until end_serving() is called there. Throws PeerFailed, or what
/// this rank fails of, after which no rank can go on.
void serve_solver(Communicator& ranks);

/// Ends serve_solver() on the other ranks, if none has failed.
void end_serving(Communicator& ranks);

} // namespace chamomile
