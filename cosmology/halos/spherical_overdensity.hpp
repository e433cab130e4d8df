/// \file  Masses within spheres of a given mean density about halos.
#pragma once

#include <span>
#include <vector>

#include "chamomile/core/particles.hpp"
#include "chamomile/core/periodic.hpp"

namespace chamomile {

/// An OverdenseSphere holds mass and radius of a sphere with the wanted mean density; both are 0 if
/// there is none.
struct OverdenseSphere {
    double mass = 0, radius = 0;
};

/// Returns one sphere for each centre and density (mass per volume of the coordinates), counting
/// all particles: result[centre * densities.size() + density]. The search starts from the radius
/// that the estimated mass would have, and goes outwards if the mean density there is above the
/// wanted one, else inwards, to the first radius R at which M(<R) = 4 pi / 3 density R^3 (Lacey &
/// Cole 1994), to half the side of a periodic cube at most. The result is the same for any number
/// of threads.
std::vector<OverdenseSphere> overdense_spheres(const Particles& particles,
                                               const Periodicity& periodicity,
                                               std::span<const Vec3<double>> centres,
                                               std::span<const double> estimated_masses,
                                               std::span<const double> densities);

} // namespace chamomile
