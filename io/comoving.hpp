/// \file  Comoving files of the GADGET family, and their velocities u = v / sqrt(a).
#pragma once

#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// A BackgroundHeader holds the background cosmology in the header of a GADGET-family file.
struct BackgroundHeader {
    double time = 0, redshift = 0;
    double omega_matter = 0, omega_lambda = 0, hubble = 0;
    std::optional<bool> comoving; ///< set if the file states it
};

/// Recognizes a comoving file by its explicit flag. Without a flag it follows GADGET: Lambda or
/// redshift is non-zero and the time equals the scale factor 1 / (1 + redshift). A file at redshift
/// 0 also needs a box. Sets snapshot.comoving or adds a note why not. Reads snapshot.box_size.
void recognise_comoving(const BackgroundHeader& header, Snapshot& snapshot);

/// Multiplies the velocities by sqrt(a), from GADGET's u to peculiar velocities, and adds a note.
void make_velocities_peculiar(Snapshot& snapshot);

/// Returns whether the snapshot states Omega_m, h and physical units, so that the critical density
/// can be computed.
bool has_critical_density(const Snapshot& snapshot);

/// Returns the mean density in the periodic box over today's critical density. Needs
/// has_critical_density().
double density_over_critical(const Snapshot& snapshot);

/// Returns whether the mean density agrees with Omega_m within 5 %. A larger difference indicates
/// wrong units, box or Omega_m.
bool has_density_of_background(const Snapshot& snapshot);

/// For files without stated units: assumes Mpc/h (as MUSIC writes) instead of kpc/h if only then
/// the density agrees with Omega_m. Adds a note with the assumption. May be called again with
/// another box or Omega_m.
void infer_units(Snapshot& snapshot);

/// Returns the units to state in GADGET-family files. GADGET readers divide lengths and masses of
/// comoving files by h, so units without h are multiplied by h.
Units units_by_gadget(const SnapshotFacts& snapshot);

/// Returns whether the file states a box side that differs from `side` by more than rounding.
bool contradicts_box(double side, const Snapshot& snapshot);

/// Returns sqrt(a) of a comoving snapshot, otherwise 1. Writers divide peculiar velocities by this
/// factor to get GADGET's u.
double velocity_factor(const SnapshotFacts& snapshot);

} // namespace chamomile
