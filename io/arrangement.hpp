/// \file  Snapshots that are moved, turned, reduced and put together.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// A Placement says where a system is put: first it is brought to its centre of mass, then turned,
/// then moved.
struct Placement {
    bool recentred = false;                      ///< centre of mass at rest at the origin
    std::optional<std::array<double, 3>> angles; ///< degrees about z, then about x, then about z
    Vec3<double> shift, boost;                   ///< added to positions and velocities
};

/// Moves the snapshot's particles; in a periodic box they are wrapped into it, and accelerations
/// and potentials are left out unless nothing changes. Throws Error(usage) that begins with `what`
/// for angles and for recentring in a periodic box.
void place(Snapshot& snapshot, const Placement& placement, const std::string& what);

/// Keeps the particles for which `is_kept` holds, in their order.
void keep_particles(Snapshot& snapshot, const std::function<bool(Index)>& is_kept);

/// Keeps those of the types.
void keep_types(Snapshot& snapshot, const std::vector<int>& types);

/// Gives each particle the new type of its type.
void retype(Snapshot& snapshot, const std::array<std::uint8_t, 6>& new_types);

/// Keeps those in the sphere, in a periodic box by their nearest images.
void keep_sphere(Snapshot& snapshot, const Vec3<double>& centre, double radius);

/// Keeps one of every n particles of each type and mass, chosen by a hash of the id, so that the
/// same particles are kept in any order of the file. The kept ones get the whole mass of their
/// kind. Masses of fewer than n particles each are one kind within a factor of two.
void thin_out(Snapshot& snapshot, std::uint64_t n);

/// An OrbitRequest is the orbit of two systems about each other: in the x-y plane, with pericentre
/// on +x of the second, counter-clockwise.
struct OrbitRequest {
    double pericentre = 1, eccentricity = 1;
    /// At the start, before pericentre; none: ten pericentres, or the apocentre where that is
    /// nearer.
    std::optional<double> separation;

    double start() const;
};

/// Puts the centres of mass of both on the orbit of all their mass, about their barycentre. Throws
/// Error(usage).
void place_on_orbit(Snapshot& first, Snapshot& second, const OrbitRequest& orbit);

/// Brings the part into the units of the first. Throws Error(usage) naming it where only one of
/// both has physical units.
void share_units(const Snapshot& first, Snapshot& part, const std::string& name);

/// Returns all particles in one snapshot, in the order of the parts, whose units are the same.
/// Types stay as they are. Ids of a part that others before it have too are made larger; the
/// provenance tells the ids of each part. Throws Error(usage) naming the part for another G,
/// box or cosmology.
Snapshot joined(std::vector<Snapshot> parts, const std::vector<std::string>& names);

} // namespace chamomile
