/// \file  The rows of cells for the adjoint of gravity, and a cell's effect on a target (M2P).
#pragma once

#include <type_traits>
#include <utility>

#include "chamomile/core/exponents.hpp"
#include "chamomile/core/vec3.hpp"
#include "chamomile/force/expansions/taylor_terms.hpp"

namespace chamomile {

/// The coefficients of a cell in float or double, as the kernels read them. With r from the target
/// to the cell, u^2 = r^2 + eps^2, the cell's size s, e = s r / u^2 and z = s^2 / u^2, a field is
///
///     1/u sum_(k, j) z^j sum_(|b| = k) coefficient(k, j, b) e^b / b!
///
/// A moment of degree n gives coefficients with k = n (j = 0), and its j-fold traces with
/// k = n - 2 j. Masses have moments to degree order - 1, of which the first vanish.
struct DualRow {
    int order; ///< degree of the dual field's moments

    constexpr int duals() const { return term_count(order); }
    constexpr int masses() const { return order > 2 ? term_count(order - 1) - 3 : 1; }
    /// Number of coefficients without traces. They come first.
    constexpr int moments() const { return duals() + masses(); }
    /// The first of those of degree k with j traces.
    constexpr int dual(int k, int j) const
    {
        return j == 0 ? term_count(k - 1) : moments() + traces(order, k, j);
    }
    constexpr int mass(int k, int j) const
    {
        return j == 0 ? duals() + (k == 0 ? 0 : term_count(k - 1) - 3)
                      : moments() + traces(order, -1, 0) + traces(order - 1, k, j);
    }
    /// Number of values: a multiple of 16.
    constexpr int size() const
    {
        return (moments() + traces(order, -1, 0) + traces(order - 1, -1, 0) + 15) / 16 * 16;
    }

private:
    /// Number of traces before (k, j); of all for j = 0.
    static constexpr int traces(int degree, int k, int j)
    {
        int count = 0;
        for (int t = 1; 2 * t <= degree; ++t)
            for (int d = 0; d + 2 * t <= degree; ++d) {
                if (t == j && d == k)
                    return count;
                count += (d + 1) * (d + 2) / 2;
            }
        return count;
    }
};

/// Adds `weight` times moment `from`, of a degree, to value `to` of a row. Moments are those of the
/// masses to degree order - 1, then the dual ones, times (-1)^n / (a! b! c!), n the degree.
struct DualStep {
    int from, to, degree;
    double weight;
};

/// Calls use(step) for all steps from moments to a row.
template <class Use>
constexpr void for_each_dual_step(int order, const Use& use)
{
    const DualRow layout{order};
    const int masses = term_count(order - 1);
    for (int m = 0; m < masses + term_count(order); ++m) {
        const bool is_mass = m < masses;
        const Exponents e = exponents_of(is_mass ? m : m - masses);
        const int n = e.degree();
        if (is_mass && n == 1) // vanish
            continue;
        for (int x = 0; 2 * x <= e.x; ++x)
            for (int y = 0; 2 * y <= e.y; ++y)
                for (int z = 0; 2 * z <= e.z; ++z) {
                    const int j = x + y + z, k = n - 2 * j,
                              first = is_mass ? layout.mass(k, j) : layout.dual(k, j),
                              to = term_of({e.x - 2 * x, e.y - 2 * y, e.z - 2 * z});
                    use(DualStep{m, first + to - term_count(k - 1), n,
                                 (j % 2 ? -1 : 1) * odd_factorial(2 * (n - j) - 1) * factorial(e) /
                                     (double(1 << j) * factorial(Exponents{x, y, z}))});
                }
    }
}

/// All steps, as a table at compile time.
template <int order>
struct DualSteps {
    static constexpr int count = [] {
        int n = 0;
        for_each_dual_step(order, [&](const DualStep&) { ++n; });
        return n;
    }();
    DualStep step[count];

