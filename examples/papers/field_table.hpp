/// \file  The table of a persistent field: costs of build, refit and evaluation.
#pragma once

#include "chamomile/core/text/table.hpp"
#include "chamomile/force/solver.hpp"
#include "chamomile/run/journal.hpp"

namespace chamomile::app {

/// Measures a Plummer sphere with 1e5 and 1e6 sources and equally many points. The table has
/// milliseconds (median of `repeat`) and bytes between host and GPU, for arrays on the host and on
/// a GPU. The journal shows the present measurement. Throws Error(device).
Table field_table(const SolverOptions& solver, int repeat, Journal& journal);

} // namespace chamomile::app
