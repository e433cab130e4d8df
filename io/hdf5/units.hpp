/// \file  Units of an HDF5 snapshot, as stated by GADGET-family codes.
#pragma once

#include "chamomile/io/hdf5/piece.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// Sets units, G and softening of the snapshot from the groups Chamomile, Units, Parameters and
/// Header. Adds notes about assumptions.
void read_units(const Hdf5Piece& piece, Snapshot& snapshot);

/// Sets a spline softening from GADGET-4's softening classes, unless Chamomile's attributes state
/// one.
void read_softening_classes(const Hdf5Piece& piece, Snapshot& snapshot);

/// Completes the softening of a snapshot with per-particle softening. The kind is spline if the
/// file states none. Throws Error with Fault::input.
void set_softenings(const Hdf5Piece& piece, Snapshot& snapshot);

} // namespace chamomile
