/// \file  Comoving boxes in Tipsy files, as PKDGRAV, Gasoline and ChaNGa have them: side 1 about
/// the origin, G = 1 and H0 = sqrt(8 pi/3), so that the critical density is 1; the time is the
/// scale factor, and velocities are dx/dt. Neither the side nor h stands in the file.
#pragma once

#include <string>

#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// A BoxScale holds what such a file leaves out.
struct BoxScale {
    double side_in_cm; ///< comoving
    double hubble;     ///< H0 in 100 km/s/Mpc
};

/// Returns the units in which such a box has its numbers.
Units box_units(const BoxScale& scale);

/// Adds a note if a snapshot without units looks like such a box: 0 < time <= 1, particles fill a
/// cube of side 1 about the origin, mass at most 1.
void note_unscaled_box(Snapshot& snapshot);

/// Makes a snapshot without units a comoving box: positions in [0, 1) of its side, peculiar
/// velocities, the mass as Omega_m, and a flat background. Throws Error(usage) that begins with
/// `what` for a snapshot that states units or whose time is no scale factor.
void take_box_scale(Snapshot& snapshot, const BoxScale& scale, const std::string& what);

/// Returns whether the snapshot can be written as such a box.
bool is_tipsy_box(const Snapshot& snapshot);

/// Returns the snapshot with the numbers of such a box.
Snapshot as_tipsy_box(const Snapshot& snapshot);

} // namespace chamomile
