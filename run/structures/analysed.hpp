/// \file  Selection of particles for structure analysis: types and box.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "chamomile/io/snapshot.hpp"

namespace chamomile {

class LedParticles;

/// An AnalysedMatter selects particle types and the box side.
struct AnalysedMatter {
    std::vector<int> types;    ///< 0..5; empty: all
    std::optional<double> box; ///< side; empty: from the file
};

/// Particles on ranks. A snapshot on rank 0 has the masses and types of the chosen ones.
struct MatterOnRanks {
    LedParticles& led;
    std::vector<int> types = {}; ///< chosen; empty: all
    double velocity_factor = 1;  ///< velocity in files over velocity on ranks

    /// Returns the types as bits.
    std::uint8_t type_bits() const;
};

/// Keeps only particles of the selected types, and sets the box. Adds a note if the density is not
/// Omega_m. Throws Error(input), naming `source`, if no particles are left.
void select_matter(const AnalysedMatter& matter, const std::string& source, Snapshot& snapshot);

/// Adds a note on particles outside the periodic box; analyses use their periodic images. Throws
/// Error(input) if they are so far away that wrapping leaves no significant digits.
void use_positions_only(Snapshot& snapshot);

/// Returns whether particles of these types exist (empty: any type).
bool has_types(const Particles& particles, const std::vector<int>& types);

/// Throws Error(input), naming `source`, unless has_types().
void require_types(const std::vector<int>& types, const std::string& source,
                   const Snapshot& snapshot);

/// Throws Error(usage), naming option and source, if the side differs from the snapshot's box.
void require_box(const std::string& option, double side, const Snapshot& snapshot,
                 const std::string& source);

/// AnalysisUnits holds factors and names for conversion to Mpc or Mpc/h; 1 and "" in N-body units.
struct AnalysisUnits {
    double length = 1, mass = 1; ///< mass: to Msun or Msun/h
    std::string length_name, mass_name;
};
/// Returns the analysis units for a snapshot with these units.
AnalysisUnits analysis_units(const Units& units);

/// Returns 1/a - 1 for a comoving snapshot, otherwise 0.
double redshift_of(const Snapshot& snapshot);

/// Returns the snapshot's notes, each on a new line after "# note: ".
std::string notes_text(const Snapshot& snapshot);

/// Returns lines beginning with "# " that state the origin of a table.
std::string table_heading(const Snapshot& snapshot, const std::string& title);

} // namespace chamomile
