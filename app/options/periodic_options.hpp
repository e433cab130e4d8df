/// \file  The periodic box of a force: from options and file, and what is told of it.
#pragma once

#include <map>
#include <string>

#include "app/options/options.hpp"
#include "chamomile/force/solver.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile::app {

/// Takes the box from the file unless --box gives it; the snapshot is in the box that is used then,
/// with notes of what was ignored or may surprise. Throws Error(usage) for two boxes that differ.
void settle_box(const Options& options, Snapshot& snapshot, PeriodicOptions& periodic);

/// Whether the file states another box, beyond rounding.
bool contradicts_box(double side, const Snapshot& snapshot);

/// Where the box comes from, such as "periodic, 3000 kpc (BoxSize of the file; --box 0: isolated)";
/// empty of isolated systems.
std::string box_text(const Options& options, const Snapshot& snapshot,
                     const PeriodicOptions& periodic);

/// Such as "mesh of 128^3, r_s 29.3 kpc, cut at 146 kpc" of options whose mesh is known; empty of
/// isolated systems and direct sums.
std::string long_range_text(const SolverOptions& settled, const Units& units);

/// Both as lines on standard output, unless --quiet; none of isolated systems.
void print_box(const Options& options, const Snapshot& snapshot, const SolverOptions& settled);

/// Such as "mesh of 128^3, r_s of 1.25 cells, cut at 5 r_s".
std::string periodic_text(const PeriodicOptions& periodic);

/// The radii of split and cut in words; none of an isolated system, a direct sum or a mesh that is
/// not chosen yet.
std::map<std::string, std::string> describe_ranges(const SolverOptions& solver);

} // namespace chamomile::app
