/// \file  The Lennard-Jones fluid: a single kind of atom, such as argon.
///
///     U(r) = 4 epsilon [(sigma/r)^12 - (sigma/r)^6] S(r)
///     F_i = sum_j (dU/dr) r_ij / r     W_i = -sum_j r dU/dr     r_ij = x_j - x_i
///
/// S is the switching function in switching.hpp. The sum over W_i is twice the pair virial: P V = N
/// k T + sum_i W_i / 6.
#pragma once

#include "chamomile/core/lane_math.hpp"
#include "chamomile/force/pairs/law.hpp"
#include "chamomile/force/pairs/laws/switching.hpp"

namespace chamomile {

/// Target and source: position. Sum: force, energy over all pairs (each pair counts at both atoms),
/// and W.
struct LennardJonesFluid {
    double sigma = 1, epsilon = 1;
    Switching switching;

    template <class T>
    struct Target {
        Vec3<T> position;
    };
    template <class T>
    struct Source {
        Vec3<T> position;
    };
    template <class T>
    struct Sum {
        Vec3<T> force;
        T energy{}, virial{};
    };

    /// Adds a pair in 31 issue slots in single precision.
    template <class T>
    CHAMOMILE_HD void operator()(const Target<T>& i, const Source<T>& j, Sum<T>& sum) const
    {
        const Vec3<T> r = j.position - i.position;                  // 3
        const T r2 = norm_squared(r), inv_r2 = reciprocal(r2);      // 4
        const T s2 = T(sigma * sigma) * inv_r2, s6 = s2 * s2 * s2;  // 3
        const T attraction = T(4 * epsilon) * s6;                   // 1
        T energy = attraction * s6 - attraction;                    // 1
        T gradient = (T(-6) * inv_r2) * (attraction * s6 + energy); // 3
        switching(r2, energy, gradient);                            // 12
        sum.force += gradient * r;                                  // 3
        sum.energy += energy;                                       // 1
        sum.virial -= gradient * r2;                                // 1
    }

    static constexpr std::array<int, 3> target_length{1, 1, 1};
    static constexpr std::array<int, 3> source_length{1, 1, 1};
    static constexpr std::array<int, 5> sum_length{-1, -1, -1, 0, 0};
    CHAMOMILE_HD LennardJonesFluid with_unit(double unit) const
    {
        return {sigma / unit, epsilon, switching.with_unit(unit)};
    }
};

} // namespace chamomile
