/// \file  The field of far cells as one Taylor series about a centre (M2L, L2L and L2P of the fast
/// multipole literature), for softened gravity; G = 1.
///
/// With Psi(x) = sum_j m_j / u_j, u^2 = r^2 + eps^2, minus the potential, term (a, b, c) holds the
/// derivative d^a/dx^a d^b/dy^b d^c/dz^c of Psi at the centre, without factorials:
///
///     Psi(x) = sum term(a, b, c) x^a/a! y^b/b! z^c/c!     acceleration = grad Psi, phi = -Psi
///
/// Terms stand by degree a + b + c, then by falling a, then by falling b: (0,0,0), (1,0,0),
/// (0,1,0), (0,0,1), (2,0,0), (1,1,0), ... so that a lower order is the beginning of a higher one.
///
/// All lengths are in one unit that the caller chooses near the radius of convergence asked for, so
/// that the terms of one cell at distance d fall as d^-(degree + 1) and no float overflows. A cell
/// may be 1e-6 to 1e15 of these units away. Everything is unrolled: no loop is left at run time.
///
///     operations, fused ones as one      order 3     4     5     6
///     add_cell                               102   196   343   557
///     add_mass                                65   117   194   303
///     shift                                   60   120   228   399
///     evaluate, with potential                42    75   120   179
#pragma once

#include <utility>

#include "core/vec3.hpp"
#include "force/taylor_terms.hpp"

namespace chamomile {

/// Second moments as the caller's value type; see tree/moments.hpp.
template <class T>
struct SymmetricTensor {
    T xx{}, xy{}, xz{}, yy{}, yz{}, zz{};
};

/// Acceleration and potential in the caller's units of length.
template <class T>
struct FieldValue {
    Vec3<T> acceleration;
    T potential{};
};

template <class T, int order>
struct LocalExpansion {
    static constexpr int size = term_count(order);

    T term[size]{};

    /// M2L of a cell at r, from this centre to the cell's centre of mass, with second moments about
    /// it. The mass counts to degree `order`, the second moments to order - 2; eps2 in these units.
    CHAMOMILE_HD void add_cell(const Vec3<T>& r, const T& mass, const SymmetricTensor<T>& second,
                               const T& eps2)
    {
        const T inv_u = inverse_sqrt(norm_squared(r, eps2));
        const T w = T(0.5f) * inv_u * inv_u;
        const SymmetricTensor<T> s{w * second.xx, T(2) * w * second.xy, T(2) * w * second.xz,
                                   w * second.yy, T(2) * w * second.yz, w * second.zz};
        add<true>(inv_u * r, inv_u, mass, s);
    }

    /// M2L of a cell without moments, or of a particle.
    CHAMOMILE_HD void add_mass(const Vec3<T>& r, const T& mass, const T& eps2)
    {
        const T inv_u = inverse_sqrt(norm_squared(r, eps2));
        add<false>(inv_u * r, inv_u, mass, {});
    }

    CHAMOMILE_HD LocalExpansion& operator+=(const LocalExpansion& other)
    {
        add_terms(other, all{});
        return *this;
    }

    /// L2L: the same polynomial about a centre displaced by d, to rounding.
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

    /// The same field in another unit of length: `ratio` is the old unit over the new one.
    CHAMOMILE_HD void change_unit(const T& ratio)
    {
        const T inverse = T(1) / ratio;
        T scale[order + 1];
        scale[0] = inverse;
        for (int degree = 1; degree <= order; ++degree)
            scale[degree] = scale[degree - 1] * inverse;
        scale_terms(scale, all{});
    }

    /// L2P at x from the centre; the terms may be of a type that T is made from, such as one float
    /// for all lanes.
    template <class U>
    CHAMOMILE_HD FieldValue<U> evaluate(const Vec3<U>& x) const
    {
        U px[order + 1], py[order + 1], pz[order + 1]; // x/k, for the scheme of Horner
        for (int k = 1; k <= order; ++k) {
            px[k] = U(1.0 / k) * x.x;
            py[k] = U(1.0 / k) * x.y;
            pz[k] = U(1.0 / k) * x.z;
        }
        // Of the plane of each power of x: the value and its derivatives along y and z.
        U value[order + 1], along_y[order + 1], along_z[order + 1];
        planes(py, pz, value, along_y, along_z, std::make_integer_sequence<int, order + 1>{});
        return {{horner<order - 1>(value + 1, px), horner<order - 1>(along_y, px),
                 horner<order - 1>(along_z, px)},
                U(0) - horner<order>(value, px)};
    }

private:
    using all = std::make_integer_sequence<int, size>;

    template <bool with_moments>
    CHAMOMILE_HD void add(const Vec3<T>& r, const T& inv_u, const T& mass,
                          const SymmetricTensor<T>& s)
    {
        using namespace taylor;
        T level1[size];
        level1[0] = T(odd_factorial(2 * order - 1));
        step_levels<order>(r, level1, std::make_integer_sequence<int, order - 1>{});
        T inv_power[order + 1]; // u^-(degree + 1)
        inv_power[0] = inv_u;
        for (int degree = 1; degree <= order; ++degree)
            inv_power[degree] = inv_power[degree - 1] * inv_u;
        add_degrees<with_moments>(r, level1, inv_power, mass, s,
                                  std::make_integer_sequence<int, order + 1>{});
    }

