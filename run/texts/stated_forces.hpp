/// \file  Force settings stated in a snapshot, for later force computations.
#pragma once

#include "chamomile/force/option_table.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// Takes G, softening and periodic box from the snapshot unless options give them. A snapshot
/// without softening leaves the softening of `solver` unchanged. Lengths by type become
/// per-particle softening. Refuses a box that contradicts the snapshot's, and lengths that do not
/// match the types.
Refusal adopt_stated(Snapshot& snapshot, const GivenOptions& given, SolverOptions& solver);

} // namespace chamomile
