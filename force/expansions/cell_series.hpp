/// \file  The field of one cell with moments to order 3 or 4 (M2P), for softened gravity; G = 1.
///
/// With raw moments M_n of degree n about the cell's center of mass, seen at r from the target, u^2
/// = r^2 + eps^2, minus the potential is
///
///     Psi = sum_n M_n : grad^n u^-1 / n!
///         = sum_n sum_k (-1)^(n-k) (2n - 2k - 1)!! / (2^k k! (n - 2k)!) (tr^k M_n) r^(n-2k)
///           u^-(2n - 2k + 1)
///
/// Each trace comes with two powers of r less and two of u: in z = l r / u^2 and g = l^2 / u^2, l
/// being the cell's own size, Psi = p(z, g) / u with a polynomial of degree `order` in z
///
///     p = sum_(a, b, c) C_abc x^a/a! y^b/b! z^c/c!     C = sum_k g^k w_(n,k) tr^k M_n / l^n
///     w_(n,k) = (-1)^(n-k) (2n - 2k - 1)!! / (2^k k!)      n = a + b + c + 2k
///
/// so that one scheme of Horner gives the field of all orders. The acceleration is
///
///     a = (R r - l grad p) / u^3     R = p + 2 z . grad p + 2 g dp/dg
///
/// The series is exact to its order for any eps. z and g are of order 1 or less beyond the cell's
/// reach: nothing leaves float's range.
///
///     operations, fused ones as one     order 2 (gravity.hpp)     3      4
///     with potential                          34                  90    138
#pragma once

#include "chamomile/core/exponents.hpp"
#include "chamomile/core/vec3.hpp"
#include "chamomile/force/expansions/taylor_polynomial.hpp"
#include "chamomile/tree/moments.hpp"

namespace chamomile {

/// A cell as read by force loops. It holds the coefficients w M / l^n for moments, then for their
/// traces by degree in z.
template <class T, int order>
struct alignas(4 * sizeof(T)) SeriesSource {
    static constexpr int first = 4; ///< there is no moment of first degree
    static constexpr int traces = order == 3 ? 4 : 10;

    Vec3<T> position;
    T length;
    T mass;
    T term[term_count(order) - first]; ///< w_(n,0), from the second degree on
    T trace[traces];                   ///< w_(n,1), n = 2, 3, 4: degrees 0, 1, 2
    T double_trace;                    ///< w_(4,2)
};

namespace series {

/// Returns w_(n,k) as defined above.
CHAMOMILE_HD constexpr double weight(int n, int k)
{
    return ((n - k) % 2 ? -1 : 1) * odd_factorial(2 * (n - k) - 1) / (1 << k) / factorial(k);
}

/// w_(n,0) for the terms from second degree on.
template <int order>
struct Weights {
    double of[term_count(order) - 4];

    CHAMOMILE_HD constexpr Weights() : of()
    {
        for (int t = 4; t < term_count(order); ++t)
            of[t - 4] = weight(exponents_of(t).degree(), 0);
    }
};

/// Returns component e of the trace over packed terms, with a trace's weight.
template <class T, int order>
CHAMOMILE_HD T trace(const SeriesSource<T, order>& j, Exponents e)
{
    const int n = e.degree() + 2;
    return T(weight(n, 1) / weight(n, 0)) * (j.term[term_of({e.x + 2, e.y, e.z}) - j.first] +
                                             j.term[term_of({e.x, e.y + 2, e.z}) - j.first] +
                                             j.term[term_of({e.x, e.y, e.z + 2}) - j.first]);
}

/// The coefficients C that contain powers of g; at() reads the rest directly from the cell.
template <class T, class U, int order>
struct Coefficients {
    const SeriesSource<T, order>& cell;
    U low[term_count(order - 2)];

    CHAMOMILE_HD Coefficients(const SeriesSource<T, order>& j, const U& g) : cell(j)
    {
        U whole = U(j.trace[0]);
        if constexpr (order == 4)
            whole += g * U(j.double_trace);
        low[0] = U(j.mass) + g * whole;
        for (int k = 1; k < 4; ++k)
            low[k] = g * U(j.trace[k]);
        for (int k = 4; k < term_count(order - 2); ++k)
            low[k] = U(j.term[k - j.first]) + g * U(j.trace[k]);
    }

