/// \file  Laws with per-particle softening, and with a rule fixed at compile time: a pair costs one
/// operation more than with one shared length; with RuntimeRule, three.
#pragma once

#include "chamomile/core/simd_math.hpp"
#include "chamomile/force/periodic/short_range.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {

template <SofteningRule rule>
struct FixedRule {
    template <class T>
    CHAMOMILE_HD T operator()(const T& a, const T& b) const
    {
        if constexpr (rule == SofteningRule::root_of_squares)
            return a + b;
        else
            return larger(a, b);
    }
};

/// WithRule has the laws by softening kind and potential wanted.
template <SofteningRule rule>
struct WithRule {
    template <SofteningKind softening, bool with_potential>
    using Gravity = VariedGravityBy<FixedRule<rule>, softening, with_potential>;
    template <SofteningKind softening, bool with_potential>
    using ShortRange = ShortRangeOf<Gravity, softening, with_potential>;
};

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
