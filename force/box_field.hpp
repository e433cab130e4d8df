/// \file  The field of sources in a periodic box.
#pragma once

#include <memory>

#include "chamomile/force/field.hpp"

namespace chamomile {

/// A FieldSolver whose sums at the sources are those of make_solver() in the periodic box; an
/// evaluation builds its tree. Throws Error(usage) for what is known of isolated sources alone:
/// targets that are no sources, tidal tensors, jerks and neighbours.
std::unique_ptr<FieldSolver> make_box_field(const SolverOptions& options);

} // namespace chamomile
