/// \file  Properties of halos.
#pragma once

#include <array>
#include <vector>

#include "chamomile/analysis/friends_of_friends.hpp"
#include "chamomile/analysis/halos/halo_matter.hpp"

namespace chamomile {

/// A Halo is in the units of the particles, with positions inside the periodic cube. Properties of
/// a halo wider than half the cube mean little, because it has no unique unwrapped shape.
struct Halo {
    std::size_t members = 0;
    double mass = 0;
    std::array<std::size_t, 6> members_of_type{};
    std::array<double, 6> mass_of_type{};
    Vec3<double> center; ///< member with the lowest potential due to members
    Vec3<double> center_of_mass, velocity;
    double dispersion = 0;                          ///< of one velocity component, mass-weighted
    double half_mass_radius = 0;                    ///< relative to the center
    double radius = 0;                              ///< max distance of a member from the center
    double middle_to_major = 1, minor_to_major = 1; ///< axis ratios, from second moments
};

/// Returns one halo per group, independent of the number of threads. Potentials are softened direct
/// sums over the 128 members closest to the center of a shrinking sphere (Power et al. 2003); in
/// smaller halos over all members. (Potentials from all matter would shift a small halo's center
/// towards a large neighbour.)
std::vector<Halo> halo_properties(const HaloMatter& particles, const ParticleGroups& groups,
                                  const Periodicity& periodicity, double softening);

} // namespace chamomile
