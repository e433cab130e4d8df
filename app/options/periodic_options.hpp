/// \file  The periodic box of a force: from options and file, and what is told of it.
#pragma once

#include <string>

#include "app/options/options.hpp"
#include "chamomile/force/solver.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile::app {

/// Takes the box from the file unless --box gives it; the snapshot is in the box that is used then,
/// with notes of what was ignored or may surprise. Throws Error(usage) for two boxes that differ.
void settle_box(const Options& options, Snapshot& snapshot, SolverOptions& solver);

/// Where the box comes from, such as "periodic, 3000 kpc (BoxSize of the file; --box 0: isolated)";
/// empty of isolated systems.
std::string box_text(const Options& options, const Snapshot& snapshot, const SolverOptions& solver);

/// Both as lines on standard output, unless --quiet; none of isolated systems.
void print_box(const Options& options, const Snapshot& snapshot, const SolverOptions& settled);

} // namespace chamomile::app