    CHAMOMILE_HD constexpr DualSteps() : step()
    {
        int n = 0;
        for_each_dual_step(order, [&](const DualStep& each) { step[n++] = each; });
    }
};

/// Returns the term with the powers of both.
CHAMOMILE_HD constexpr int joint_term(int s, int t)
{
    const Exponents a = exponents_of(s), b = exponents_of(t);
    return term_of({a.x + b.x, a.y + b.y, a.z + b.z});
}

namespace dual {

/// Returns sum_b row[b + t] e^b / b! over the terms b of degree k.
template <int t, int k, class P, class T, int... b>
CHAMOMILE_HD P contracted(const T* row, const P* monomials, std::integer_sequence<int, b...>)
{
    constexpr int from = term_count(k - 1), first = term_count(exponents_of(t).degree() + k - 1);
    P sum[2]{}; // two chains, because a pack of targets has few independent operations
    ((sum[b % 2] += P(row[joint_term(t, from + b) - first]) * monomials[from + b]), ...);
    return sum[0] + sum[1];
}

/// Like above; degree 0 has no product.
template <int t, int k, class P, class T>
CHAMOMILE_HD P contracted(const T* row, const P* monomials)
{
    if constexpr (k == 0)
        return P(row[t - term_count(exponents_of(t).degree() - 1)]);
    else
        return contracted<t, k>(row, monomials,
                                std::make_integer_sequence<int, (k + 1) * (k + 2) / 2>{});
}

/// Calls use.operator()<k, j>() for all k + 2 j <= degree.
template <int degree, class Use, int... n>
CHAMOMILE_HD void for_each_part(const Use& use, std::integer_sequence<int, n...>)
{
    constexpr int row = degree + 1;
    const auto call = [&]<int k, int j>() __attribute__((always_inline))
    {
        if constexpr (k + 2 * j <= degree)
            use.template operator()<k, j>();
    };
    (call.template operator()<n % row, n / row>(), ...);
}

template <int degree, class Use>
CHAMOMILE_HD void for_each_part(const Use& use)
{
    for_each_part<degree>(use, std::make_integer_sequence<int, (degree + 1) * (degree / 2 + 1)>{});
}

} // namespace dual

/// A cell's law with derivatives of 1/u times factors; here Newton's, without factors.
struct NewtonsCells {
    /// Returns p, of a part whose law is the m-th derivative by r^2.
    template <int m, class P>
    CHAMOMILE_HD const P& scaled(const P& p) const
    {
        return p;
    }
    /// Returns w p times half of (3 + 2 m) factor(m + 2) - 3 factor(m + 1).
    template <int m, int w, class T, class P>
    CHAMOMILE_HD P second(const P& p) const
    {
        return P(T(m * w)) * p;
    }
};

/// The same with factors, for the laws of pairs that are cut off.
template <class P>
struct FactoredCells {
    P factor[5]; ///< for orders to 3

