/// \file  Newtonian gravity with Plummer softening as a pairwise law; G = 1. See force/gravity.hpp
/// for the formula.
///
///     a_i = sum_j m_j r_ij / u^3     phi_i = -sum_j m_j / u     u^2 = r^2 + eps^2
#pragma once

#include "chamomile/force/gravity.hpp"
#include "chamomile/force/pairs/law.hpp"

namespace chamomile {

/// Target: position. Source: position, mass. Sum: acceleration and, optionally, potential.
template <bool with_potential>
struct PlummerGravity {
    double eps = 0;

    using Formula = Gravity<PlummerKernel, OneLength, with_potential>;
    template <class T>
    using Target = typename Formula::template Target<T>;
    template <class T>
    using Source = typename Formula::template Source<T>;
    template <class T>
    using Sum = typename Formula::template Sum<T>;

    /// Issue slots per pair in single precision on a GPU.
    static constexpr int issue_slots = with_potential ? 14 : 13;

    template <class T>
    CHAMOMILE_HD void operator()(const Target<T>& i, const Source<T>& j, Sum<T>& sum) const
    {
        Formula{{eps * eps}}(i, j, sum);
    }

    static constexpr auto target_length = CommonRecords::target_length;
    static constexpr auto source_length = CommonRecords::source_length;
    static constexpr auto sum_length = [] {
        if constexpr (with_potential)
            return std::array<int, 4>{-2, -2, -2, -1};
        else
            return std::array<int, 3>{-2, -2, -2};
    }();
    CHAMOMILE_HD PlummerGravity with_unit(double unit) const { return {eps / unit}; }
};

using GravityAcceleration = PlummerGravity<false>;
using GravityPotential = PlummerGravity<true>;

} // namespace chamomile
