/// \file  Targets with individual softenings.
#pragma once

#include "chamomile/clients/c/context.hpp"

namespace chamomile::c {

/// SoftenedTargets are targets with the softening of each.
struct SoftenedTargets {
    FieldTargets points;
    ArrayView softening; ///< lengths, on the host; empty: that of the options
};

/// Evaluates the targets, those of equal softening together. Throws Error(input) for a length that
/// is negative or not finite.
void evaluate(chm_context& context, const SoftenedTargets& targets, const FieldResults& results);

} // namespace chamomile::c
