/// \file  Profiles of a snapshot around a center, in shells or cylinders.
#pragma once

#include <string>

#include "chamomile/integrate/measures/radial_bins.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile {

class LedParticles;

/// Returns the profiles as comma-separated values, with units in the headings. Rows cover all
/// particles and, if several types occur, each type. Errors are counting errors. Bins and
/// velocities are those of radial_bins(). A comoving snapshot gives physical lengths and peculiar
/// velocities. If `led` is not null, positions and velocities are on ranks, in plain coordinates.
/// Throws Error(usage) like radial_bins(), and for a periodic box without center.
std::string profile_table(const Snapshot& snapshot, const ProfileRequest& request,
                          LedParticles* led = nullptr);

/// Returns a line if the box limits the outer edge, otherwise an empty text.
std::string profile_note(const Snapshot& snapshot, const ProfileRequest& request);

} // namespace chamomile
