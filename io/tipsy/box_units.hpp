/// \file  Comoving boxes in Tipsy files of PKDGRAV, Gasoline and ChaNGa: side 1, centered on the
/// origin, G = 1 and H0 = sqrt(8 pi/3), so that the critical density is 1. The time is the scale
/// factor, velocities are dx/dt. The file states neither the side nor h.
#pragma once

#include <string>

#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// A BoxScale holds the scales that a Tipsy file omits.
struct BoxScale {
    double side_in_cm; ///< comoving
    double hubble;     ///< H0 in 100 km/s/Mpc
};

/// Returns the units of the numbers in a Tipsy box.
Units box_units(const BoxScale& scale);

/// Adds a note if a snapshot without units looks like a Tipsy box: 0 < time <= 1, particles fill a
/// cube of side 1 about the origin, mass at most 1.
void warn_of_unscaled_box(Snapshot& snapshot);

/// Converts a snapshot without units to a comoving box: positions in [0, 1), peculiar velocities,
/// total mass as Omega_m, flat background. Throws Error(usage) that begins with `what` if the
/// snapshot states units or its time is not a scale factor.
void set_box_scale(Snapshot& snapshot, const BoxScale& scale, const std::string& what);

/// Returns whether the snapshot can be written as a Tipsy box.
bool is_tipsy_box(const Snapshot& snapshot);

/// Returns the snapshot with the numbers of a Tipsy box.
Snapshot as_tipsy_box(const Snapshot& snapshot);

} // namespace chamomile
