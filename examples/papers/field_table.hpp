/// \file  The table of a kept field: the cost of a build, a refit and an evaluation.
#pragma once

#include "chamomile/core/text/table.hpp"
#include "chamomile/force/solver.hpp"
#include "chamomile/run/journal.hpp"

namespace chamomile::app {

/// Measures a Plummer sphere of 1e5 and 1e6 sources and as many points about them: milliseconds,
/// the median of `repeat`, and bytes between host and device, from arrays of the host and, on a
/// GPU, of the device. The journal shows the present measurement. Throws Error(device).
Table field_table(const SolverOptions& solver, int repeat, Journal& journal);

} // namespace chamomile::app
