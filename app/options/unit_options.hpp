/// \file  The choice of a system of units, and the quantities that were given with units.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/options/options.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile::app {

/// FileUnits holds what a file leaves out about its units, and the units that are wanted.
struct FileUnits {
    std::string system;           ///< of --units, or empty
    std::string box_length;       ///< of a comoving Tipsy file, with its unit, or empty
    std::optional<double> hubble; ///< beside it
};

/// Returns --units SYSTEM.
OptionRow<std::string> unit_system_row(const std::string& group);

/// Adds --units SYSTEM, and --box-length and --h of comoving Tipsy files.
void add_file_units(Options& options, FileUnits& units, const std::string& group);

/// Gives the snapshot the units that its file leaves out, and brings it into those of --units.
/// Throws Error(usage).
void take_file_units(const FileUnits& units, Snapshot& snapshot);

/// Returns the lines of an introduction that state the quantities given with units.
std::vector<std::string> quantity_lines(const Options& options);

/// Prints them on standard output, unless --quiet.
void print_quantities(const Options& options);

} // namespace chamomile::app
