/// \file  Properties of halos.
#pragma once

#include <array>
#include <vector>

#include "chamomile/cosmology/friends_of_friends.hpp"

namespace chamomile {

/// A Halo is in the units of the particles, with places in the cube where it is periodic. A halo
/// wider than half the cube has no unwrapped shape, and numbers that depend on one mean little.
struct Halo {
    std::size_t members = 0;
    double mass = 0;
    std::array<std::size_t, 6> members_of_type{};
    std::array<double, 6> mass_of_type{};
    Vec3<double> centre; ///< the member in the lowest potential of the members alone
    Vec3<double> centre_of_mass, velocity;
    double dispersion = 0;       ///< of one component of the velocity, weighted with mass
    double half_mass_radius = 0; ///< about the centre
    double radius = 0;           ///< of the farthest member, about the centre
    double middle_to_major = 1, minor_to_major = 1; ///< axes: roots of second moments of the mass
};

/// Returns one halo for each group, the same for any number of threads. Potentials, summed pair by
/// pair and softened by `softening`, are those within the last 128 members kept by spheres that
/// shrink about their centre of mass (Power et al. 2003), or within all members if they are no
/// more. (Potentials of all matter would move the centre of a small halo towards a large
/// neighbour.)
std::vector<Halo> halo_properties(const Particles& particles, const ParticleGroups& groups,
                                  const Periodicity& periodicity, double softening);

} // namespace chamomile
