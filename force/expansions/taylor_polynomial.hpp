/// \file  Value and gradient of a Taylor polynomial in three variables by the scheme of Horner.
///
///     p(x) = sum term(a, b, c) x^a/a! y^b/b! z^c/c!
///
/// Derivatives have the same terms, shifted, so all four sums share their factors x/k, y/k, z/k. No
/// loop remains at run time.
#pragma once

#include <utility>

#include "chamomile/core/exponents.hpp"
#include "chamomile/core/vec3.hpp"

namespace chamomile {

template <class U>
struct PolynomialValue {
    U value;
    Vec3<U> gradient;
};

/// A polynomial with degree `order`, evaluated in U. `Terms` has `U at<t>()` for term t in
/// exponents.hpp.
template <int order, class U, class Terms>
class TaylorPolynomial {
public:
    static CHAMOMILE_HD PolynomialValue<U> evaluate(const Terms& terms, const Vec3<U>& x)
    {
        U px[order + 1], py[order + 1], pz[order + 1]; // x/k
        for (int k = 1; k <= order; ++k) {
            px[k] = U(1.0 / k) * x.x;
            py[k] = U(1.0 / k) * x.y;
            pz[k] = U(1.0 / k) * x.z;
        }
        // For each power of x: a plane's value and derivatives along y and z.
        U value[order + 1], along_y[order + 1], along_z[order + 1];
        planes(terms, py, pz, value, along_y, along_z,
               std::make_integer_sequence<int, order + 1>{});
        return {horner<order>(value, px),
                {horner<order - 1>(value + 1, px), horner<order - 1>(along_y, px),
                 horner<order - 1>(along_z, px)}};
    }

private:
    /// Returns sum_k c_k x^k / k! up to power `degree`, from the factors x/k.
    template <int degree>
    static CHAMOMILE_HD U horner(const U* c, const U* factor)
    {
        U sum = c[degree];
        horner_steps(sum, c, factor, std::make_integer_sequence<int, degree>{});
        return sum;
    }

    template <int... k>
    static CHAMOMILE_HD void horner_steps(U& sum, [[maybe_unused]] const U* c,
                                          [[maybe_unused]] const U* factor,
                                          std::integer_sequence<int, k...>)
    {
        constexpr int degree = sizeof...(k);
        ((sum = c[degree - 1 - k] + factor[degree - k] * sum), ...);
    }

    template <int... a>
    static CHAMOMILE_HD void planes(const Terms& terms, const U* py, const U* pz, U* value,
                                    U* along_y, U* along_z, std::integer_sequence<int, a...>)
    {
        (plane<a>(terms, py, pz, value, along_y, along_z,
                  std::make_integer_sequence<int, order - a + 1>{}),
         ...);
    }

    template <int a, int... b>
    static CHAMOMILE_HD void plane(const Terms& terms, const U* py, const U* pz, U* value,
                                   U* along_y, U* along_z, std::integer_sequence<int, b...>)
    {
        constexpr int degree = order - a;
        U line[degree + 1], line_z[degree + 1]; // per power of y: value, derivative along z
        (read_line<a, b>(terms, pz, line, line_z,
                         std::make_integer_sequence<int, degree - b + 1>{}),
         ...);
        value[a] = horner<degree>(line, py);
        if constexpr (degree > 0) {
            along_y[a] = horner<degree - 1>(line + 1, py);
            along_z[a] = horner<degree - 1>(line_z, py);
        }
    }

    template <int a, int b, int... c>
    static CHAMOMILE_HD void read_line(const Terms& terms, const U* pz, U* line, U* line_z,
                                       std::integer_sequence<int, c...>)
    {
        constexpr int degree = sizeof...(c) - 1;
        const U on_line[degree + 1]{terms.template at<term_of({a, b, c})>()...};
        line[b] = horner<degree>(on_line, pz);
        if constexpr (degree > 0)
            line_z[b] = horner<degree - 1>(on_line + 1, pz);
    }
};

} // namespace chamomile