    template <int m, class Value>
    CHAMOMILE_HD Value scaled(const Value& p) const
    {
        return factor[m] * p;
    }
    template <int m, int w, class T>
    CHAMOMILE_HD P second(const P& p) const
    {
        return (P(T((m + 1.5) * w)) * factor[m + 2] - P(T(1.5 * w)) * factor[m + 1]) * p;
    }
};

/// Adds a cell to a target, or a pack of targets, by M2P. A cell has `position`, `size` and `row`;
/// a target has `position`, `mass`, `lambda` and `mu`, and sums: `sum` of dL/dx but for `along`
/// times -lambda, and `dual` of dL/dm.
///
/// With e, z and the coefficients of DualRow, a field is P(e, z) / u. It has the parts p of degree
/// k in e and j in z, with w = 1 + 2 (k + j), v = dp/de = H e / (k - 1) and H the second
/// derivatives. With q = s / u^2, e = q r, z = s q and l = lambda.r / u^2,
///
///     grad = s/u^3 sum v - 1/u^3 r sum w p
///     (lambda . grad) grad = s/u^3 (q H lambda - l sum w v) - 1/u^3 lambda sum w p
///                            + 1/u^3 r (l sum (3 + 2 (k + j)) w p - q lambda . sum w v)
///
/// A law with factors multiplies a part by the factor of k + j, and by the next one for each w.
template <int order, class P, class Cell, class Target, class CellLaw = NewtonsCells>
CHAMOMILE_HD void add_dual_cell(const Cell& cell, const P& eps2, Target& i, const CellLaw& law = {})
{
    using T = std::remove_cvref_t<decltype(cell.row[0])>;
    constexpr DualRow layout{order};
    const Vec3<P> r{P(cell.position.x) - i.position.x, P(cell.position.y) - i.position.y,
                    P(cell.position.z) - i.position.z};
    const P inv_u = inverse_sqrt(norm_squared(r, eps2)), inv_u2 = inv_u * inv_u,
            inv_u3 = inv_u * inv_u2, s = P(cell.size), q = s * inv_u2, z = s * q;
    const Vec3<P> e = q * r;
    P power[3]{P(T(1)), z, z * z}, e_to[term_count(order - 1)];
    taylor::find_monomials(e, e_to, std::make_integer_sequence<int, term_count(order - 1)>{});

    P psi{}, weighted{};
    Vec3<P> slope{};
    dual::for_each_part<order>([&]<int k, int j>() __attribute__((always_inline)) {
        constexpr int w = 1 + 2 * (k + j);
        const T* const row = cell.row + layout.dual(k, j);
        if constexpr (k == 0) {
            const P p = j == 0 ? P(row[0]) : power[j] * P(row[0]);
            psi += law.template scaled<j>(p);
            weighted += P(T(w)) * law.template scaled<j + 1>(p);
        } else {
            Vec3<P> v{dual::contracted<1, k - 1>(row, e_to), dual::contracted<2, k - 1>(row, e_to),
                      dual::contracted<3, k - 1>(row, e_to)};
            if constexpr (j > 0)
                v = power[j] * v;
            slope += law.template scaled<k + j>(v);
            const P kp = dot(e, v);
            psi += P(T(1.0 / k)) * law.template scaled<k + j>(kp);
            weighted += P(T(double(w) / k)) * law.template scaled<k + j + 1>(kp);
        }
    });
    i.dual += inv_u * psi;

    const P l = inv_u2 * dot(i.lambda, r);
    Vec3<P> vector{};
    vector -= i.mass * slope;
    P p_w{}, p_ww{}, lambda_v{}; // sums of w p, of (k + j) w p, of w lambda . v
    P second[6]{};
    dual::for_each_part<order - 1>([&]<int k, int j>() __attribute__((always_inline)) {
        constexpr int w = 1 + 2 * (k + j);
        const T* const row = cell.row + layout.mass(k, j);
        if constexpr (k == 0) {
            const P p = j == 0 ? P(row[0]) : power[j] * P(row[0]);
            p_w += P(T(w)) * law.template scaled<j + 1>(p);
            if constexpr (j > 0 || !std::is_same_v<CellLaw, NewtonsCells>)
                p_ww += law.template second<j, w, T>(p);
        } else if constexpr (k > 1 || j > 0) {
            Vec3<P> v; // times k - 1
            if constexpr (k == 1) {
                v = {P(row[0]), P(row[1]), P(row[2])};
            } else {
                const P h[6]{
                    dual::contracted<4, k - 2>(row, e_to), dual::contracted<5, k - 2>(row, e_to),
                    dual::contracted<6, k - 2>(row, e_to), dual::contracted<7, k - 2>(row, e_to),
                    dual::contracted<8, k - 2>(row, e_to), dual::contracted<9, k - 2>(row, e_to)};
                v = {h[0] * e.x + h[1] * e.y + h[2] * e.z, h[1] * e.x + h[3] * e.y + h[4] * e.z,
                     h[2] * e.x + h[4] * e.y + h[5] * e.z};
                for (int c = 0; c < 6; ++c) {
                    const P of_law = law.template scaled<k + j>(h[c]);
                    second[c] = j == 0 ? second[c] + of_law : second[c] + power[j] * of_law;
                }
            }
            constexpr T of_v = T(1.0 / (k > 1 ? k - 1 : 1));
            const P wl = law.template scaled<k + j + 1>(P(T(w) * of_v) * l),
                    of_mu = law.template scaled<k + j>(P(of_v) * i.mu);
            P p = P(of_v / T(k)) * dot(e, v), along = P(T(w) * of_v) * dot(i.lambda, v),
              factor = wl - of_mu;
            if constexpr (j > 0) {
                p = power[j] * p;
                along = power[j] * along;
                factor = power[j] * factor;
            }
            p_w += P(T(w)) * law.template scaled<k + j + 1>(p);
            p_ww += law.template second<k + j, w, T>(p);
            lambda_v += law.template scaled<k + j + 1>(along);
            vector -= factor * v;
        }
    });
    if constexpr (order > 2) {
        const Vec3<P> g = q * i.lambda;
        vector += Vec3<P>{second[0] * g.x + second[1] * g.y + second[2] * g.z,
                          second[1] * g.x + second[3] * g.y + second[4] * g.z,
                          second[2] * g.x + second[4] * g.y + second[5] * g.z};
    }
    const P of_r =
        i.mass * weighted + (P(T(3)) * l - i.mu) * p_w + P(T(2)) * l * p_ww - q * lambda_v;
    i.sum += (s * inv_u3) * vector;
    i.sum += (inv_u3 * of_r) * r;
    i.along += inv_u3 * p_w;
}

} // namespace chamomile
