/// \file  What is odd about initial conditions, but no error.
#pragma once

#include <string>
#include <vector>

#include "core/particles.hpp"
#include "force/solver.hpp"

namespace chamomile::app {

/// A line for each oddity: masses that pull at nothing, an extent that is huge beside the
/// softening, an opening angle above 1. Throws Error(input) for an extent beside which doubles
/// cannot tell the softening length.
std::vector<std::string> oddities(const Particles& particles, const SolverOptions& solver);

} // namespace chamomile::app
