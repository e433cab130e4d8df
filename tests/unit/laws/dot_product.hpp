/// \file  A law without positions, such as products with a matrix and its transpose.
#pragma once

#include "chamomile/force/pairs/law.hpp"

namespace chamomile::tests {

struct DotProduct {
    template <class T>
    struct Target {
        T a{}, b{};
    };
    template <class T>
    struct Source {
        T a{}, b{}, weight{};
    };
    template <class T>
    struct Sum {
        T weighted{}, square{};
    };

    template <class T>
    CHAMOMILE_HD void operator()(const Target<T>& i, const Source<T>& j, Sum<T>& sum) const
    {
        const T product = i.a * j.a + i.b * j.b;
        sum.weighted += j.weight * product;
        sum.square += product * product;
    }
};

} // namespace chamomile::tests
