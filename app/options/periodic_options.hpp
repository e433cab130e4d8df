/// \file  The periodic box for forces, from options and file, and its output lines.
#pragma once

#include <string>

#include "app/options/options.hpp"
#include "chamomile/force/solver.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile::app {

/// Sets the snapshot's box to the box of the forces, and adds notes on ignored or surprising
/// values.
void warn_of_box(const Options& options, Snapshot& snapshot, const SolverOptions& solver);

/// Returns the box with its origin, such as "periodic, 3000 kpc (BoxSize of the file; --box 0:
/// isolated)". Empty for isolated systems.
std::string box_text(const Options& options, const Snapshot& snapshot, const SolverOptions& solver);

/// Prints box and long range on standard output, unless --quiet; prints nothing for isolated
/// systems.
void print_box(const Options& options, const Snapshot& snapshot, const SolverOptions& resolved);

} // namespace chamomile::app
