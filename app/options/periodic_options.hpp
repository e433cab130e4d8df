/// \file  The periodic box of a force, from options and file, and its lines of output.
#pragma once

#include <string>

#include "app/options/options.hpp"
#include "chamomile/force/solver.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile::app {

/// Sets the snapshot's box to that of the forces, and notes what was ignored or may surprise.
void note_box(const Options& options, Snapshot& snapshot, const SolverOptions& solver);

/// Returns the origin of the box; it is empty for isolated systems. An example is
/// "periodic, 3000 kpc (BoxSize of the file; --box 0: isolated)".
std::string box_text(const Options& options, const Snapshot& snapshot, const SolverOptions& solver);

/// Prints box and long range on standard output, unless --quiet; prints nothing for isolated
/// systems.
void print_box(const Options& options, const Snapshot& snapshot, const SolverOptions& resolved);

} // namespace chamomile::app
