/// \file  Softened gravity from cells with mass and quadrupole moment; G = 1.
///
///     phi_i = -sum_j [m_j / u + p]     a_i = sum_j [(m_j / u + 5 p) r / u^2 - Q_j r / u^5]
///     p = r.Q_j r / (2 u^5)            u^2 = r^2 + eps_i^2
///
/// Q = sum_k m_k (3 d d - d^2 1) about the center of mass, as in Phantom-GRAPE's quadrupole
/// library. Pairs with u = 0 add nothing.
#pragma once

#include "chamomile/core/lane_math.hpp"
#include "chamomile/force/pairs/law.hpp"

namespace chamomile {

/// Target: position, eps^2. Source: position, mass, Q. Sum: acceleration, potential.
struct SoftenedQuadrupoles {
    template <class T>
    struct Target {
        Vec3<T> position;
        T eps2{};
    };
    template <class T>
    struct Source {
        Vec3<T> position;
        T mass{}, xx{}, xy{}, xz{}, yy{}, yz{}, zz{};
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
        const T u2 = norm_squared(r, i.eps2);
        const T inv_u = select(T(0) < u2, inverse_sqrt(u2), T(0));
        const T inv_u2 = inv_u * inv_u, inv_u5 = inv_u2 * inv_u2 * inv_u;
        const Vec3<T> pulled{j.xx * r.x + j.xy * r.y + j.xz * r.z,
                             j.xy * r.x + j.yy * r.y + j.yz * r.z,
                             j.xz * r.x + j.yz * r.y + j.zz * r.z};
        const T monopole = j.mass * inv_u, quadrupole = T(0.5) * inv_u5 * dot(r, pulled);
        sum.acceleration += ((monopole + T(5) * quadrupole) * inv_u2) * r;
        sum.acceleration += (-inv_u5) * pulled;
        sum.potential -= monopole + quadrupole;
    }

    static constexpr std::array<int, 4> target_length{1, 1, 1, 2};
    static constexpr std::array<int, 10> source_length{1, 1, 1, 0, 2, 2, 2, 2, 2, 2};
    static constexpr std::array<int, 4> sum_length{-2, -2, -2, -1};
    CHAMOMILE_HD SoftenedQuadrupoles with_unit(double) const { return {}; }
};

} // namespace chamomile
