/// \file  A GPU for many targets and the host for few.
#pragma once

#include <memory>
#include <optional>

#include "chamomile/force/solver.hpp"

namespace chamomile {

/// Makes the solver of make_solver(), where it is a tree on a GPU with a second one on the host,
/// which evaluates fewer than `host_below` active particles: a GPU takes its time to be begun with.
/// Without a number the first evaluation of all particles measures where the host stops to be
/// faster, once: exchange() keeps what it found, so that a restart, which measures nothing, has the
/// same bits. Solvers with an accuracy to keep, which change their method as they go, have no
/// second.
std::unique_ptr<Solver> make_solver_with_host(const SolverOptions& options,
                                              std::optional<std::uint64_t> host_below = {});

/// Makes one solver of the two, whatever they run on; the second, which may be absent, has the law
/// and method of the first.
std::unique_ptr<Solver> join_solvers(std::unique_ptr<Solver> many, std::unique_ptr<Solver> few,
                                     std::optional<std::uint64_t> few_below);

} // namespace chamomile
