/// \file  Converting snapshots to other units.
#pragma once

#include <string>

#include "chamomile/core/options/quantity.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// Returns the units and h for converting other quantities to the units of the snapshot.
UnitFrame unit_frame_of(const Snapshot& snapshot);

/// Converts every number of a snapshot with physical units. Throws Error(usage) that begins with
/// `what` if h is needed and the snapshot states none.
void convert_units(Snapshot& snapshot, const Units& units, const std::string& what);

/// Sets the units of the snapshot. Stated physical units are converted. If no units are stated, the
/// numbers are kept and a note is added. For N-body units, G must equal G of `units`. Otherwise
/// throws Error(usage) that begins with `what`.
void choose_units(Snapshot& snapshot, const Units& units, const std::string& what);

} // namespace chamomile
