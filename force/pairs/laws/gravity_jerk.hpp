/// \file  Gravity with its rate of change, for Hermite integrators; G = 1.
///
///     a_i = sum_j m_j r / u^3     j_i = sum_j m_j [v / u^3 - 3 (r.v) r / u^5]
///     phi_i = -sum_j m_j / u      u^2 = r^2 + eps^2, r = x_j - x_i, v = v_j - v_i
///
/// (Makino & Aarseth 1992, eqs. 1 and 2.)
#pragma once

#include "chamomile/core/lane_math.hpp"
#include "chamomile/force/pairs/law.hpp"

namespace chamomile {

/// Target: position, velocity. Source: position, velocity, mass. Sum: acceleration, jerk,
/// potential.
struct GravityJerk {
    double eps = 0;

    template <class T>
    struct Target {
        Vec3<T> position, velocity;
    };
    template <class T>
    struct Source {
        Vec3<T> position, velocity;
        T mass;
    };
    template <class T>
    struct Sum {
        Vec3<T> acceleration, jerk;
        T potential{};
    };

    /// Issue slots per pair in single precision on a GPU.
    static constexpr int issue_slots = 28;

    template <class T>
    CHAMOMILE_HD void operator()(const Target<T>& i, const Source<T>& j, Sum<T>& sum) const
    {
        add_pair(i, j, T(eps * eps), sum);
    }

    /// Adds a pair with softening eps2; targets and sources may have more members at the end.
    template <class Target, class Source, class T>
    static CHAMOMILE_HD void add_pair(const Target& i, const Source& j, const T& eps2, Sum<T>& sum)
    {
        const Vec3<T> r = j.position - i.position, v = j.velocity - i.velocity;      // 6
        const T inv_u = inverse_sqrt(norm_squared(r, eps2));                         // 4
        const T m_inv_u = j.mass * inv_u, inv_u2 = inv_u * inv_u;                    // 2
        const T m_inv_u3 = m_inv_u * inv_u2, shrinking = T(-3) * inv_u2 * dot(r, v); // 6
        sum.acceleration += m_inv_u3 * r;                                            // 3
        sum.jerk += m_inv_u3 * (v + shrinking * r);                                  // 6
        sum.potential -= m_inv_u;                                                    // 1
    }

    // Velocities are lengths per time; the time unit does not change.
    static constexpr std::array<int, 6> target_length{1, 1, 1, 1, 1, 1};
    static constexpr std::array<int, 7> source_length{1, 1, 1, 1, 1, 1, 0};
    static constexpr std::array<int, 7> sum_length{-2, -2, -2, -2, -2, -2, -1};
    CHAMOMILE_HD GravityJerk with_unit(double unit) const { return {eps / unit}; }
};

} // namespace chamomile
