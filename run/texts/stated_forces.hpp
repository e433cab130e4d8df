/// \file  What a snapshot states of its forces, for whoever computes them again.
#pragma once

#include "chamomile/force/option_table.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// Takes G, the softening and the periodic box from the snapshot where no option gives them;
/// without a softening in the snapshot that of `solver` is kept. Lengths by type are given to the
/// particles. The line refuses a box that contradicts the snapshot's, and lengths that do not fit
/// the types.
Refusal take_stated(Snapshot& snapshot, const GivenOptions& given, SolverOptions& solver);

} // namespace chamomile
