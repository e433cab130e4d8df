/// \file  Newtonian gravity with per-particle softening; G = 1.
///
///     a_i = sum_j m_j r_ij / u^3     phi_i = -sum_j m_j / u     u^2 = r^2 + eps_i^2 + eps_j^2
///
/// Pairs with u = 0 (coincident, without softening) add nothing.
#pragma once

#include "chamomile/core/lane_math.hpp"
#include "chamomile/force/pairs/law.hpp"

namespace chamomile {

/// Target: position, eps^2. Source: position, mass, eps^2. Sum: acceleration, potential.
struct SoftenedPairs {
    template <class T>
    struct Target {
        Vec3<T> position;
        T eps2{};
    };
    template <class T>
    struct Source {
        Vec3<T> position;
        T mass{}, eps2{};
    };
    template <class T>
    struct Sum {
        Vec3<T> acceleration;
        T potential{};
    };

    template <class T>
    CHAMOMILE_HD void operator()(const Target<T>& i, const Source<T>& j, Sum<T>& sum) const
    {
        const Vec3<T> r = j.position - i.position;
        const T u2 = norm_squared(r, i.eps2 + j.eps2);
        const T inv_u = select(T(0) < u2, inverse_sqrt(u2), T(0));
        const T m_inv_u = j.mass * inv_u;
        sum.acceleration += (m_inv_u * inv_u * inv_u) * r;
        sum.potential -= m_inv_u;
    }

    static constexpr std::array<int, 4> target_length{1, 1, 1, 2};
    static constexpr std::array<int, 5> source_length{1, 1, 1, 0, 2};
    static constexpr std::array<int, 4> sum_length{-2, -2, -2, -1};
    CHAMOMILE_HD SoftenedPairs with_unit(double) const { return {}; }
};

} // namespace chamomile
