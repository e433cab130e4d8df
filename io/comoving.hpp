/// \file  Comoving files of the GADGET family, and their velocities u = v / sqrt(a).
#pragma once

#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// What the header of a file of the GADGET family says about its background.
struct BackgroundHeader {
    double time = 0, redshift = 0;
    double omega_matter = 0, omega_lambda = 0, hubble = 0;
    std::optional<bool> comoving; ///< where the file says whether it is
};

/// Recognises a comoving file by its own word or, where it has none, as GADGET does: by a non-zero
/// Lambda or redshift, where the time is the scale factor 1 / (1 + redshift). Sets
/// snapshot.comoving, or notes why not.
void recognise_comoving(const BackgroundHeader& header, Snapshot& snapshot);

/// Multiplies the velocities by sqrt(a), from GADGET's u to peculiar velocities, and says so.
void make_velocities_peculiar(Snapshot& snapshot);

/// Whether it states what the critical density needs: a comoving frame with Omega_m and h, and
/// physical units.
bool has_critical_density(const Snapshot& snapshot);

/// The mean density in its periodic box over the critical density of today; of snapshots that have
/// both.
double density_over_critical(const Snapshot& snapshot);

/// Whether that is Omega_m to within 5 %, beyond which units, box or Omega_m are wrong.
bool has_density_of_background(const Snapshot& snapshot);

/// Takes kpc/h that a file did not state as Mpc/h, as MUSIC writes them, if its density is that of
/// Omega_m in these alone; notes what is assumed. May be called again with another box or Omega_m.
void settle_units(Snapshot& snapshot);

/// Whether the file states another box than one of this side, beyond rounding.
bool contradicts_box(double side, const Snapshot& snapshot);

/// sqrt(a) of a comoving snapshot, 1 of a plain one: peculiar velocities are divided by it when
/// they are written as GADGET's u.
double velocity_factor(const Snapshot& snapshot);

} // namespace chamomile
