/// \file  Properties of a snapshot in archives: checkpoints and messages between ranks.
#pragma once

#include "chamomile/core/files/archive.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile {

void exchange_units(Archive& archive, Units& units);

/// Exchanges units, constants, provenance, notes and comoving background, but not the time. A
/// reading archive needs facts.comoving set if it was set when saved.
void exchange_properties(Archive& archive, SnapshotFacts& facts);

/// Exchanges all that writers of files state.
void exchange_facts(Archive& archive, SnapshotFacts& facts);

} // namespace chamomile
