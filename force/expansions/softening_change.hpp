/// \file  How a far cell's expansion changes with the pairs' softening; G = 1.
///
/// Psi = m / u, u^2 = r^2 + eps^2, changes with eps^2 as -m u^-3 / 2 to first order and 3 m u^-5 /
/// 8 to second. These are the functions F_1 = u^-3 and F_2 = 3 u^-5 in the recursion in
/// taylor_terms.hpp, so their derivatives follow like those of 1/u = F_0. They fall faster with
/// distance, so a low order suffices, for the mass only.
#pragma once

#include "chamomile/force/expansions/local_expansion.hpp"

namespace chamomile {

/// The order of expansions of the change.
inline constexpr int change_order = 3;

template <class T>
using ChangeExpansion = LocalExpansion<T, change_order>;

/// The eps^2 of pairs between a cell and targets in a SofteningSpan. `eps2`: value for the
/// expansion. `mean` and `square`: mean difference from it, and mean squared difference, for the
/// smallest, the inner and the largest target softening.
template <class T>
struct CellPairs {
    T eps2, mean[3], square[3];

    /// `rule` returns eps^2 for a target and a source. The cell's sources have `low` or `high`, the
    /// mass fraction `high_part` has `high`.
    template <class Rule>
    CHAMOMILE_HD void find(const Rule& rule, const T (&targets)[3], const T& low, const T& high,
                           const T& high_part)
    {
        const T weight = high_part - high_part * high_part;
        T variance[3];
        for (int k = 0; k < 3; ++k) {
            const T below = rule(targets[k], low), step = rule(targets[k], high) - below;
            mean[k] = below + high_part * step;
            variance[k] = weight * step * step;
        }
        eps2 = T(0.5f) * (mean[0] + mean[2]);
        for (int k = 0; k < 3; ++k) {
            mean[k] = mean[k] - eps2;
            square[k] = mean[k] * mean[k] + variance[k];
        }
    }

    /// Returns whether eps^2 differs between pairs.
    CHAMOMILE_HD bool differ() const { return any_less(T(0), square[0] + square[1] + square[2]); }
};

/// The terms of one cell at r from the center, about one value of eps^2.
template <class T>
class SofteningChange {
public:
    CHAMOMILE_HD SofteningChange(const Vec3<T>& r, const T& mass, const T& eps2)
    {
        using namespace taylor;
        const T inv_u = inverse_sqrt(norm_squared(r, eps2));
        const Vec3<T> unit = inv_u * r;
        inv_u2_ = inv_u * inv_u;
        second_[0] = T(odd_factorial(2 * (change_order + 2) - 1));
        step_down(unit, std::make_integer_sequence<int, change_order>{});
        for (int t = 0; t < size; ++t)
            first_[t] = second_[t];
        step_level<1>(unit, first_, all{});
        T power[change_order + 1]; // m u^-(degree + 1)
        power[0] = mass * inv_u;
        for (int degree = 1; degree <= change_order; ++degree)
            power[degree] = power[degree - 1] * inv_u;
        weigh(power, all{});
    }

    /// Adds the change if the pairs' eps^2 differs by `mean` on average, with mean square `square`.
    template <int order>
    CHAMOMILE_HD void add(const T& mean, const T& square, LocalExpansion<T, order>& expansion) const
    {
        const T h = inv_u2_ * mean, h2 = inv_u2_ * inv_u2_ * square;
        for (int t = 0; t < size; ++t)
            expansion.term[t] += h * first_[t] + h2 * second_[t];
    }

private:
    static constexpr int size = term_count(change_order);
    using all = std::make_integer_sequence<int, size>;

    template <int... k>
    CHAMOMILE_HD void step_down(const Vec3<T>& unit, std::integer_sequence<int, k...>)
    {
        (taylor::step_level<change_order + 1 - k>(
             unit, second_, std::make_integer_sequence<int, term_count(k + 1)>{}),
         ...);
    }

    template <int... k>
    CHAMOMILE_HD void weigh(const T* power, std::integer_sequence<int, k...>)
    {
        ((first_[k] = T(-0.5f) * power[exponents_of(k).degree()] * first_[k],
          second_[k] = T(0.125f) * power[exponents_of(k).degree()] * second_[k]),
         ...);
    }

    T first_[size], second_[size];
    T inv_u2_;
};

} // namespace chamomile
