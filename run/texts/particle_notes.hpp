/// \file  Suspicious but legal initial conditions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "chamomile/core/particles.hpp"
#include "chamomile/force/solver.hpp"
#include "chamomile/integrate/external/external_field.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// Outside counts particles outside a periodic box [0, side)^3; `sides` is their max distance in
/// box sides.
struct Outside {
    std::size_t particles = 0;
    double sides = 0;
};
/// Counts also particles left in their file.
Outside outside(const Snapshot& snapshot, double side);

/// Returns a line about particles outside the box, or an empty text if none.
std::string outside_text(const Outside& outside);
/// Throws Error(input) if they are so far outside that wrapping leaves no significant digits.
void require_places(const Outside& outside);

/// Returns a line for each suspicious input: negligible masses, a huge extent relative to the
/// softening, a softening far from suggested_softening(), particles outside the periodic box, an
/// opening angle above 1. Throws Error(input) if the extent is so large that doubles cannot resolve
/// the softening length.
std::vector<std::string> suspicious_inputs(const Snapshot& snapshot, const SolverOptions& solver);

/// Adds suspicious_inputs() to the notes of the snapshot.
void warn_of_suspicious_inputs(Snapshot& snapshot, const SolverOptions& solver);
/// Adds a note for each potential with a median circular speed above 3000 km/s at the particles, if
/// units are known.
void warn_of_fast_potentials(Snapshot& snapshot, const ExternalField& field);
/// Adds only the note on particles outside the snapshot's box.
void warn_of_outside(Snapshot& snapshot);
/// Adds a note unless it exists already.
void add_note(Snapshot& snapshot, const std::string& line);

} // namespace chamomile
