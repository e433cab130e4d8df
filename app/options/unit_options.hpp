/// \file  The choice of a system of units, and the quantities that were given with units.
#pragma once

#include <string>
#include <vector>

#include "app/options/options.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile::app {

/// Adds --units SYSTEM.
void add_unit_system(Options& options, std::string& system);

/// Brings the snapshot into the units of --units; nothing is done for an empty name. Throws
/// Error(usage).
void take_unit_system(const std::string& system, Snapshot& snapshot);

/// Returns the lines of an introduction that state the quantities given with units.
std::vector<std::string> quantity_lines(const Options& options);

/// Prints them on standard output, unless --quiet.
void print_quantities(const Options& options);

} // namespace chamomile::app
