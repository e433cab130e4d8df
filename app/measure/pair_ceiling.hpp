/// \file  The speed of the host's pair loop alone.
#pragma once

#include "chamomile/force/solver.hpp"

namespace chamomile::app {

/// Returns particle pairs per second of all host threads together: groups of 1024 targets against
/// 1024 sources that stay in the cache, by the host evaluator of that law, precision and
/// instruction set, without tree, lists or close pairs. It is the best of many repetitions within
/// `seconds`.
double pair_ceiling(const SolverOptions& solver, Quantities quantities, double seconds = 0.2);

} // namespace chamomile::app
