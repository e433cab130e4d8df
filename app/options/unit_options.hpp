/// \file  Options for unit systems, and output of quantities given with units.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/options/options.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile::app {

/// FileUnits holds units missing in a file, and the requested units.
struct FileUnits {
    std::string system;           ///< --units, or empty
    std::string box_length;       ///< for a comoving Tipsy file, with unit, or empty
    std::optional<double> hubble; ///< together with box_length
};

/// Adds --units SYSTEM.
void add_unit_system(Options& options, std::string& system);

/// Adds --units SYSTEM, and --box-length and --h of comoving Tipsy files.
void add_file_units(Options& options, FileUnits& units);

/// Sets units missing in the snapshot's file, and converts the snapshot to --units. Throws
/// Error(usage).
void set_file_units(const FileUnits& units, Snapshot& snapshot);

/// Returns introduction lines about quantities given with units.
std::vector<std::string> quantity_lines(const Options& options);

/// Prints quantity_lines() on standard output, unless --quiet.
void print_quantities(const Options& options);

} // namespace chamomile::app
