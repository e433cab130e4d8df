/// \file  Speed of the host's pair loop without tree and lists.
#pragma once

#include "chamomile/force/solver.hpp"

namespace chamomile::app {

/// Returns particle pairs per second, summed over all host threads: groups of 1024 targets against
/// 1024 sources in cache, with the host evaluator for the solver's law, precision and instruction
/// set, without tree, lists or close pairs. Takes the best of many repetitions within `seconds`.
double pair_ceiling(const SolverOptions& solver, Quantities quantities, double seconds = 0.2);

} // namespace chamomile::app
