/// \file  Screened Coulomb interaction (Yukawa, Debye-Hueckel): the field at a target.
///
///     phi_i = sum_j q_j exp(-r/lambda) / r     E_i = -grad phi_i     for r < cut-off
///
/// The force on a charge q is q E. Beyond the cut-off (a few tens of lambda, or infinite) the field
/// is zero: phi jumps there by exp(-r/lambda) / r.
#pragma once

#include <limits>

#include "chamomile/core/lane_math.hpp"
#include "chamomile/force/pairs/law.hpp"

namespace chamomile {

/// Target: position. Source: position, charge. Sum: field, potential.
struct Yukawa {
    double screening_length = 1;
    double cutoff = std::numeric_limits<double>::infinity();

    template <class T>
    struct Target {
        Vec3<T> position;
    };
    template <class T>
    struct Source {
        Vec3<T> position;
        T charge{};
    };
    template <class T>
    struct Sum {
        Vec3<T> field;
        T potential{};
    };

    /// Adds a pair in 21 issue slots in single precision.
    template <class T>
    CHAMOMILE_HD void operator()(const Target<T>& i, const Source<T>& j, Sum<T>& sum) const
    {
        const Vec3<T> r = j.position - i.position;              // 3
        const T r2 = norm_squared(r), inv_r = inverse_sqrt(r2); // 4
        const T screened =
            power_of_two(T(-1.44269504088896340736 / screening_length) * (r2 * inv_r)); // 3
        const T charge = select(r2 < T(cutoff * cutoff), j.charge, T(0));               // 2
        const T potential = (charge * inv_r) * screened;                                // 2
        const T slope = potential * (inv_r * (inv_r + T(1 / screening_length)));        // 3
        sum.field -= slope * r;                                                         // 3
        sum.potential += potential;                                                     // 1
    }

    static constexpr std::array<int, 3> target_length{1, 1, 1};
    static constexpr std::array<int, 4> source_length{1, 1, 1, 0};
    static constexpr std::array<int, 4> sum_length{-2, -2, -2, -1};
    CHAMOMILE_HD Yukawa with_unit(double unit) const
    {
        return {screening_length / unit, cutoff / unit};
    }
};

} // namespace chamomile
