/// \file  The particles that the analysis of structures uses: their types and their box.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// An AnalysedMatter selects types of particles and the side of their box.
struct AnalysedMatter {
    std::vector<int> types;    ///< 0..5; empty: all
    std::optional<double> box; ///< side; empty: that of the file
};

/// Keeps only the particles of the types, and sets the box; notes a density that is not Omega_m.
/// Throws Error(input), naming `source`, if no particles are left.
void select_matter(const AnalysedMatter& matter, const std::string& source, Snapshot& snapshot);

/// Notes particles outside the snapshot's periodic box, whose images within it count. Throws
/// Error(input) for places that have no digits left there.
void take_places(Snapshot& snapshot);

/// Returns whether there are particles of the types (empty: any).
bool has_types(const Particles& particles, const std::vector<int>& types);

/// Throws Error(input), naming `source`, unless has_types().
void require_types(const std::vector<int>& types, const std::string& source,
                   const Snapshot& snapshot);

/// Throws Error(usage), naming option and source, for a side that is not that of the snapshot's
/// box.
void require_box(const std::string& option, double side, const Snapshot& snapshot,
                 const std::string& source);

/// AnalysisUnits convert lengths of the snapshot to Mpc or Mpc/h, with their names; they are 1 and
/// "" in N-body units.
struct AnalysisUnits {
    double length = 1, mass = 1; ///< mass: in Msun or Msun/h
    std::string length_name, mass_name;
};
/// Returns the units of the analysis for a snapshot in these units.
AnalysisUnits analysis_units(const Units& units);

/// Returns 1/a - 1 for a comoving snapshot, else 0.
double redshift_of(const Snapshot& snapshot);

/// Returns the snapshot's notes, each after a line's end and "# note: ".
std::string notes_text(const Snapshot& snapshot);

/// Returns lines that begin with "# " and state the origin of a table.
std::string table_heading(const Snapshot& snapshot, const std::string& title);

} // namespace chamomile
