/// \file  The tidal tensor of Newtonian gravity with Plummer softening as a pairwise law; G = 1.
///
///     T_ab = d a_a / d x_b = sum_j m_j [3 r_a r_b / u^5 - delta_ab / u^3]     u^2 = r^2 + eps^2
#pragma once

#include "chamomile/core/lane_math.hpp"
#include "chamomile/force/pairs/law.hpp"

namespace chamomile {

/// Target: position. Source: position, mass. Sum: xx, xy, xz, yy, yz, zz.
struct GravityTidal {
    double eps = 0;

    template <class T>
    struct Target {
        Vec3<T> position;
    };
    template <class T>
    struct Source {
        Vec3<T> position;
        T mass;
    };
    template <class T>
    struct Sum {
        T xx{}, xy{}, xz{}, yy{}, yz{}, zz{};
    };

    /// Issue slots per pair in single precision on a GPU.
    static constexpr int issue_slots = 23;

    template <class T>
    CHAMOMILE_HD void operator()(const Target<T>& i, const Source<T>& j, Sum<T>& sum) const
    {
        add_pair(j.position - i.position, j.mass, T(eps * eps), sum);
    }

    /// Adds a pair with softening eps2.
    template <class T>
    static CHAMOMILE_HD void add_pair(const Vec3<T>& r, const T& mass, const T& eps2, Sum<T>& sum)
    {
        const T inv_u = inverse_sqrt(norm_squared(r, eps2));    // 4, and 3 for r
        const T inv_u2 = inv_u * inv_u, m_inv_u = mass * inv_u; // 2
        const T diagonal = m_inv_u * inv_u2;                    // 1
        const T three = T(3) * inv_u2 * diagonal;               // 2
        const Vec3<T> s = three * r;                            // 3
        sum.xx += s.x * r.x - diagonal;                         // 2
        sum.xy += s.x * r.y;                                    // 1
        sum.xz += s.x * r.z;                                    // 1
        sum.yy += s.y * r.y - diagonal;                         // 2
        sum.yz += s.y * r.z;                                    // 1
        sum.zz += s.z * r.z - diagonal;                         // 2
    }

    static constexpr std::array<int, 3> target_length{1, 1, 1};
    static constexpr std::array<int, 4> source_length{1, 1, 1, 0};
    static constexpr std::array<int, 6> sum_length{-3, -3, -3, -3, -3, -3};
    CHAMOMILE_HD GravityTidal with_unit(double unit) const { return {eps / unit}; }
};

} // namespace chamomile
