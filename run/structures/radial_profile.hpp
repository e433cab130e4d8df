/// \file  Profiles of a snapshot around a center, in shells or cylinders.
#pragma once

#include <optional>
#include <string>

#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// A ProfileRequest specifies center and bins; the disk axis is z.
struct ProfileRequest {
    std::optional<Vec3<double>> center; ///< empty: densest place
    std::optional<double> smallest, largest;
    int bins = 30;
    bool cylinders = false;       ///< rings around the z axis instead of spherical shells
    std::optional<double> height; ///< max |z| of cylinders; empty: no limit
};

/// Returns the profiles as comma-separated values, with units in the headings. Rows cover all
/// particles and, if several types occur, each type. Errors are counting errors. Shells are equal
/// in log r, from the radius of 1 % of the particles to the radius of 99 %. Rings are equal in R
/// from 0. Velocities are relative to the mean of the inner half. A comoving snapshot gives
/// physical lengths and peculiar velocities. In a periodic box the bins end at half the side.
/// Throws Error(usage) for radii out of order or beyond half the side, and for a periodic box
/// without center.
std::string profile_table(const Snapshot& snapshot, const ProfileRequest& request);

/// Returns a line if the box limits the outer edge, otherwise an empty text.
std::string profile_note(const Snapshot& snapshot, const ProfileRequest& request);

} // namespace chamomile
