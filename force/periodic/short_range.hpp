/// \file  Gravity's short range in a periodic cube: Newton's law minus its smooth part; G = 1.
///
/// With the Gaussian split in force/mesh/long_range.hpp, the smooth acceleration by unit mass is r
/// q(r^2), where
///
///     q(r^2) = r^-3 (erf(u) - 2 u exp(-u^2) / sqrt(pi)),   u = r / (2 r_s),
///
/// and the smooth potential -p(r^2), p = erf(u) / r. Both are entire functions of r^2, so a
/// polynomial replaces root, exponential and error function: no digits cancel, and a pair costs a
/// dozen multiply-adds more than Newton's law.
#pragma once

#include "chamomile/core/periodic.hpp"
#include "chamomile/force/gravity.hpp"

namespace chamomile {

/// The lane type of T.
template <class T>
struct LaneOf {
    using type = T;
};
template <template <class> class Pack, class T>
struct LaneOf<Pack<T>> {
    using type = T;
};

/// Polynomials in x = 2 r^2 / r_cut^2 - 1. Max errors for r < r_cut, relative to Newton's force or
/// potential at r, with r_cut = 5, 6 and 7 r_s: in float's degree 1.6e-7, 4.1e-6, 5.2e-5; in
/// double's below 1e-13.
struct ShortRangeForm {
    template <class T>
    static constexpr int degree = sizeof(T) == 4 ? 10 : 24;

    template <class T>
    struct Polynomials {
        T force[degree<T> + 1], potential[degree<T> + 1]; ///< for q and p, by power
    };
    Polynomials<float> in_float;
    Polynomials<double> in_double;
    double slope = 0; ///< dx / d(r^2) = 2 / r_cut^2

    /// Returns x at r^2; 1 at r_cut.
    template <class T>
    CHAMOMILE_HD T place(const T& r2) const
    {
        using Lane = typename LaneOf<T>::type;
        return T(Lane(slope)) * r2 + T(-1);
    }

    /// Least-squares fit at Chebyshev points, weighted by the error relative to Newton's force.
    static ShortRangeForm fit(double split_radius, double cut_radius);

    template <class T>
    CHAMOMILE_HD const Polynomials<T>& of() const
    {
        if constexpr (sizeof(T) == 4)
            return in_float;
        else
            return in_double;
    }
};

/// Returns the polynomial with coefficients `power` at x.
template <class T, class Lane, std::size_t count>
CHAMOMILE_HD T smooth_value(const Lane (&power)[count], const T& x)
{
    T sum(power[count - 1]);
    for (int k = int(count) - 2; k >= 0; --k)
        sum = sum * x + T(power[k]);
    return sum;
}

/// Computes the polynomial's value and its first derivatives by x.
template <class T, class Lane, std::size_t count, std::size_t values>
CHAMOMILE_HD void find_smooth_derivatives(const Lane (&power)[count], const T& x, T (&of)[values])
{
    of[0] = T(power[count - 1]);
    for (int d = 1; d < int(values); ++d)
        of[d] = T(0);
    for (int k = int(count) - 2; k >= 0; --k) {
        for (int d = int(values) - 1; d > 0; --d)
            of[d] = of[d] * x + of[d - 1];
        of[0] = of[0] * x + T(power[k]);
    }
    for (int d = 2, factorial = 2; d < int(values); factorial *= ++d)
        of[d] = T(Lane(factorial)) * of[d];
}

/// Computes A, B and C of the smooth part for unit mass (find_tide() in
/// force/softening_kernels.hpp), at x.
template <class T>
CHAMOMILE_HD void find_smooth_tide(const ShortRangeForm& form, const T& x, T& a, T& b, T& c)
{
    using Lane = typename LaneOf<T>::type;
    const auto& smooth = form.template of<Lane>();
    T q[2];
    find_smooth_derivatives(smooth.force, x, q);
    a = q[0];
    b = T(Lane(-2 * form.slope)) * q[1];
    c = smooth_value(smooth.potential, x);
}

/// The short range of a law of gravity for particles and cells, to second order in cell size; 0
/// beyond r_cut.
template <class Newton>
struct ShortRange : Newton {
    using Kernel = typename Newton::Kernel;
    template <class T>
    using Target = typename Newton::template Target<T>;
    template <class T>
    using Source = typename Newton::template Source<T>;
    template <class T>
    using CellSource = typename Newton::template CellSource<T>;
    template <class T>
    using Sum = typename Newton::template Sum<T>;
    static constexpr bool is_periodic = true;
    using Cells = ShortRange<typename Newton::Cells>;

    const ShortRangeForm* form = nullptr;
    double offset = -1; ///< x at u = 0, u^2 = r^2 + eps^2 with one Plummer softening

    static CHAMOMILE_HD ShortRange of(const LawNumbers& n)
    {
        ShortRange law{Newton::of(n), n.form};
        if constexpr (Kernel::softens_cells && !Newton::per_particle)
            law.offset = -1 - n.softening_length * n.softening_length * n.form->slope;
        return law;
    }

