/// \file  The potential of Morse (1929) between atoms: D [(1 - e^(-a (r - r0)))^2 - 1].
#pragma once

#include <chamomile/core/lane_math.hpp>
#include <chamomile/force/pairs/law.hpp>

/// The Morse law. Target and source: position; sum: force and energy.
struct Morse {
    double depth = 1, steepness = 6, distance = 1.12;

    template <class T>
    struct Target {
        chamomile::Vec3<T> position;
    };
    template <class T>
    struct Source {
        chamomile::Vec3<T> position;
    };
    template <class T>
    struct Sum {
        chamomile::Vec3<T> force;
        T energy{};
    };

    template <class T>
    CHAMOMILE_HD void operator()(const Target<T>& i, const Source<T>& j, Sum<T>& sum) const
    {
        using namespace chamomile;
        const Vec3<T> r = j.position - i.position;
        const T r2 = norm_squared(r), inv_r = inverse_sqrt(r2);
        const T e = exponential(T(steepness) * (T(distance) - r2 * inv_r));
        // The force on the target is -dU/dr times the unit vector from the source; r has the
        // opposite direction.
        sum.force += (T(2 * depth * steepness) * e * (T(1) - e) * inv_r) * r;
        sum.energy += T(depth) * e * (e - T(2));
    }
};
