/// \file  Snapshots in other units.
#pragma once

#include <string>

#include "chamomile/core/options/quantity.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// Returns what quantities with units are brought to beside these particles.
UnitFrame unit_frame_of(const Snapshot& snapshot);

/// Brings every number of a snapshot in physical units into others. Throws Error(usage) that
/// begins with `what` where h is needed and the snapshot states none.
void convert_units(Snapshot& snapshot, const Units& units, const std::string& what);

/// Gives the snapshot these units: one that states physical units is converted, and of one that
/// states none the numbers are in them, which is noted. Throws Error(usage) that begins with `what`
/// for N-body units with a G that is not 1 in these.
void choose_units(Snapshot& snapshot, const Units& units, const std::string& what);

} // namespace chamomile
