/// \file  Density by smoothed particle hydrodynamics, and the number of neighbours.
///
///     rho_i = sum_j m_j W(r, h_i)     W = [1 - 3/2 q^2 + 3/4 q^3] / (pi h^3), q = r/h < 1
///                                       = [(2 - q)^3 / 4] / (pi h^3),         1 <= q < 2
///
/// (Monaghan & Lattanzio 1985.) Sources within 2 h count, including the target itself unless
/// excluded.
#pragma once

#include "chamomile/core/lane_math.hpp"
#include "chamomile/force/pairs/law.hpp"

namespace chamomile {

/// Target: position, 1 / h. Source: position, mass. Sum: density, number of neighbours.
struct SphDensity {
    template <class T>
    struct Target {
        Vec3<T> position;
        T inverse_h{};
    };
    template <class T>
    struct Source {
        Vec3<T> position;
        T mass{};
    };
    template <class T>
    struct Sum {
        T density{}, neighbours{};
    };

    /// Adds a pair in 22 issue slots in single precision. Both pieces of the kernel are W pi h^3 =
    /// [(2-q)^3 - 4 (1-q)^3] / 4, with negative differences set to 0.
    template <class T>
    CHAMOMILE_HD void operator()(const Target<T>& i, const Source<T>& j, Sum<T>& sum) const
    {
        constexpr double quarter_by_pi = 0.25 * 0.31830988618379067154;
        const Vec3<T> r = j.position - i.position; // 3
        // At r = 0 a tiny number under the root keeps q from becoming 0 times infinity.
        const T r2 = norm_squared(r);                                           // 3
        const T q = (r2 * inverse_sqrt(r2 + T(1e-30))) * i.inverse_h;           // 4
        const T outer = larger(T(2) - q, T(0)), inner = larger(T(1) - q, T(0)); // 4
        const T outer3 = outer * outer * outer, inner3 = inner * inner * inner; // 4
        const T norm = T(quarter_by_pi) * (i.inverse_h * i.inverse_h * i.inverse_h);
        sum.density += (norm * j.mass) * (outer3 - T(4) * inner3); // 3
        sum.neighbours += select(q < T(2), T(1), T(0));            // 2
    }

    static constexpr std::array<int, 4> target_length{1, 1, 1, -1};
    static constexpr std::array<int, 4> source_length{1, 1, 1, 0};
    static constexpr std::array<int, 2> sum_length{-3, 0};
    CHAMOMILE_HD SphDensity with_unit(double) const { return {}; }
};

} // namespace chamomile
