/// \file  What a user should doubt in a snapshot, each with what would mend it.
#pragma once

#include <string>
#include <vector>

#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// A Doubt is one sentence on the snapshot and one on what would mend it.
struct Doubt {
    std::string what, mend;
};

/// Returns the doubts: units, density, velocities, masses, ids, box, extent, softening. Particles
/// must be in memory; ids may repeat. Evaluates forces once to compare energies of isolated
/// particles, up to 1e6.
std::vector<Doubt> doubts(const Snapshot& snapshot);

} // namespace chamomile