    template <int t>
    CHAMOMILE_HD U at() const
    {
        if constexpr (t < term_count(order - 2))
            return low[t];
        else
            return U(cell.term[t - cell.first]);
    }
};

/// Returns dp/dg.
template <class T, class U, int order>
CHAMOMILE_HD U change_with_g(const SeriesSource<T, order>& j, const Vec3<U>& z, const U& g)
{
    const T* const v = j.trace;
    U sum = U(v[0]) + U(v[1]) * z.x + U(v[2]) * z.y + U(v[3]) * z.z;
    if constexpr (order == 4) {
        const U half(0.5f);
        const Vec3<U> h = half * z;
        sum += (g + g) * U(j.double_trace);
        sum += z.x * (U(v[4]) * h.x + U(v[5]) * z.y + U(v[6]) * z.z);
        sum += z.y * (U(v[7]) * h.y + U(v[8]) * z.z);
        sum += z.z * (U(v[9]) * h.z);
    }
    return sum;
}

} // namespace series

/// Packs a cell at `position`, in units in which its length is `length` (J-PACKING).
template <class T, int order>
CHAMOMILE_HD void pack_series(const Multipole& multipole, const HigherMoments& higher,
                              const Vec3<T>& position, double inverse_length, double inverse_mass,
                              SeriesSource<T, order>& packed)
{
    using namespace series;
    constexpr Weights<order> weights;
    packed.position = position;
    packed.length = T(higher.length * inverse_length);
    packed.mass = T(inverse_mass * multipole.mass);
    const double inverse = higher.length > 0 ? 1 / higher.length : 0;
    const SecondMoments& s = multipole.second;
    const double second[6] = {s.xx, s.xy, s.xz, s.yy, s.yz, s.zz};
    for (int k = 0; k < 6; ++k)
        packed.term[k] = T(inverse * (inverse * (weights.of[k] * inverse_mass * second[k])));
    for (int k = 0; k < term_count(order) - HigherMoments::first; ++k)
        packed.term[6 + k] = T(weights.of[6 + k] * inverse_mass * higher.moment[k]);
    packed.trace[0] = trace(packed, {0, 0, 0});
    packed.trace[1] = trace(packed, {1, 0, 0});
    packed.trace[2] = trace(packed, {0, 1, 0});
    packed.trace[3] = trace(packed, {0, 0, 1});
    packed.double_trace = T(0);
    if constexpr (order == 4) {
        packed.trace[4] = trace(packed, {2, 0, 0});
        packed.trace[5] = trace(packed, {1, 1, 0});
        packed.trace[6] = trace(packed, {1, 0, 1});
        packed.trace[7] = trace(packed, {0, 2, 0});
        packed.trace[8] = trace(packed, {0, 1, 1});
        packed.trace[9] = trace(packed, {0, 0, 2});
        packed.double_trace =
            T(weight(4, 2) / weight(4, 1)) * (packed.trace[4] + packed.trace[7] + packed.trace[9]);
    }
}

/// Adds the cell's field at r from the target: acceleration and, if wanted, Psi.
template <bool with_potential, class T, class U, int order>
CHAMOMILE_HD void add_series(const SeriesSource<T, order>& j, const Vec3<U>& r, const U& eps2,
                             Vec3<U>& acceleration, U& psi)
{
    const U inv_u = inverse_sqrt(norm_squared(r, eps2));
    const U h = inv_u * inv_u, hl = h * U(j.length), g = hl * U(j.length);
    const Vec3<U> z = hl * r;
    const series::Coefficients<T, U, order> coefficients(j, g);
    const PolynomialValue<U> p =
        TaylorPolynomial<order, U, series::Coefficients<T, U, order>>::evaluate(coefficients, z);
    const U half = dot(z, p.gradient) + g * series::change_with_g(j, z, g);
    const U radial = (inv_u * h) * (p.value + half + half), along = inv_u * hl;
    acceleration += radial * r;
    acceleration -= along * p.gradient;
    if constexpr (with_potential)
        psi += inv_u * p.value;
}

} // namespace chamomile