    template <bool with_moments, int... degree>
    CHAMOMILE_HD void add_degrees(const Vec3<T>& r, const T* level1, const T* inv_power,
                                  const T& mass, const SymmetricTensor<T>& s,
                                  std::integer_sequence<int, degree...>)
    {
        (add_degree<with_moments, degree>(
             r, level1, inv_power, mass, s,
             std::make_integer_sequence<int, (degree + 1) * (degree + 2) / 2>{}),
         ...);
    }

    /// The mass's terms of this degree and the moments' terms of two degrees less. A derivative
    /// goes to all of them at once, so that it need not be kept in memory.
    template <bool with_moments, int degree, int... k>
    CHAMOMILE_HD void add_degree(const Vec3<T>& r, const T* level1, const T* inv_power,
                                 const T& mass, [[maybe_unused]] const SymmetricTensor<T>& s,
                                 std::integer_sequence<int, k...>)
    {
        constexpr int first = term_count(degree - 1);
        const T m = mass * inv_power[degree];
        if constexpr (with_moments && degree >= 2) {
            constexpr int lower = term_count(degree - 3), count = (degree - 1) * degree / 2;
            T contracted[count];
            (add_derivative<first + k>(r, level1, m, s, contracted), ...);
            add_contracted<lower>(contracted, inv_power[degree - 2],
                                  std::make_integer_sequence<int, count>{});
        } else {
            ((term[first + k] += m * taylor::derivative<0, first + k>(r, level1)), ...);
        }
    }

    template <int t>
    CHAMOMILE_HD void add_derivative(const Vec3<T>& r, const T* level1, const T& m,
                                     const SymmetricTensor<T>& s, T* contracted)
    {
        const T d = taylor::derivative<0, t>(r, level1);
        term[t] += m * d;
        contract<t, 2, 0, 0>(s.xx, d, contracted);
        contract<t, 1, 1, 0>(s.xy, d, contracted);
        contract<t, 1, 0, 1>(s.xz, d, contracted);
        contract<t, 0, 2, 0>(s.yy, d, contracted);
        contract<t, 0, 1, 1>(s.yz, d, contracted);
        contract<t, 0, 0, 2>(s.zz, d, contracted);
    }

    /// Takes the derivative into that of two degrees less, if there is one. Terms stand by falling
    /// powers of x, so that the first to come for any is the one along xx.
    template <int t, int x, int y, int z>
    static CHAMOMILE_HD void contract(const T& s, const T& d, T* contracted)
    {
        constexpr Exponents e = exponents_of(t), f{e.x - x, e.y - y, e.z - z};
        if constexpr (f.x >= 0 && f.y >= 0 && f.z >= 0) {
            T& to = contracted[term_of(f) - term_count(f.degree() - 1)];
            if constexpr (x == 2)
                to = s * d;
            else
                to += s * d;
        }
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

    /// In place: a term takes from those of higher powers along the axis, which come later.
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

    /// sum_k c_k x^k / k! to the power `degree`, from the factors x/k.
    template <int degree, class U>
    static CHAMOMILE_HD U horner(const U* c, const U* factor)
    {
        U sum = c[degree];
        horner_steps(sum, c, factor, std::make_integer_sequence<int, degree>{});
        return sum;
    }

    template <class U, int... k>
    static CHAMOMILE_HD void horner_steps(U& sum, [[maybe_unused]] const U* c,
                                          [[maybe_unused]] const U* factor,
                                          std::integer_sequence<int, k...>)
    {
        constexpr int degree = sizeof...(k);
        ((sum = c[degree - 1 - k] + factor[degree - k] * sum), ...);
    }

    template <class U, int... a>
    CHAMOMILE_HD void planes(const U* py, const U* pz, U* value, U* along_y, U* along_z,
                             std::integer_sequence<int, a...>) const
    {
        (plane<a>(py, pz, value, along_y, along_z,
                  std::make_integer_sequence<int, order - a + 1>{}),
         ...);
    }

    template <int a, class U, int... b>
    CHAMOMILE_HD void plane(const U* py, const U* pz, U* value, U* along_y, U* along_z,
                            std::integer_sequence<int, b...>) const
    {
        constexpr int degree = order - a;
        U line[degree + 1], line_z[degree + 1]; // of each power of y: value, derivative along z
        (read_line<a, b>(pz, line, line_z, std::make_integer_sequence<int, degree - b + 1>{}), ...);
        value[a] = horner<degree>(line, py);
        if constexpr (degree > 0) {
            along_y[a] = horner<degree - 1>(line + 1, py);
            along_z[a] = horner<degree - 1>(line_z, py);
        }
    }

    template <int a, int b, class U, int... c>
    CHAMOMILE_HD void read_line(const U* pz, U* line, U* line_z,
                                std::integer_sequence<int, c...>) const
    {
        constexpr int degree = sizeof...(c) - 1;
        const U terms[degree + 1]{U(term[term_of({a, b, c})])...};
        line[b] = horner<degree>(terms, pz);
        if constexpr (degree > 0)
            line_z[b] = horner<degree - 1>(terms + 1, pz);
    }
};

} // namespace chamomile
