/// \file  Density center and core of a star cluster.
#pragma once

#include <span>

#include "chamomile/core/particles.hpp"

namespace chamomile {

/// Center and core by local densities (Casertano & Hut 1985, with j = 6).
struct ClusterCore {
    Vec3<double> center;     ///< density-weighted mean position
    double radius = 0;       ///< density-weighted mean distance from the center
    double density = 0;      ///< density-weighted mean density
    std::size_t members = 0; ///< particles within the radius
    double mean_mass = 0;    ///< of these members
    double dispersion = 0;   ///< their rms velocity about their mean, in three dimensions
};

/// Returns the core of the particles `members`; at least seven must have mass. The local density of
/// a particle is the mass of its five nearest neighbors over the volume of the sphere that reaches
/// to the sixth: an unbiased estimate. Massless particles do not count.
ClusterCore cluster_core(const Particles& particles, std::span<const Index> members);

} // namespace chamomile
