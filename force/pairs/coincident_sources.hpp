/// \file  Targets of sums over pairs, and sources at their places.
#pragma once

#include <cstdint>
#include <vector>

#include "chamomile/force/lists/list_field.hpp"

namespace chamomile {

/// Targets for sums over pairs, in the caller's order.
struct PairTargets {
    std::vector<double> position, velocity; ///< three values per target; velocities only for jerks
    std::vector<double> softening;          ///< with per-particle softening
    std::vector<Index> self;                ///< the source that each target is, or no_source
};

/// Sources at a target's place, in compressed rows: they exert no force.
struct Coincident {
    std::vector<std::uint64_t> begin; ///< empty: softened
    std::vector<std::uint32_t> sources;
};

/// Returns positions, masses and softening in the caller's order.
FieldCopy copy_of(ListField& lists);

/// Finds the sources, other than its self, at each target's place without softening.
Coincident find_coincident(ListField& lists, const PairTargets& targets);

/// Throws Error(input) if such a source exists.
void refuse_coincident(ListField& lists, const PairTargets& targets);

} // namespace chamomile
