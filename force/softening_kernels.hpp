/// \file  The softened force of two particles, by kind of softening; G = 1.
///
///     a_i   =  sum_j m_j r_ij f(r_ij)          r_ij = x_j - x_i
///     phi_i = -sum_j m_j p(r_ij)
///
/// A kernel has
///
///     kind            its SofteningKind; core/softening.hpp has its words and its reach
///     softens_cells   whether pairs are softened at any distance; if not, cells are listed only
///                     where the force is Newton's
///     number(eps)     what one common softening length becomes before the loop over pairs
///     in_unit(n, u)   this number after lengths are divided by u
///     add(...)        adds a pair to a sum with `acceleration` and, if wanted, `potential`
///     find_tide(...)  A and B of the tidal tensor m (B r_a r_b - A delta_ab): A = f, B = -f' / r;
///                     and C = m p, which costs nothing if unused
///
/// `Length` in add() and find_tide() is a CommonNumber<T>, or T: the pair's own eps^2, which may be
/// 0. T is a number or a pack. Sums are finite at r = 0 and far beyond the reach, in float too, and
/// within 1e-6 of the law in float. A kernel that is Newton's beyond a radius is a CompactKernel:
/// it has only its polynomials. Cells, expansions and the short range know no other kernel without
/// a reach than Plummer's. A new kind is a row in core/softening.hpp and a kernel in
/// SofteningKernels.
#pragma once

#include <iterator>
#include <type_traits>

#include "chamomile/core/lane_math.hpp"
#include "chamomile/core/softening.hpp"
#include "chamomile/core/vec3.hpp"

namespace chamomile {

/// A kernel's number for a length that all pairs share.
template <class T>
struct CommonNumber {
    T value;
};

/// Plummer (1911): f = u^-3, p = u^-1 with u^2 = r^2 + eps^2.
struct PlummerKernel {
    static constexpr SofteningKind kind = SofteningKind::plummer;
    static constexpr bool softens_cells = form_of(kind).reach == 0;

    static CHAMOMILE_HD double number(double eps) { return eps * eps; }
    static CHAMOMILE_HD double in_unit(double number, double unit)
    {
        return number / (unit * unit);
    }

    template <class T, class Length, class Sum>
    static CHAMOMILE_HD void add(const Vec3<T>& r, const T& mass, const Length& length, Sum& sum)
    {
        T m_inv_u, m_inv_u3;
        divide_by_powers(mass, norm_squared(r, eps2(length)), m_inv_u, m_inv_u3); // 6, the root, 3
        sum.acceleration += m_inv_u3 * r;                                         // 6
        if constexpr (requires { sum.potential; })
            sum.potential -= m_inv_u; // 1
    }

    template <class T, class Length>
    static CHAMOMILE_HD void find_tide(const Vec3<T>& r, const T& mass, const Length& length, T& a,
                                       T& b, T& c)
    {
        const T inv_u = inverse_sqrt(norm_squared(r, eps2(length))); // 4
        const T inv_u2 = inv_u * inv_u;                              // 1
        c = mass * inv_u;                                            // 1
        a = c * inv_u2;                                              // 1
        b = T(3) * inv_u2 * a;                                       // 2
    }

private:
    template <class T>
    static CHAMOMILE_HD const T& eps2(const CommonNumber<T>& length)
    {
        return length.value;
    }
    template <class T>
    static CHAMOMILE_HD const T& eps2(const T& length)
    {
        return length;
    }
};

/// A kernel whose force is Newton's beyond h = reach eps. With q = r/h and s = 1 - q, a Form has
/// polynomials for q < 1/2,
///
///     f = force_inside(q) / h^3,  p = potential_inside(q) / h,  B = tide_inside(q) / h^5,
///
/// and for q < 1
///
///     f = force_outside(s) / r^3,  p = potential_outside(s) / r,
///     B = (3 force_outside(s) - tide_outside(q, s)) / r^5.
///
/// Outside, polynomials in s are small corrections to Newton's law, without cancellation of digits.
template <class Form>
struct CompactKernel {
    static constexpr bool softens_cells = false;

    static CHAMOMILE_HD double number(double eps) { return 1 / (Form::reach * eps); } // 1/h
    static CHAMOMILE_HD double in_unit(double number, double unit) { return number * unit; }

    template <class T, class Length, class Sum>
    static CHAMOMILE_HD void add(const Vec3<T>& r, const T& mass, const Length& length, Sum& sum)
    {
        constexpr bool with_potential = requires
        {
            sum.potential;
        };
        const T r2 = norm_squared(r, tiny<T>());
        const T inv_r = inverse_sqrt(r2);
        const T m_inv_r = mass * inv_r;
        T force = m_inv_r * inv_r * inv_r;
        T potential = m_inv_r;
        if constexpr (std::is_same_v<Length, T>) { // the root for h only if a pair is within h
            if (any_less(r2, T(Form::reach * Form::reach) * length)) {
                const T inv_h = inverse_radius(length);
                bend<with_potential>(r2 * inv_r * inv_h, inv_h, mass, force, potential);
            }
        } else {
            const T q = r2 * inv_r * length.value;
            if (any_less(q, T(1)))
                bend<with_potential>(q, length.value, mass, force, potential);
        }
        sum.acceleration += force * r;
        if constexpr (with_potential)
            sum.potential -= potential;
    }

