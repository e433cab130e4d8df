/// \file  The tidal tensor of Newtonian gravity with spline softening as a pairwise law; G = 1.
///
///     T_ab = sum_j m_j [B r_a r_b - A delta_ab]     A = f / r^3     B = -A' / r
///
/// With q = r/h, s = 1 - q and the kernel of Monaghan & Lattanzio (1985) as in GADGET:
///
///     q < 1/2:  A = [32/3 + q^2 (32 q - 38.4)] / h^3          B = (76.8 - 96 q) / h^5
///     q < 1:    f = 1 - s^4 (16 - 25.6 s + 32/3 s^2)          B = (3 f - 64 q^3 s^3) / r^5
#pragma once

#include "chamomile/core/lane_math.hpp"
#include "chamomile/force/pairs/laws/gravity_tidal.hpp"

namespace chamomile {

/// Targets, sources and sums as in GravityTidal.
struct GravityTidalSpline {
    double inverse_h = 1; ///< h: beyond it the force is Newton's

    template <class T>
    using Target = GravityTidal::Target<T>;
    template <class T>
    using Source = GravityTidal::Source<T>;
    template <class T>
    using Sum = GravityTidal::Sum<T>;

    template <class T>
    CHAMOMILE_HD void operator()(const Target<T>& i, const Source<T>& j, Sum<T>& sum) const
    {
        add_pair(j.position - i.position, j.mass, T(inverse_h), sum);
    }

    /// Adds a pair with softening radius h = 1 / inv_h.
    template <class T>
    static CHAMOMILE_HD void add_pair(const Vec3<T>& r, const T& mass, const T& inv_h, Sum<T>& sum)
    {
        const T r2 = norm_squared(r, T(1e-37)); // finite at r = 0
        const T inv_r = inverse_sqrt(r2), inv_r2 = inv_r * inv_r;
        const T q = smaller(r2 * inv_r * inv_h, T(2)), q2 = q * q; // finite powers
        const T s = select(q < T(1), T(1) - q, T(0));
        const T s3 = s * s * s;
        const T f = T(1) - s * s3 * (T(16) + s * (s * T(32 / 3.0) - T(25.6)));
        const T m_inv_h3 = mass * (inv_h * inv_h * inv_h), m_inv_r3 = mass * (inv_r * inv_r2);
        const T inner = m_inv_h3 * (T(32 / 3.0) + q2 * (T(32) * q - T(38.4)));
        const T inner_r = m_inv_h3 * (inv_h * inv_h) * (T(76.8) - T(96) * q);
        const T outer_r = m_inv_r3 * inv_r2 * (T(3) * f - T(64) * (q * q2) * s3);
        const T diagonal = select(q < T(0.5f), inner, m_inv_r3 * f);
        const Vec3<T> v = select(q < T(0.5f), inner_r, outer_r) * r;
        sum.xx += v.x * r.x - diagonal;
        sum.xy += v.x * r.y;
        sum.xz += v.x * r.z;
        sum.yy += v.y * r.y - diagonal;
        sum.yz += v.y * r.z;
        sum.zz += v.z * r.z - diagonal;
    }

    static constexpr std::array<int, 3> target_length = GravityTidal::target_length;
    static constexpr std::array<int, 4> source_length = GravityTidal::source_length;
    static constexpr std::array<int, 6> sum_length = GravityTidal::sum_length;
    CHAMOMILE_HD GravityTidalSpline with_unit(double unit) const { return {inverse_h * unit}; }
};

} // namespace chamomile
