/// \file  Checks of a leapfrog's steps and forces.
#pragma once

#include "chamomile/integrate/leapfrog.hpp"

namespace chamomile {

/// True if every particle may have a softening length > 0.
bool is_softened(const SolverOptions& forces);

/// Throws Error(usage) for invalid values, and for a criterion that these forces cannot serve.
void require_valid(const BlockSteps& steps, const SolverOptions& forces);
void require_valid(const TimeStep& step, const SolverOptions& forces);

} // namespace chamomile
