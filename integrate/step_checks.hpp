/// \file  What a leapfrog refuses of its steps and forces.
#pragma once

#include "chamomile/integrate/leapfrog.hpp"

namespace chamomile {

/// Throws Error(usage) for values that the leapfrog has no use for, and for a criterion that needs
/// what these forces lack.
void require_valid(const BlockSteps& steps, const SolverOptions& forces);
void require_valid(const TimeStep& step, const SolverOptions& forces);

} // namespace chamomile
