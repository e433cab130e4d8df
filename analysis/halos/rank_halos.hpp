/// \file  Halos of particles on ranks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "chamomile/analysis/halos/halo_properties.hpp"
#include "chamomile/analysis/halos/spherical_overdensity.hpp"

namespace chamomile {

inline constexpr std::uint8_t all_types = 0x3f; ///< bit t: particles of type t

/// The parameters of halos_of_ranks(), equal on all ranks.
struct RankHaloRequest {
    FriendRule rule = {};
    double softening = 0;           ///< of halo_properties()
    double velocity_factor = 1;     ///< scales velocities
    std::uint8_t types = all_types; ///< to link
    char devices[64] = "cpu";       ///< that link particles: cpu, or a word for choose_gpus()
};

/// The particles of a rank. Their numbers among the particles of all ranks begin with `first`.
struct RankMatter {
    std::span<const Vec3<double>> position, velocity;
    std::span<const double> mass;
    std::span<const std::uint8_t> type;
    GlobalIndex first;
};

/// Halos with their members' numbers, one halo after the other, and overdense_spheres() around
/// them.
struct RankHalos {
    std::vector<GlobalIndex> members;
    std::vector<Halo> halos;
    std::vector<OverdenseSphere> spheres;
};

/// Returns halos of the particles of all ranks on rank 0, nothing on other ranks: members by
/// friends_of_friends(), then halo_properties() and overdense_spheres(), bit for bit as on one
/// rank. Collective. Particles outside the slab of their home rank go to the rank of their slab.
/// Each rank links its slab with the particles within a linking length above it. The parts of a
/// group agree on the smallest number of a member, and its members move to the rank that has most
/// of them. Throws on all ranks like friends_of_friends().
RankHalos halos_of_ranks(const RankMatter& matter, const RankHaloRequest& request,
                         std::span<const double> densities, Communicator& ranks);

} // namespace chamomile
