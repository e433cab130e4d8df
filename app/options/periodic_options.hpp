/// \file  The periodic box of a force, from options and file, and its lines of output.
#pragma once

#include <string>

#include "app/options/options.hpp"
#include "chamomile/force/solver.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile::app {

/// Takes the box from the file unless --box gives it, sets the snapshot's box to it, and notes what
/// was ignored or may surprise. Throws Error(usage) for two boxes that differ.
void resolve_box(const Options& options, Snapshot& snapshot, SolverOptions& solver);

/// Returns the origin of the box; it is empty for isolated systems. An example is
/// "periodic, 3000 kpc (BoxSize of the file; --box 0: isolated)".
std::string box_text(const Options& options, const Snapshot& snapshot, const SolverOptions& solver);

/// Prints box and long range on standard output, unless --quiet; prints nothing for isolated
/// systems.
void print_box(const Options& options, const Snapshot& snapshot, const SolverOptions& resolved);

} // namespace chamomile::app
