/// \file  Friends of friends: groups of particles joined by short links.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "chamomile/core/error.hpp"
#include "chamomile/core/particles.hpp"
#include "chamomile/core/periodic.hpp"

namespace chamomile {

/// ParticleGroups are disjoint sets of particles.
struct ParticleGroups {
    std::vector<std::size_t> first; ///< of each group in `members`, and the end of the last
    std::vector<Index> members;     ///< particle numbers, ascending within a group

    std::size_t size() const { return first.empty() ? 0 : first.size() - 1; }
    std::span<const Index> operator[](std::size_t k) const
    {
        return std::span(members).subspan(first[k], first[k + 1] - first[k]);
    }
};

/// Returns the groups of at least `min_members` particles that are joined by chains of pairs at
/// most `linking_length` apart, nearest images counted (Davis et al. 1985). The groups are exact
/// and the same for any number of threads; they are ordered by falling number of members, then by
/// their first member. Positions may lie in any image. Throws Error(usage) for a linking length
/// that is not positive, above half the side of a periodic cube or below 1e-6 of the extent,
/// Error(input) for a position that is not finite.
ParticleGroups friends_of_friends(std::span<const Vec3<double>> position,
                                  const Periodicity& periodicity, double linking_length,
                                  std::size_t min_members);

} // namespace chamomile
