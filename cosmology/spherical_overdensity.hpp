/// \file  Masses within spheres of a given mean density about halos.
#pragma once

#include <span>
#include <vector>

#include "chamomile/core/particles.hpp"
#include "chamomile/core/periodic.hpp"

namespace chamomile {

/// Mass and radius of the sphere whose mean density is the one asked for; both 0 if there is none.
struct OverdenseSphere {
    double mass = 0, radius = 0;
};

/// For each centre, one sphere for each density (mass per volume of the coordinates), counting all
/// particles: result[centre * densities.size() + density]. From the radius that the estimated mass
/// would have, outwards if the mean density there is above the one asked for, else inwards, to the
/// first radius R at which M(<R) = 4 pi / 3 density R^3 (Lacey & Cole 1994), to half the side of a
/// periodic cube at most. The same for any number of threads.
std::vector<OverdenseSphere> overdense_spheres(const Particles& particles,
                                               const Periodicity& periodicity,
                                               std::span<const Vec3<double>> centres,
                                               std::span<const double> estimated_masses,
                                               std::span<const double> densities);

} // namespace chamomile
