/// \file  What is odd about initial conditions, but no error.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "chamomile/core/particles.hpp"
#include "chamomile/force/solver.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// How many particles lie outside a periodic box [0, side)^3, and how far in sides.
struct Outside {
    std::size_t particles = 0;
    double sides = 0;
};
Outside outside(const Particles& particles, double side);

/// A line that tells it, empty if there are none.
std::string outside_text(const Outside& outside);
/// Throws Error(input) where no digits are left of their places within the box.
void require_places(const Outside& outside);

/// A line for each oddity: masses that pull at nothing, an extent that is huge beside the
/// softening, particles outside their periodic box, an opening angle above 1. Throws Error(input)
/// for an extent beside which doubles cannot tell the softening length.
std::vector<std::string> oddities(const Particles& particles, const SolverOptions& solver);

/// The same as notes of the snapshot, beside those of its reader.
void note_oddities(Snapshot& snapshot, const SolverOptions& solver);
/// Of the particles outside the snapshot's own box alone.
void note_outside(Snapshot& snapshot);
/// Adds one line more, unless it stands there.
void add_note(Snapshot& snapshot, const std::string& line);

} // namespace chamomile
