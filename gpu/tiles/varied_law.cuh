/// \file  Laws of per-particle softening for kernels. The softening rule is a template argument: a
/// pair costs one operation more than with one length, but three with RuntimeRule.
#pragma once

#include "chamomile/force/periodic/short_range.hpp"
#include "chamomile/force/varied_gravity.hpp"

namespace chamomile {

template <SofteningRule rule>
struct FixedRule {
    template <class T>
    __device__ T operator()(const T& a, const T& b) const
    {
        if constexpr (rule == SofteningRule::root_of_squares)
            return a + b;
        else if constexpr (sizeof(T) == sizeof(float))
            return fmaxf(a, b);
        else
            return fmax(a, b);
    }
};

/// The laws of a rule, by softening kind and potential wanted.
template <SofteningRule rule>
struct WithRule {
    template <SofteningKind softening, bool with_potential>
    using Gravity = VariedGravityBy<FixedRule<rule>, softening, with_potential>;
    template <SofteningKind softening, bool with_potential>
    using ShortRange = ShortRangeOf<Gravity, softening, with_potential>;
};

} // namespace chamomile
