/// \file  Targets with per-target softening.
#pragma once

#include "chamomile/interfaces/c/context.hpp"

namespace chamomile::c {

/// SoftenedTargets holds targets with optional softening lengths.
struct SoftenedTargets {
    FieldTargets points;
    ArrayView softening; ///< lengths, on the host; empty: from the options
};

/// Evaluates the targets in groups of equal softening. Throws Error(input) for a negative or
/// non-finite length.
void evaluate(chm_context& context, const SoftenedTargets& targets, const FieldResults& results);

} // namespace chamomile::c
