/// \file  The derivatives of 1/u, unrolled at compile time.
#pragma once

#include <utility>

#include "chamomile/core/exponents.hpp"
#include "chamomile/core/vec3.hpp"
#include "chamomile/force/expansions/term_table.hpp"

namespace chamomile {

namespace taylor {

/// Returns derivatives of 1/u on the unit sphere of (r, eps)/u by the recursion over levels m,
///
///     D^m(0) = (2m - 1)!!     D^m(t + e) = r_e D^(m+1)(t) - t_e D^(m+1)(t - e)
///
/// where r points from the center to the source. Level 0 are the derivatives.
template <int level, int term, class T>
CHAMOMILE_HD T derivative(const Vec3<T>& r, const T* next_level)
{
    constexpr Exponents e = exponents_of(term);
    if constexpr (term == 0) {
        return T(odd_factorial(2 * level - 1));
    } else {
        // An axis with power 1 costs a product, with power 2 a fused one.
        constexpr auto rank = [](int power) { return power == 0 ? 99 : power; };
        constexpr bool along_x = rank(e.x) <= rank(e.y) && rank(e.x) <= rank(e.z);
        constexpr bool along_y = !along_x && rank(e.y) <= rank(e.z);
        constexpr int dx = along_x, dy = along_y, dz = !along_x && !along_y;
        constexpr int power = along_x ? e.x : along_y ? e.y : e.z;
        const T& coordinate = along_x ? r.x : along_y ? r.y : r.z;
        const T first = coordinate * next_level[term_of({e.x - dx, e.y - dy, e.z - dz})];
        if constexpr (power == 1) {
            return first;
        } else {
            const T& second = next_level[term_of({e.x - 2 * dx, e.y - 2 * dy, e.z - 2 * dz})];
            if constexpr (power == 2)
                return first - second;
            else
                return first - T(power - 1) * second;
        }
    }
}

/// Steps from level + 1 to `level` in place: a term needs only terms of lower degree.
template <int level, class T, int... k>
CHAMOMILE_HD void step_level(const Vec3<T>& r, T* d, std::integer_sequence<int, k...>)
{
    constexpr int last = int(sizeof...(k)) - 1;
    ((d[last - k] = derivative<level, last - k>(r, d)), ...);
}

template <int order, class T, int... k>
CHAMOMILE_HD void step_levels(const Vec3<T>& r, T* d, std::integer_sequence<int, k...>)
{
    (step_level<order - 1 - k>(r, d, std::make_integer_sequence<int, term_count(k + 1)>{}), ...);
}

/// Finds the monomials x^a/a! y^b/b! z^c/c! of the terms t.
template <class T, int... t>
CHAMOMILE_HD void find_monomials(const Vec3<T>& x, T* monomial, std::integer_sequence<int, t...>)
{
    const auto find = [&]<int term>() __attribute__((always_inline))
    {
        constexpr TermTable::Step step = term_table.step[term];
        const T& along = step.axis == 0 ? x.x : step.axis == 1 ? x.y : x.z;
        if constexpr (term == 0)
            monomial[0] = T(1);
        else if constexpr (step.before == 0)
            monomial[term] = along;
        else if constexpr (step.factor == 1)
            monomial[term] = along * monomial[step.before];
        else
            monomial[term] = T(step.factor) * along * monomial[step.before];
    };
    (find.template operator()<t>(), ...);
}

} // namespace taylor

} // namespace chamomile
