/// \file  Profiles of a snapshot about a centre, in shells or cylinders.
#pragma once

#include <optional>
#include <string>

#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// A ProfileRequest says where the bins lie; the disk's axis is z.
struct ProfileRequest {
    std::optional<Vec3<double>> centre; ///< the place of highest density unless given
    std::optional<double> smallest, largest;
    int bins = 30;
    bool cylinders = false;       ///< rings about the z axis instead of spherical shells
    std::optional<double> height; ///< cylinders reach to |z| = height; empty: all
};

/// Returns the profiles as comma-separated values, with units in the headings: rows of all
/// particles and, where several types occur, of each of them. Errors are those of counting. The
/// bins are equal in log r from the radius of 1 % of the particles to that of 99 %, of rings equal
/// in R from 0. Velocities are relative to the mean of the inner half. A comoving snapshot gives
/// physical lengths and peculiar velocities. In a periodic box the bins end at half its side.
/// Throws Error(usage) for a radius out of order or beyond that, and for a periodic box without a
/// centre.
std::string profile_table(const Snapshot& snapshot, const ProfileRequest& request);

/// Returns a line about the outer edge that the box sets, or an empty text.
std::string profile_note(const Snapshot& snapshot, const ProfileRequest& request);

} // namespace chamomile
