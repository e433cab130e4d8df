/// \file  The options of periodic boxes, the same for run, force, accuracy and bench.
#pragma once

#include <map>
#include <string>

#include "app/options.hpp"
#include "chamomile/force/solver.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile::app {

/// Opens a group with --box, --long-range, --mesh, --split and --cut.
void add_periodic_options(Options& options, PeriodicOptions& periodic);

/// Takes the box from the file unless --box gives it, and settles what goes with it. Throws
/// Error(usage) for options that a periodic box does not take, or that need one.
void settle_periodic(const Options& options, const Snapshot& snapshot, SolverOptions& solver);

/// Whether the file states another box, beyond rounding.
bool contradicts_box(double side, const Snapshot& snapshot);

/// Such as "mesh of 128^3, r_s of 1.25 cells, cut at 5 r_s".
std::string periodic_text(const PeriodicOptions& periodic);

/// The options in words; none of an isolated system or a direct sum.
std::map<std::string, std::string> describe_periodic(const SolverOptions& solver);

} // namespace chamomile::app