    template <class T>
    CHAMOMILE_HD void operator()(const Target<T>& i, const Source<T>& j, Sum<T>& sum) const
    {
        using Lane = typename LaneOf<T>::type;
        const auto& smooth = form->template of<Lane>();
        const Vec3<T> r = j.position - i.position; // 3 flops
        if constexpr (Kernel::softens_cells) {
            T u2, x, step;
            find_places(i, j, r, u2, x, step); // 8
            T m_inv_u, m_inv_u3;
            divide_by_powers(j.mass, u2, m_inv_u, m_inv_u3);                   // the root, 3
            const T force = m_inv_u3 - j.mass * smooth_value(smooth.force, x); // 20 and 2
            sum.acceleration += select(x < T(1), force, T(0)) * r;             // 1 and 6
            if constexpr (requires { sum.potential; })
                sum.potential -=
                    select(x < T(1), m_inv_u - j.mass * smooth_value(smooth.potential, x), T(0));
        } else {
            const T x = T(Lane(form->slope)) * norm_squared(r, T(0)) + T(-1);
            Sum<T> pair{};
            Newton::operator()(i, j, pair);
            const T force = select(x < T(1), j.mass * smooth_value(smooth.force, x), T(0));
            const T kept = select(x < T(1), T(1), T(0));
            sum.acceleration += kept * pair.acceleration - force * r;
            if constexpr (requires { sum.potential; })
                sum.potential += select(
                    x < T(1), pair.potential + j.mass * smooth_value(smooth.potential, x), T(0));
        }
    }

    /// With psi(r^2) the potential's form, A = -2 psi', B = 4 psi'', C = -8 psi''' (derivatives by
    /// r^2; of Newton's u^-3, 3 u^-5, 15 u^-7) and second moments S:
    ///
    ///     a   = (M A - tr(S) B / 2 + (r S r) C / 2) r - B S r
    ///     phi = -M psi + tr(S) A / 2 - (r S r) B / 2
    template <class T>
    CHAMOMILE_HD void operator()(const Target<T>& i, const CellSource<T>& j, Sum<T>& sum) const
    {
        using Lane = typename LaneOf<T>::type;
        const auto& smooth = form->template of<Lane>();
        const Vec3<T> r = j.position - i.position;
        const T slope = T(Lane(form->slope));
        T u2, x, softenings{};
        find_places(i, j, r, u2, x, softenings);
        const T inside = select(x < T(1), T(1), T(0));
        x = select(x < T(1), x, T(1)); // finite
        const T inv_u = inverse_sqrt(u2);
        const T inv_u2 = inv_u * inv_u, inv_u3 = inv_u * inv_u2;
        T q[3]; // with derivatives by x
        find_smooth_derivatives(smooth.force, x, q);
        const T step = T(2) * slope; // A' by r^2 is -B / 2
        const T a = inv_u3 - q[0];
        const T b = T(3) * inv_u3 * inv_u2 + step * q[1];
        const T c = T(15) * inv_u3 * inv_u2 * inv_u2 - step * step * q[2];
        // The record holds 3 S and 1.5 tr(S).
        const Vec3<T> s = T(Lane(1 / 3.0)) * Vec3<T>{j.xx * r.x + j.xy * r.y + j.xz * r.z,
                                                     j.xy * r.x + j.yy * r.y + j.yz * r.z,
                                                     j.xz * r.x + j.yz * r.y + j.zz * r.z};
        const T rsr = dot(r, s), half_trace = T(Lane(1 / 3.0)) * j.trace;
        T along = inside * (j.mass * a - half_trace * b + T(0.5f) * rsr * c);
        if constexpr (Newton::per_particle) {
            const T h = softenings * inv_u2, more = inside * j.weight * h * h * inv_u;
            along += more * inv_u2;
            if constexpr (requires { sum.potential; })
                sum.potential -= T(0.2f) * more;
        }
        sum.acceleration += along * r - (inside * b) * s;
        if constexpr (requires { sum.potential; })
            sum.potential -= inside * (j.mass * (inv_u - smooth_value(smooth.potential, x)) -
                                       half_trace * a + T(0.5f) * rsr * b);
    }

private:
    /// Computes u^2, x for r^2 and, for a cell, the difference between its two softenings.
    template <class T, class Other>
    CHAMOMILE_HD void find_places([[maybe_unused]] const Target<T>& i,
                                  [[maybe_unused]] const Other& j, const Vec3<T>& r, T& u2, T& x,
                                  [[maybe_unused]] T& step) const
    {
        using Lane = typename LaneOf<T>::type;
        const T slope = T(Lane(form->slope));
        if constexpr (Newton::per_particle) {
            const T r2 = norm_squared(r, T(0));
            T eps2;
            if constexpr (std::is_same_v<Other, Source<T>>)
                eps2 = this->rule(i.eps2, j.eps2);
            else
                this->find_softening(i, j, eps2, step);
            u2 = r2 + eps2;
            x = slope * r2 + T(-1);
        } else {
            T eps2 = T(0);
            if constexpr (Kernel::softens_cells)
                eps2 = T(Lane(this->rule.number));
            u2 = norm_squared(r, eps2);
            x = slope * u2 + T(Lane(offset));
        }
    }
};

} // namespace chamomile