    template <class T, class Length>
    static CHAMOMILE_HD void find_tide(const Vec3<T>& r, const T& mass, const Length& length, T& a,
                                       T& b, T& c)
    {
        T inv_h;
        if constexpr (std::is_same_v<Length, T>)
            inv_h = inverse_radius(length);
        else
            inv_h = length.value;
        const T r2 = norm_squared(r, tiny<T>());
        const T inv_r = inverse_sqrt(r2), inv_r2 = inv_r * inv_r;
        const T q = smaller(r2 * inv_r * inv_h, T(2)); // finite powers
        const T s = select(q < T(1), T(1) - q, T(0));
        const T f = Form::force_outside(s);
        const T m_inv_h3 = mass * (inv_h * inv_h * inv_h), m_inv_r3 = mass * (inv_r * inv_r2);
        const T inner = m_inv_h3 * Form::force_inside(q);
        const T inner_b = m_inv_h3 * (inv_h * inv_h) * Form::tide_inside(q);
        const T outer_b = m_inv_r3 * inv_r2 * (T(3) * f - Form::tide_outside(q, s));
        a = select(q < T(0.5f), inner, m_inv_r3 * f);
        b = select(q < T(0.5f), inner_b, outer_b);
        c = select(q < T(0.5f), mass * inv_h * Form::potential_inside(q),
                   mass * inv_r * Form::potential_outside(s));
    }

private:
    /// Keeps 1/r finite at r = 0.
    template <class T>
    static CHAMOMILE_HD T tiny()
    {
        return T(1e-37f);
    }
    template <class T>
    static CHAMOMILE_HD T inverse_radius(const T& eps2)
    {
        return T(1 / Form::reach) * inverse_sqrt(larger(eps2, tiny<T>()));
    }

    /// Turns Newton's factors into the kernel's.
    template <bool with_potential, class T>
    static CHAMOMILE_HD void bend(const T& q, const T& inv_h, const T& mass, T& force, T& potential)
    {
        const T s = select(q < T(1), T(1) - q, T(0));
        const T inner = mass * inv_h * inv_h * inv_h * Form::force_inside(q);
        force = select(q < T(0.5f), inner, force * Form::force_outside(s));
        if constexpr (with_potential) {
            const T inner_p = mass * inv_h * Form::potential_inside(q);
            potential = select(q < T(0.5f), inner_p, potential * Form::potential_outside(s));
        }
    }
};

/// The cubic spline of Monaghan & Lattanzio (1985), integrated as in Springel, Yoshida & White
/// (2001), appendix A.
struct SplineKernel : CompactKernel<SplineKernel> {
    static constexpr SofteningKind kind = SofteningKind::spline;
    static constexpr double reach = form_of(kind).reach;

    template <class T>
    static CHAMOMILE_HD T force_inside(const T& q)
    {
        return T(32 / 3.0) + q * q * (T(32) * q - T(38.4));
    }
    template <class T>
    static CHAMOMILE_HD T force_outside(const T& s)
    {
        const T s2 = s * s;
        return T(1) - s2 * s2 * (T(16) + s * (s * T(32 / 3.0) - T(25.6)));
    }
    template <class T>
    static CHAMOMILE_HD T potential_inside(const T& q)
    {
        const T q2 = q * q;
        return T(2.8) - q2 * (T(16 / 3.0) + q2 * (T(6.4) * q - T(9.6)));
    }
    template <class T>
    static CHAMOMILE_HD T potential_outside(const T& s)
    {
        const T s2 = s * s;
        return T(1) - s2 * s2 * s * (T(3.2) - T(32 / 15.0) * s);
    }
    template <class T>
    static CHAMOMILE_HD T tide_inside(const T& q)
    {
        return T(76.8) - T(96) * q;
    }
    template <class T>
    static CHAMOMILE_HD T tide_outside(const T& q, const T& s)
    {
        return T(64) * (q * q * q) * (s * s * s);
    }
};

template <class... Kernels>
struct KernelList {
    /// Returns visit(kernel) for a kind's kernel.
    template <class Visit>
    static decltype(auto) visit(SofteningKind kind, const Visit& visit)
    {
        return visit_first<Visit, Kernels...>(kind, visit);
    }

    /// Returns whether kernels and rows of softening_forms are the same kinds in the same order.
    static constexpr bool has_all_forms()
    {
        constexpr int count = int(std::size(softening_forms));
        int k = 0;
        return count == sizeof...(Kernels) &&
               ((Kernels::kind == softening_forms[k].kind && int(Kernels::kind) == k &&
                 Kernels::softens_cells == (softening_forms[k++].reach == 0)) &&
                ...);
    }

private:
    template <class Visit, class First, class... Others>
    static decltype(auto) visit_first(SofteningKind kind, const Visit& visit)
    {
        if constexpr (sizeof...(Others) > 0)
            if (kind != First::kind)
                return visit_first<Visit, Others...>(kind, visit);
        return visit(First());
    }
};

using SofteningKernels = KernelList<PlummerKernel, SplineKernel>;
static_assert(SofteningKernels::has_all_forms());

} // namespace chamomile
