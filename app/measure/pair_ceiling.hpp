/// \file  How fast the host's pair loop runs when nothing else is to be done.
#pragma once

#include "chamomile/force/solver.hpp"

namespace chamomile::app {

/// Particle pairs per second of all host threads together: groups of 1024 targets against 1024
/// sources that stay in the cache, by the host evaluator of that law, precision and instruction
/// set; no tree, no lists, no close pairs. The best of many repetitions within `seconds`.
double pair_ceiling(const SolverOptions& solver, Quantities quantities, double seconds = 0.2);

} // namespace chamomile::app
