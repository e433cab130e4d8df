/// \file  Sums over particles in shells or rings around a center.
#pragma once

#include <optional>
#include <vector>

#include "chamomile/integrate/diagnostics.hpp"

namespace chamomile {

/// A ProfileRequest specifies center and bins; the disk axis is z.
struct ProfileRequest {
    std::optional<Vec3<double>> center; ///< empty: densest place
    std::optional<double> smallest, largest;
    int bins = 30;
    bool cylinders = false;       ///< rings around the z axis instead of spherical shells
    std::optional<double> height; ///< max |z| of cylinders; empty: no limit
};

/// Sums over the particles of a bin. Velocities, along r, theta, phi or R, phi, z, are relative to
/// the mean of the inner half of all particles.
struct RadialBin {
    double count = 0, mass = 0, heights = 0; ///< heights: of m z^2
    Vec3<double> sum, squares;               ///< of m v and m v^2
};

/// Bins from `edges[k]` to `edges[k + 1]`.
struct RadialBins {
    std::vector<double> edges;
    std::vector<int> types = {-1}; ///< -1: all particles; then each type, if there are several
    /// For each of `types` edges.size() sums: over the particles inside the first edge, then bins.
    std::vector<RadialBin> sums;
};

/// Returns the bins of particles in memory on all ranks. Collective; bitwise independent of the
/// numbers of ranks and threads. `side`: of a periodic box, or 0; `scale`: physical length over
/// coordinates. Lengths in the request are physical, except the center. Shells are equal in log r,
/// from the radius of 1 % of the particles to the radius of 99 %; rings are equal in R from 0; in a
/// box they end at half the side. Throws CollectiveError(usage) for radii out of order or beyond
/// half the side.
RadialBins radial_bins(const Measured& all, const ProfileRequest& request, double side,
                       double scale);

} // namespace chamomile
