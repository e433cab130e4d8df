/// \file  Newtonian gravity with any softening as a pairwise law; G = 1.
///
/// force/gravity.hpp has the formula. With one Plummer length a pair takes 14 issue slots in single
/// precision on a GPU.
#pragma once

#include "chamomile/force/gravity.hpp"
#include "chamomile/force/pairs/law.hpp"

namespace chamomile {

/// Target: position. Source: position, mass. With per-particle softening both end with eps^2. Sum:
/// acceleration, potential.
template <class Kernel, class Rule>
struct GravityField {
    using Formula = Gravity<Kernel, Rule, true>;
    Rule rule;

    template <class T>
    using Target = typename Formula::template Target<T>;
    template <class T>
    using Source = typename Formula::template Source<T>;
    template <class T>
    using Sum = typename Formula::template Sum<T>;

    static GravityField of(const LawNumbers& n) { return {Rule::template of<Kernel>(n)}; }

    template <class T>
    CHAMOMILE_HD void operator()(const Target<T>& i, const Source<T>& j, Sum<T>& sum) const
    {
        Formula{rule}(i, j, sum);
    }

    static constexpr auto target_length = Rule::Records::target_length;
    static constexpr auto source_length = Rule::Records::source_length;
    static constexpr std::array<int, 4> sum_length{-2, -2, -2, -1};
    CHAMOMILE_HD GravityField with_unit(double unit) const
    {
        return {rule.template in_unit<Kernel>(unit)};
    }
};

// One type for each kernel built into the library (cmake/ChamomileLaws.cmake).
using FieldPlummer = GravityField<PlummerKernel, OneLength>;
using FieldSpline = GravityField<SplineKernel, OneLength>;
using FieldPlummerPerParticle = GravityField<PlummerKernel, RuntimeRule>;
using FieldSplinePerParticle = GravityField<SplineKernel, RuntimeRule>;

} // namespace chamomile
