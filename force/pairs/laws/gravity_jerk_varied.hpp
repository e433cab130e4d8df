/// \file  Gravity and its rate of change, with per-particle softening; G = 1.
#pragma once

#include "chamomile/force/pairs/laws/gravity_jerk.hpp"
#include "chamomile/force/varied_gravity.hpp"

namespace chamomile {

/// Like GravityJerk, with eps^2 at the end of targets and sources; pairs use the rule.
struct GravityJerkVaried {
    RuntimeRule rule;

    template <class T>
    struct Target {
        Vec3<T> position, velocity;
        T eps2;
    };
    template <class T>
    struct Source {
        Vec3<T> position, velocity;
        T mass, eps2;
    };
    template <class T>
    using Sum = GravityJerk::Sum<T>;

    template <class T>
    CHAMOMILE_HD void operator()(const Target<T>& i, const Source<T>& j, Sum<T>& sum) const
    {
        GravityJerk::add_pair(i, j, rule(i.eps2, j.eps2), sum);
    }

    static constexpr std::array<int, 7> target_length{1, 1, 1, 1, 1, 1, 2};
    static constexpr std::array<int, 8> source_length{1, 1, 1, 1, 1, 1, 0, 2};
    static constexpr std::array<int, 7> sum_length = GravityJerk::sum_length;
    CHAMOMILE_HD GravityJerkVaried with_unit(double) const { return *this; }
};

} // namespace chamomile
