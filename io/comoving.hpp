/// \file  Comoving files of the GADGET family, and their velocities u = v / sqrt(a).
#pragma once

#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// A BackgroundHeader holds what the header of a file of the GADGET family says about its
/// background.
struct BackgroundHeader {
    double time = 0, redshift = 0;
    double omega_matter = 0, omega_lambda = 0, hubble = 0;
    std::optional<bool> comoving; ///< set where the file states it
};

/// Recognises a comoving file by its own statement or, where it has none, as GADGET does: by a
/// non-zero Lambda or redshift, with the scale factor 1 / (1 + redshift) as the time; a file at
/// redshift 0 also needs a box. Sets snapshot.comoving, or notes why not. Reads snapshot.box_size.
void recognise_comoving(const BackgroundHeader& header, Snapshot& snapshot);

/// Multiplies the velocities by sqrt(a), from GADGET's u to peculiar velocities, and adds a note.
void make_velocities_peculiar(Snapshot& snapshot);

/// Returns whether the snapshot states what the critical density needs: a comoving frame with
/// Omega_m and h, and physical units.
bool has_critical_density(const Snapshot& snapshot);

/// Returns the mean density in the periodic box over today's critical density, for a snapshot that
/// has both.
double density_over_critical(const Snapshot& snapshot);

/// Returns whether that ratio is Omega_m to within 5 %, beyond which units, box or Omega_m are
/// wrong.
bool has_density_of_background(const Snapshot& snapshot);

/// Takes lengths of unstated unit as Mpc/h instead of kpc/h, as MUSIC writes them, if their density
/// is that of Omega_m only then; notes what is assumed. May be called again with another box or
/// Omega_m.
void infer_units(Snapshot& snapshot);

/// Returns the units as GADGET's family states them. Its readers divide lengths and masses of
/// comoving files by h, so units without h are multiplied by h.
Units units_by_gadget(const Snapshot& snapshot);

/// Returns whether the file states a side of the box that differs from this one beyond rounding.
bool contradicts_box(double side, const Snapshot& snapshot);

/// Returns sqrt(a) of a comoving snapshot and 1 of any other. Peculiar velocities are divided by it
/// when they are written as GADGET's u.
double velocity_factor(const Snapshot& snapshot);

} // namespace chamomile
