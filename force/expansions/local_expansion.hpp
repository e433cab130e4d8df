/// \file  The field of far cells as one Taylor series about a center (M2L, L2L and L2P in the fast
/// multipole literature), for softened gravity; G = 1.
///
/// With Psi(x) = sum_j m_j / u_j, u^2 = r^2 + eps^2, minus the potential, term (a, b, c) holds the
/// derivative d^a/dx^a d^b/dy^b d^c/dz^c Psi at the center, without factorials:
///
///     Psi(x) = sum term(a, b, c) x^a/a! y^b/b! z^c/c!     acceleration = grad Psi, phi = -Psi
///
/// Terms are sorted by degree a + b + c, then by descending a, then by descending b: (0,0,0),
/// (1,0,0), (0,1,0), (0,0,1), (2,0,0), (1,1,0), ... so that a lower order is the beginning of a
/// higher one.
///
/// All lengths are in one unit chosen by the caller, near the wanted radius of convergence, so that
/// a cell's terms at distance d fall as d^-(degree + 1) and no float overflows. A cell may be 1e-6
/// to 1e15 units away. Everything is unrolled: no loop remains at run time.
///
///     operations, fused ones as one      order 3     4     5     6
///     add_cell                               102   196   343   557
///     add_mass                                65   117   194   303
///     shift                                   60   120   228   399
///     evaluate, with potential                42    75   120   179
#pragma once

#include <utility>

#include "chamomile/core/vec3.hpp"
#include "chamomile/force/expansions/taylor_polynomial.hpp"
#include "chamomile/force/expansions/taylor_terms.hpp"
#include "chamomile/tree/moments.hpp"

namespace chamomile {

/// Second moments in the caller's value type; see tree/moments.hpp.
template <class T>
struct SymmetricTensor {
    T xx{}, xy{}, xz{}, yy{}, yz{}, zz{};
};

/// Weights for third and fourth moments in add_cell: (-1)^degree / (a! b! c!) for term (a, b, c).
struct HigherWeights {
    double of[HigherMoments::count];

    CHAMOMILE_HD constexpr HigherWeights() : of()
    {
        for (int k = 0; k < HigherMoments::count; ++k) {
            const Exponents e = exponents_of(HigherMoments::first + k);
            of[k] = (e.degree() % 2 ? -1 : 1) / factorial(e);
        }
    }
};

/// Acceleration and potential in the caller's unit of length; G = 1.
template <class T>
struct FieldValue {
    Vec3<T> acceleration;
    T potential{};
};

template <class T, int order>
struct LocalExpansion {
    static constexpr int size = term_count(order);

    T term[size]{};

    /// Adds a cell by M2L. r points from this center to the cell's center of mass, about which the
    /// second moments are taken. The mass counts to degree `order`, second moments to order - 2.
    /// eps2 is in this expansion's units.
    CHAMOMILE_HD void add_cell(const Vec3<T>& r, const T& mass, const SymmetricTensor<T>& second,
                               const T& eps2)
    {
        const T inv_u = inverse_sqrt(norm_squared(r, eps2));
        T moments[6];
        weigh(second, inv_u, moments);
        add<2>(inv_u * r, inv_u, mass, moments);
    }

    /// Like add_cell() above, with moments to degree `highest`, 3 or 4, which count to order -
    /// degree. They are in units of `length`, multiplied by HigherWeights.
    template <int highest>
    CHAMOMILE_HD void add_cell(const Vec3<T>& r, const T& mass, const SymmetricTensor<T>& second,
                               const T& length, const T* higher, const T& eps2)
    {
        constexpr int seconds = 6, thirds = 10, fourths = highest > 3 ? 15 : 0;
        const T inv_u = inverse_sqrt(norm_squared(r, eps2));
        T moments[seconds + thirds + fourths];
        weigh(second, inv_u, moments);
        const T q = length * inv_u, q3 = q * q * q;
        for (int k = 0; k < thirds; ++k)
            moments[seconds + k] = q3 * higher[k];
        if constexpr (fourths > 0) {
            const T q4 = q3 * q;
            for (int k = 0; k < fourths; ++k)
                moments[seconds + thirds + k] = q4 * higher[thirds + k];
        }
        add<highest>(inv_u * r, inv_u, mass, moments);
    }

    /// Adds a cell without moments, or a particle, by M2L.
    CHAMOMILE_HD void add_mass(const Vec3<T>& r, const T& mass, const T& eps2)
    {
        const T inv_u = inverse_sqrt(norm_squared(r, eps2));
        add<0>(inv_u * r, inv_u, mass, nullptr);
    }

