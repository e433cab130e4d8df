/// \file  What the analysis of structures looks at: particles of some types, and their box.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "chamomile/io/snapshot.hpp"

namespace chamomile {

struct AnalysedMatter {
    std::vector<int> types;    ///< 0..5; empty: all
    std::optional<double> box; ///< side; empty: that of the file
};

/// Leaves only the particles of the types, and sets the box; notes a density that is not Omega_m.
/// Throws Error(input), naming `source`, if no particles are left.
void select_matter(const AnalysedMatter& matter, const std::string& source, Snapshot& snapshot);

/// Lengths of the snapshot in Mpc or Mpc/h, and what they are called; 1 and "" in N-body units.
struct AnalysisUnits {
    double length = 1, mass = 1; ///< mass: in Msun or Msun/h
    std::string length_name, mass_name;
};
AnalysisUnits analysis_units(const Units& units);

/// 1/a - 1 of a comoving snapshot, else 0.
double redshift_of(const Snapshot& snapshot);

/// The snapshot's notes, each after a line's end and "# note: ".
std::string notes_text(const Snapshot& snapshot);

/// Lines that begin with "# " and tell where a table comes from.
std::string table_heading(const Snapshot& snapshot, const std::string& title);

} // namespace chamomile
