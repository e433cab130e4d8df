/// \file  A law without a formula: counts the sources within a radius.
#pragma once

#include "chamomile/core/lane_math.hpp"
#include "chamomile/force/pairs/law.hpp"

namespace chamomile::tests {

struct CountWithin {
    double radius = 1;

    template <class T>
    struct Target {
        Vec3<T> position;
    };
    template <class T>
    struct Source {
        Vec3<T> position;
    };
    template <class T>
    struct Sum {
        T count{};
    };

    template <class T>
    CHAMOMILE_HD void operator()(const Target<T>& i, const Source<T>& j, Sum<T>& sum) const
    {
        const T r2 = norm_squared(j.position - i.position);
        sum.count += select(r2 < T(radius * radius), T(1), T(0));
    }
};

} // namespace chamomile::tests
