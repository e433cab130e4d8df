/// \file  The units of an HDF5 snapshot as programs of the GADGET family state them.
#pragma once

#include "chamomile/io/hdf5/piece.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// Sets units, G and softening of the snapshot from the groups Chamomile, Units, Parameters and
/// Header, in this order, or notes what was assumed.
void read_units(const Hdf5Piece& piece, Snapshot& snapshot);

/// Takes the lengths of GADGET-4's classes of softening, a spline's, where the file states no
/// softening in the words of this program.
void take_softening_classes(const Hdf5Piece& piece, Snapshot& snapshot);

/// Completes the softening of a snapshot whose particles have lengths of their own: they are a
/// spline's where the file states no kind. Throws Error with Fault::input.
void take_softenings(const Hdf5Piece& piece, Snapshot& snapshot);

} // namespace chamomile