    /// Adds charges with dipoles by M2L: moments of degree 0 to `highest`, in units of u, times
    /// (-1)^degree / (a! b! c!). r points to their center, in units of u.
    template <int highest>
    CHAMOMILE_HD void add_dipoles(const Vec3<T>& r, const T& inv_u, const T* moments)
    {
        add<highest, 1>(r, inv_u, moments[0], moments + 1);
    }

    CHAMOMILE_HD LocalExpansion& operator+=(const LocalExpansion& other)
    {
        add_terms(other, all{});
        return *this;
    }

    /// Moves the expansion's center by d (L2L): the polynomial is unchanged, to rounding.
    CHAMOMILE_HD void shift(const Vec3<T>& d)
    {
        T power[3][order + 1]; // d^k / k!
        for (int axis = 0; axis < 3; ++axis)
            power[axis][0] = T(1);
        for (int k = 1; k <= order; ++k) {
            power[0][k] = power[0][k - 1] * d.x * T(1.0 / k);
            power[1][k] = power[1][k - 1] * d.y * T(1.0 / k);
            power[2][k] = power[2][k - 1] * d.z * T(1.0 / k);
        }
        shift_along<0>(power[0], all{});
        shift_along<1>(power[1], all{});
        shift_along<2>(power[2], all{});
    }

    /// Changes the length unit: `ratio` is the old unit over the new one.
    CHAMOMILE_HD void change_unit(const T& ratio)
    {
        const T inverse = T(1) / ratio;
        T scale[order + 1];
        scale[0] = inverse;
        for (int degree = 1; degree <= order; ++degree)
            scale[degree] = scale[degree - 1] * inverse;
        scale_terms(scale, all{});
    }

    /// Evaluates the field at x from the center (L2P). Terms may be of any type convertible to U,
    /// such as one float for all lanes.
    template <class U>
    CHAMOMILE_HD FieldValue<U> evaluate(const Vec3<U>& x) const
    {
        const PolynomialValue<U> at_x = TaylorPolynomial<order, U, TermsAs<U>>::evaluate({term}, x);
        return {at_x.gradient, U(0) - at_x.value};
    }

private:
    using all = std::make_integer_sequence<int, size>;

    template <class U>
    struct TermsAs {
        const T* term;

        template <int t>
        CHAMOMILE_HD U at() const
        {
            return U(term[t]);
        }
    };

    /// Sets the moments to 1/2 second moments over u^2; off-diagonal ones count twice.
    static CHAMOMILE_HD void weigh(const SymmetricTensor<T>& second, const T& inv_u, T* moments)
    {
        const T w = T(0.5f) * inv_u * inv_u;
        const T weighed[6]{w * second.xx, T(2) * w * second.xy, T(2) * w * second.xz,
                           w * second.yy, T(2) * w * second.yz, w * second.zz};
        for (int k = 0; k < 6; ++k)
            moments[k] = weighed[k];
    }

    /// `moments` are of degrees `lowest`, 1 or 2, to `highest`, in units of u, with coefficients.
    template <int highest, int lowest = 2>
    CHAMOMILE_HD void add(const Vec3<T>& r, const T& inv_u, const T& mass, const T* moments)
    {
        using namespace taylor;
        T level1[size];
        level1[0] = T(odd_factorial(2 * order - 1));
        step_levels<order>(r, level1, std::make_integer_sequence<int, order - 1>{});
        T inv_power[order + 1]; // u^-(degree + 1)
        inv_power[0] = inv_u;
        for (int degree = 1; degree <= order; ++degree)
            inv_power[degree] = inv_power[degree - 1] * inv_u;
        add_degrees<highest, lowest>(r, level1, inv_power, mass, moments,
                                     std::make_integer_sequence<int, order + 1>{});
    }

    template <int highest, int lowest, int... degree>
    CHAMOMILE_HD void add_degrees(const Vec3<T>& r, const T* level1, const T* inv_power,
                                  const T& mass, const T* moments,
                                  std::integer_sequence<int, degree...>)
    {
        (add_degree<highest, lowest, degree>(
             r, level1, inv_power, mass, moments,
             std::make_integer_sequence<int, (degree + 1) * (degree + 2) / 2>{}),
         ...);
    }

    /// Adds each derivative of this degree: for the mass to a term with equal degree, for moments
    /// of degree n to terms n degrees lower. It is used at once for every sum and not stored.
    template <int highest, int lowest, int degree, int... k>
    CHAMOMILE_HD void add_degree(const Vec3<T>& r, const T* level1, const T* inv_power,
                                 const T& mass, [[maybe_unused]] const T* moments,
                                 std::integer_sequence<int, k...>)
    {
        constexpr int first = term_count(degree - 1);
        const T m = mass * inv_power[degree];
        if constexpr (highest >= 2 && degree >= lowest) {
            // For moments of degree 1, 2, 3 and 4, if present.
            T by1[count_of(degree - 1)], by2[count_of(degree - 2)], by3[count_of(degree - 3)],
                by4[count_of(degree - 4)];
            (add_derivative<highest, lowest, first + k>(r, level1, m, moments, by1, by2, by3, by4),
             ...);
            if constexpr (lowest == 1)
                add_contracted<degree - 1>(by1, inv_power);
            if constexpr (degree >= 2)
                add_contracted<degree - 2>(by2, inv_power);
            if constexpr (highest >= 3 && degree >= 3)
                add_contracted<degree - 3>(by3, inv_power);
            if constexpr (highest >= 4 && degree >= 4)
                add_contracted<degree - 4>(by4, inv_power);
        } else {
            ((term[first + k] += m * taylor::derivative<0, first + k>(r, level1)), ...);
        }
    }

