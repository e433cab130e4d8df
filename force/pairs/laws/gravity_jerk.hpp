/// \file  Gravity with its rate of change, for Hermite integrators; G = 1.
///
///     a_i = sum_j m_j r / u^3     j_i = sum_j m_j [v / u^3 - 3 (r.v) r / u^5]
///     phi_i = -sum_j m_j / u      u^2 = r^2 + eps^2, r = x_j - x_i, v = v_j - v_i
///
/// (Makino & Aarseth 1992, eqs. 1 and 2.)
#pragma once

#include "chamomile/core/lane_math.hpp"
#include "chamomile/force/gravity.hpp"
#include "chamomile/force/pairs/law.hpp"

namespace chamomile {

/// The law of one length: targets have position and velocity, sources mass too.
struct CommonEps {
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
    // Velocities are lengths per time; the time unit does not change.
    static constexpr std::array<int, 6> target_length{1, 1, 1, 1, 1, 1};
    static constexpr std::array<int, 7> source_length{1, 1, 1, 1, 1, 1, 0};

    template <class T>
    CHAMOMILE_HD T squared(const Target<T>&, const Source<T>&) const
    {
        return T(eps * eps);
    }
    CHAMOMILE_HD CommonEps in_unit(double unit) const { return {eps / unit}; }
};

/// Per-particle softening: targets and sources end with eps^2, and pairs use the rule.
struct EpsPerParticle {
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
    static constexpr std::array<int, 7> target_length{1, 1, 1, 1, 1, 1, 2};
    static constexpr std::array<int, 8> source_length{1, 1, 1, 1, 1, 1, 0, 2};

    template <class T>
    CHAMOMILE_HD T squared(const Target<T>& i, const Source<T>& j) const
    {
        return rule(i.eps2, j.eps2);
    }
    CHAMOMILE_HD EpsPerParticle in_unit(double) const { return *this; }
};

/// Sums acceleration, jerk and potential.
template <class T>
struct JerkSums {
    Vec3<T> acceleration, jerk;
    T potential{};
};

template <class Length>
struct JerkLaw {
    Length length;

    template <class T>
    using Target = typename Length::template Target<T>;
    template <class T>
    using Source = typename Length::template Source<T>;
    template <class T>
    using Sum = JerkSums<T>;

    /// Issue slots per pair with one length, in single precision on a GPU.
    static constexpr int issue_slots = 28;

    template <class T>
    CHAMOMILE_HD void operator()(const Target<T>& i, const Source<T>& j, Sum<T>& sum) const
    {
        const Vec3<T> r = j.position - i.position, v = j.velocity - i.velocity;      // 6
        const T inv_u = inverse_sqrt(norm_squared(r, length.squared(i, j)));         // 4
        const T m_inv_u = j.mass * inv_u, inv_u2 = inv_u * inv_u;                    // 2
        const T m_inv_u3 = m_inv_u * inv_u2, shrinking = T(-3) * inv_u2 * dot(r, v); // 6
        sum.acceleration += m_inv_u3 * r;                                            // 3
        sum.jerk += m_inv_u3 * (v + shrinking * r);                                  // 6
        sum.potential -= m_inv_u;                                                    // 1
    }

    static constexpr auto target_length = Length::target_length;
    static constexpr auto source_length = Length::source_length;
    static constexpr std::array<int, 7> sum_length{-2, -2, -2, -2, -2, -2, -1};
    CHAMOMILE_HD JerkLaw with_unit(double unit) const { return {length.in_unit(unit)}; }
};

using GravityJerk = JerkLaw<CommonEps>;
using GravityJerkPerParticle = JerkLaw<EpsPerParticle>;

} // namespace chamomile
