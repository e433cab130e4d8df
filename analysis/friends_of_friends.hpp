/// \file  Friends-of-friends groups.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "chamomile/core/error.hpp"
#include "chamomile/core/particles.hpp"
#include "chamomile/core/periodic.hpp"

namespace chamomile {

/// ParticleGroups holds disjoint sets of particles.
struct ParticleGroups {
    std::vector<std::size_t> first; ///< start of each group in `members`, and the end of the last
    std::vector<Index> members;     ///< particle indices, ascending within a group

    std::size_t size() const { return first.empty() ? 0 : first.size() - 1; }
    std::span<const Index> operator[](std::size_t k) const
    {
        return std::span(members).subspan(first[k], first[k + 1] - first[k]);
    }
};

inline constexpr std::size_t no_particle = std::size_t(-1);

/// Returns the groups of at least `min_members` particles joined by chains of pairs at most
/// `linking_length` apart, with nearest images (Davis et al. 1985). Groups are exact and
/// independent of the number of threads. They are sorted by decreasing member count, then by first
/// member. Smaller groups with a particle from `kept_from` on are kept. Positions may be in any
/// periodic image. Throws Error(usage) for a linking length that is
/// not positive, above half the side of a periodic cube or below 1e-6 of the extent, Error(input)
/// for a non-finite position.
ParticleGroups friends_of_friends(std::span<const Vec3<double>> position,
                                  const Periodicity& periodicity, double linking_length,
                                  std::size_t min_members, std::size_t kept_from = no_particle);

/// A FriendRule holds the parameters of friends_of_friends().
struct FriendRule {
    Periodicity periodicity;
    double linking_length;
    std::size_t min_members;
};

/// Returns the groups of friends_of_friends(), found on GPU `number`, with 64 bytes of GPU memory a
/// particle. Throws like friends_of_friends(), Error(device), and OutOfDeviceMemory with the bytes
/// needed.
ParticleGroups friends_of_friends_on_gpu(int number, std::span<const Vec3<double>> position,
                                         const FriendRule& rule);

} // namespace chamomile
