/// \file  A GPU for many targets, the host for few.
#pragma once

#include <memory>
#include <optional>

#include "chamomile/force/solver.hpp"

namespace chamomile {

/// Like make_solver(); for a tree on a GPU, adds a second solver on the host for fewer than
/// `host_below` active particles, because a GPU starts slowly. Without a number, the first
/// evaluation of all particles measures once below which number the host is faster. exchange()
/// keeps the result, so that a restart measures nothing and has the same bits. There is no second
/// solver with an accuracy goal, which changes the method during a run, or in a periodic box.
std::unique_ptr<Solver> make_solver_with_host(const SolverOptions& options,
                                              std::optional<std::uint64_t> host_below = {});

/// Joins two solvers on any devices. `few` may be null; else it must have the law and method of
/// `many`.
std::unique_ptr<Solver> join_solvers(std::unique_ptr<Solver> many, std::unique_ptr<Solver> few,
                                     std::optional<std::uint64_t> few_below);

} // namespace chamomile