    /// Returns the number of terms of one degree; at least 1, as an array size.
    static constexpr int count_of(int degree)
    {
        return degree < 0 ? 1 : (degree + 1) * (degree + 2) / 2;
    }

    template <int highest, int lowest, int t>
    CHAMOMILE_HD void add_derivative(const Vec3<T>& r, const T* level1, const T& m,
                                     const T* moments, [[maybe_unused]] T* by1, T* by2,
                                     [[maybe_unused]] T* by3, [[maybe_unused]] T* by4)
    {
        constexpr int seconds = term_count(1) - term_count(lowest - 1); // moments before them
        const T d = taylor::derivative<0, t>(r, level1);
        term[t] += m * d;
        if constexpr (lowest == 1)
            contract<t, 1>(moments, d, by1, std::make_integer_sequence<int, 3>{});
        contract<t, 2>(moments + seconds, d, by2, std::make_integer_sequence<int, 6>{});
        if constexpr (highest >= 3)
            contract<t, 3>(moments + seconds + 6, d, by3, std::make_integer_sequence<int, 10>{});
        if constexpr (highest >= 4)
            contract<t, 4>(moments + seconds + 16, d, by4, std::make_integer_sequence<int, 15>{});
    }

    template <int t, int degree, int... k>
    static CHAMOMILE_HD void contract(const T* moments, const T& d, T* contracted,
                                      std::integer_sequence<int, k...>)
    {
        (contract_with<t, term_count(degree - 1) + k>(moments[k], d, contracted), ...);
    }

    /// Adds the derivative to a sum of lower degree, if that exists. Terms are sorted by descending
    /// powers of x, so the first one for any sum is the moment along x only: it assigns.
    template <int t, int moment>
    static CHAMOMILE_HD void contract_with(const T& s, const T& d, T* contracted)
    {
        constexpr Exponents e = exponents_of(t), m = exponents_of(moment),
                            f{e.x - m.x, e.y - m.y, e.z - m.z};
        if constexpr (f.x >= 0 && f.y >= 0 && f.z >= 0) {
            T& to = contracted[term_of(f) - term_count(f.degree() - 1)];
            if constexpr (m.x == m.degree())
                to = s * d;
            else
                to += s * d;
        }
    }

    template <int degree>
    CHAMOMILE_HD void add_contracted(const T* contracted, const T* inv_power)
    {
        add_contracted<term_count(degree - 1)>(contracted, inv_power[degree],
                                               std::make_integer_sequence<int, count_of(degree)>{});
    }

    template <int first, int... k>
    CHAMOMILE_HD void add_contracted(const T* contracted, const T& inv_power,
                                     std::integer_sequence<int, k...>)
    {
        ((term[first + k] += inv_power * contracted[k]), ...);
    }

    template <int... k>
    CHAMOMILE_HD void add_terms(const LocalExpansion& other, std::integer_sequence<int, k...>)
    {
        ((term[k] += other.term[k]), ...);
    }

    template <int... k>
    CHAMOMILE_HD void scale_terms(const T* scale, std::integer_sequence<int, k...>)
    {
        ((term[k] = scale[exponents_of(k).degree()] * term[k]), ...);
    }

    /// Shifts in place: a term uses terms with higher powers along the axis, which come later.
    template <int axis, int... k>
    CHAMOMILE_HD void shift_along(const T* power, std::integer_sequence<int, k...>)
    {
        (shift_term<axis, k>(power,
                             std::make_integer_sequence<int, order - exponents_of(k).degree()>{}),
         ...);
    }

    template <int axis, int t, int... k>
    CHAMOMILE_HD void shift_term([[maybe_unused]] const T* power, std::integer_sequence<int, k...>)
    {
        constexpr Exponents e = exponents_of(t);
        ((term[t] +=
          power[k + 1] * term[term_of({e.x + (axis == 0 ? k + 1 : 0), e.y + (axis == 1 ? k + 1 : 0),
                                       e.z + (axis == 2 ? k + 1 : 0)})]),
         ...);
    }
};

} // namespace chamomile
