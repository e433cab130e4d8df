/// \file  Targets whose softening is their own.
#pragma once

#include "chamomile/clients/c/context.hpp"

namespace chamomile::c {

struct SoftenedTargets {
    FieldTargets points;
    ArrayView softening; ///< lengths, on the host; empty: that of the options
};

/// One evaluation for all targets of equal softening. Throws Error(input) for a length that is
/// negative or not finite.
void evaluate(chm_context& context, const SoftenedTargets& targets, const FieldResults& results);

} // namespace chamomile::c
