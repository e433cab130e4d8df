/// \file  Moving, rotating, thinning and joining snapshots.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// A Placement moves a system: first its center of mass to the origin, then the rotation, then the
/// shift.
struct Placement {
    bool recentered = false;            ///< center of mass at rest at the origin
    std::optional<Vec3<double>> angles; ///< degrees about z, then about x, then about z
    Vec3<double> shift, boost;          ///< added to positions and velocities
};

/// Applies the placement. In a periodic box, positions are wrapped into the box. Clears
/// accelerations and potentials unless nothing changes. Throws Error(usage) that begins with `what`
/// for a rotation or a recentering in a periodic box.
void place(Snapshot& snapshot, const Placement& placement, const std::string& what);

/// Keeps the particles for which `is_kept` holds, in order.
void keep_particles(Snapshot& snapshot, const std::function<bool(std::size_t)>& is_kept);

/// Keeps the particles of the given types.
void keep_types(Snapshot& snapshot, const std::vector<int>& types);

/// Keeps the particles with the ids in a text file. Throws like places_of_ids().
void keep_ids(Snapshot& snapshot, const std::filesystem::path& file);

/// Replaces type t of each particle by new_types[t].
void retype(Snapshot& snapshot, const std::array<std::uint8_t, 6>& new_types);

/// Keeps the particles inside the sphere. In a periodic box, the nearest image counts.
void keep_sphere(Snapshot& snapshot, const Vec3<double>& center, double radius);

/// Keeps one of every n particles of each type and mass, chosen by a hash of the id, independent of
/// the order in the file. The kept particles share the total mass of their group. Masses with fewer
/// than n particles each form one group within a factor of two.
void thin_out(Snapshot& snapshot, std::uint64_t n);

/// An OrbitRequest is the Kepler orbit of two systems in the x-y plane, counter-clockwise. The
/// second system has its pericenter on +x.
struct OrbitRequest {
    double pericenter = 1, eccentricity = 1;
    /// Initial separation, before pericenter. None: ten pericenters, or the apocenter if nearer.
    std::optional<double> separation;

    double start() const;
};

/// Moves both systems to the Kepler orbit of their total mass about the common barycenter. Throws
/// Error(usage).
void place_on_orbit(Snapshot& first, Snapshot& second, const OrbitRequest& orbit);

/// Converts `part` to the units of `first`. Throws Error(usage) naming the part if the units differ
/// and are not both physical.
void share_units(const Snapshot& first, Snapshot& part, const std::string& name);

/// Returns all particles in one snapshot, in the order of the parts. All parts must have the same
/// units. Types stay unchanged. Ids of a part that earlier parts also contain are shifted, and the
/// provenance lists the ids of each part. Throws Error(usage) naming the part if G, box or
/// cosmology differ.
Snapshot joined(std::vector<Snapshot> parts, const std::vector<std::string>& names);

} // namespace chamomile
