/// \file  Forces by one tree that is dealt to several ranks.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "chamomile/force/solver.hpp"
#include "chamomile/parallel/communicator.hpp"

namespace chamomile {

/// Tells in a sentence why these options are not computed by several ranks; nothing if they are.
std::optional<std::string> ranks_refusal(const SolverOptions& options);

/// Makes the solver of rank 0 of options.ranks, whose requests deal the particles to all ranks:
/// each has a part of the tree, of its lists and of the sums. Forces have the bits of one rank on
/// the host, whatever the number of ranks. The other ranks run serve_solver() meanwhile. Throws
/// Error(usage) with the refusal.
std::unique_ptr<Solver> make_domain_solver(const SolverOptions& options);

/// Serves the solvers of rank 0 until end_serving() is called there. Throws PeerFailed, or what
/// this rank fails of, after which no rank can go on.
void serve_solver(Communicator& ranks);

/// Ends serve_solver() on the other ranks, if none has failed.
void end_serving(Communicator& ranks);

} // namespace chamomile
