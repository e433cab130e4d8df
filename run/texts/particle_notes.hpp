/// \file  Initial conditions that are suspicious, but no errors.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "chamomile/core/particles.hpp"
#include "chamomile/force/solver.hpp"
#include "chamomile/integrate/external/external_field.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// Outside counts the particles outside a periodic box [0, side)^3, and their largest distance in
/// sides.
struct Outside {
    std::size_t particles = 0;
    double sides = 0;
};
/// Returns the particles outside the box.
Outside outside(const Particles& particles, double side);

/// Returns a line about them, or an empty text if there are none.
std::string outside_text(const Outside& outside);
/// Throws Error(input) if they are so far away that their places in the box have no digits left.
void require_places(const Outside& outside);

/// Returns a line for each suspicious input: masses too small to have an effect, an extent that is
/// huge relative to the softening, a softening far from suggested_softening(), particles outside
/// their periodic box, an opening angle above 1. Throws Error(input) for an extent relative to
/// which the softening length is below the precision of doubles.
std::vector<std::string> suspicious_inputs(const Snapshot& snapshot, const SolverOptions& solver);

/// Adds these lines to the notes of the snapshot.
void note_suspicious_inputs(Snapshot& snapshot, const SolverOptions& solver);
/// Adds a note for each potential whose circular speed at half of the particles is above 3000 km/s,
/// where units are known.
void note_fast_potentials(Snapshot& snapshot, const ExternalField& field);
/// Adds a note on the particles outside the snapshot's own box alone.
void note_outside(Snapshot& snapshot);
/// Adds a note, unless the snapshot has it already.
void add_note(Snapshot& snapshot, const std::string& line);

} // namespace chamomile
