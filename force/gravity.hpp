/// \file  Newtonian gravity, softened, of particles and of cells; G = 1.
///
///     a_i   =  sum_j m_j r_ij f(r_ij)          r_ij = x_j - x_i
///     phi_i = -sum_j m_j p(r_ij)
///
/// Plummer softening: f = u^-3, p = u^-1 with u^2 = r^2 + eps^2. Spline softening: the kernel of
/// Monaghan & Lattanzio (1985), integrated as in Springel, Yoshida & White (2001), appendix A,
/// Newtonian beyond h. Flops in comments count a fused multiply-add as two.
#pragma once

#include <type_traits>

#include "chamomile/core/softening.hpp"
#include "chamomile/core/vec3.hpp"
#include "chamomile/force/expansions/cell_series.hpp"

namespace chamomile {

/// A frame has the center and the units in which positions and masses are rounded to T.
struct Frame {
    Vec3<double> center;
    double inverse_length, inverse_mass;

    CHAMOMILE_HD Vec3<double> of(const Vec3<double>& x) const
    {
        return inverse_length * (x - center);
    }
    CHAMOMILE_HD double inverse_moment() const
    {
        return inverse_mass * inverse_length * inverse_length;
    }
};

template <class T>
CHAMOMILE_HD Vec3<T> rounded(const Vec3<double>& x)
{
    return {T(x.x), T(x.y), T(x.z)};
}

/// Stands in for the variance of eps^2 if all particles share one softening length.
struct NoScatter {};

template <SofteningKind softening, bool with_potential>
struct Gravity {
    template <class T>
    struct Target {
        Vec3<T> position;
    };

    template <class T>
    struct alignas(4 * sizeof(T)) Source { // read from shared memory as one 16-byte load
        Vec3<T> position;
        T mass;
    };

    /// Whether particles can carry their masses in their coordinates (ScaledSource).
    static constexpr bool scales = softening == SofteningKind::plummer;

    /// Whether a pair uses the source's nearest periodic image.
    static constexpr bool is_periodic = false;

    /// Whether softening is per particle.
    static constexpr bool is_varied = false;

    /// The law for cells with moments. They are listed only where a spline's force is Newton's, so
    /// both softenings share these loops; a spline uses length 0.
    using Cells = Gravity<SofteningKind::plummer, with_potential>;

    /// A particle with m > 0 whose coordinates carry its mass. With c = m^-1/2 and U = c u, m u^-3
    /// r = U^-3 (c r): a pair costs one operation less. Only Plummer softening allows it.
    template <class T>
    struct alignas(4 * sizeof(T)) ScaledSource {
        Vec3<T> position; ///< c x
        T scale;          ///< c
        T eps2;           ///< c^2 eps^2
        T root_mass;      ///< 1 / c, for the potential
    };

    /// A cell as read by force loops. It holds 3 S, where S are the second moments about its center
    /// of mass, and 1.5 tr(S).
    template <class T>
    struct alignas(4 * sizeof(T)) CellSource {
        Vec3<T> position;
        T mass, xx, xy, xz, yy, yz, zz, trace;
    };

    /// Cells with third and with fourth moments.
    template <class T>
    using OctupoleSource = SeriesSource<T, 3>;
    template <class T>
    using HexadecapoleSource = SeriesSource<T, 4>;

    template <class T>
    struct AccelerationSum {
        Vec3<T> acceleration;
    };
    template <class T>
    struct PotentialSum {
        Vec3<T> acceleration;
        T potential{};
    };
    template <class T>
    using Sum = std::conditional_t<with_potential, PotentialSum<T>, AccelerationSum<T>>;

    template <class T>
    static CHAMOMILE_HD void pack_cell(const Multipole& m, const Frame& frame, Source<T>& packed)
    {
        packed = {rounded<T>(frame.of(m.center)), T(m.mass * frame.inverse_mass)};
    }

    template <class T>
    static CHAMOMILE_HD void pack_cell(const Multipole& m, const Frame& frame,
                                       CellSource<T>& packed)
    {
        const double w = 3 * frame.inverse_moment();
        const SecondMoments& s = m.second;
        packed = {rounded<T>(frame.of(m.center)),
                  T(m.mass * frame.inverse_mass),
                  T(w * s.xx),
                  T(w * s.xy),
                  T(w * s.xz),
                  T(w * s.yy),
                  T(w * s.yz),
                  T(w * s.zz),
                  T(0.5 * w * (s.xx + s.yy + s.zz))};
    }

    template <class T, int order>
    static CHAMOMILE_HD void pack_cell(const Multipole& m, const HigherMoments& higher,
                                       const Frame& frame, SeriesSource<T, order>& packed)
    {
        pack_series(m, higher, rounded<T>(frame.of(m.center)), frame.inverse_length,
                    frame.inverse_mass, packed);
    }

    /// eps^2 for Plummer softening, 1/h for a spline, in units of the positions.
    double parameter = 0;

    static CHAMOMILE_HD Gravity with_length(double eps)
    {
        const Softening s{softening, eps};
        if constexpr (softening == SofteningKind::plummer)
            return {eps * eps};
        else
            return {1 / s.spline_radius()};
    }

    /// Adds particle j's pull on target i to the sum.
    template <class T>
    CHAMOMILE_HD void operator()(const Target<T>& i, const Source<T>& j, Sum<T>& sum) const
    {
        const Vec3<T> r = j.position - i.position; // 3 flops
        if constexpr (softening == SofteningKind::plummer)
            add_plummer(r, j.mass, T(parameter), sum);
        else
            add_spline(r, j.mass, T(parameter), sum);
    }

    /// Adds the pull of a particle that carries its mass in its coordinates.
    template <class T>
    CHAMOMILE_HD void operator()(const Target<T>& i, const ScaledSource<T>& j, Sum<T>& sum) const
    {
        static_assert(scales);
        const Vec3<T> r = {j.position.x - j.scale * i.position.x,
                           j.position.y - j.scale * i.position.y,
                           j.position.z - j.scale * i.position.z}; // 3 multiply-adds
        const T inv_u = inverse_sqrt(norm_squared(r, j.eps2));     // 3 and the root
        sum.acceleration += (inv_u * inv_u * inv_u) * r;           // 2 and 3
        if constexpr (with_potential)
            sum.potential -= j.root_mass * inv_u; // 1
    }

    /// Adds cell j's pull on target i, to second order in cell size over distance: the Taylor
    /// series of the softened potential, exact for any eps. With spline softening, cells are listed
    /// only beyond the spline's reach, where they are Newtonian.
    ///
    ///     phi = -M u^-1 - 3/2 (r S r) u^-5 + 1/2 tr(S) u^-3
    template <class T>
    CHAMOMILE_HD void operator()(const Target<T>& i, const CellSource<T>& j, Sum<T>& sum) const
    {
        add_cell(i, j, softening == SofteningKind::plummer ? T(parameter) : T(0), sum);
    }

    /// Adds a cell's pull to third or fourth order; U is a pack of T, or T.
    template <class T, class U, int order>
    CHAMOMILE_HD void operator()(const Target<U>& i, const SeriesSource<T, order>& j,
                                 Sum<U>& sum) const
    {
        add_series_cell(i.position, j, softening == SofteningKind::plummer ? U(parameter) : U(0),
                        sum);
    }

protected:
    template <class T>
    static CHAMOMILE_HD void add_plummer(const Vec3<T>& r, const T& mass, const T& eps2,
                                         Sum<T>& sum)
    {
        T m_inv_u, m_inv_u3;
        divide_by_powers(mass, norm_squared(r, eps2), m_inv_u, m_inv_u3); // 6, the root, 3
        sum.acceleration += m_inv_u3 * r;                                 // 6
        if constexpr (with_potential)
            sum.potential -= m_inv_u; // 1
    }

    /// `scatter`: 15/8 mass times the variance of eps^2, or NoScatter.
    template <class Place, class T, class Scatter = NoScatter>
    static CHAMOMILE_HD void add_cell(const Place& i, const CellSource<T>& j, const T& eps2,
                                      Sum<T>& sum, const Scatter& scatter = {})
    {
        const Vec3<T> r = j.position - i.position;
        const T inv_u = inverse_sqrt(norm_squared(r, eps2));
        const T inv_u2 = inv_u * inv_u, inv_u3 = inv_u * inv_u2;
        // S r / u^2, because u^-5 overflows float where u is 2e-8 of the whole.
        const Vec3<T> s = inv_u2 * Vec3<T>{j.xx * r.x + j.xy * r.y + j.xz * r.z,
                                           j.xy * r.x + j.yy * r.y + j.yz * r.z,
                                           j.xz * r.x + j.yz * r.y + j.zz * r.z};
        const T rsr = dot(r, s);
        T along = T(2.5f) * rsr - j.trace, potential = T(0.5f) * rsr - T(1 / 3.0) * j.trace;
        if constexpr (std::is_same_v<Scatter, T>) {
            along += scatter * inv_u2;
            potential += T(0.2f) * scatter * inv_u2;
        }
        const T mass = j.mass + along * inv_u2;
        sum.acceleration += (mass * inv_u3) * r;
        sum.acceleration -= inv_u3 * s;
        if constexpr (with_potential)
            sum.potential -= j.mass * inv_u + potential * inv_u3;
    }

    template <class T, class U, int order>
    static CHAMOMILE_HD void add_series_cell(const Vec3<U>& place, const SeriesSource<T, order>& j,
                                             const U& eps2, Sum<U>& sum)
    {
        const Vec3<U> position{U(j.position.x), U(j.position.y), U(j.position.z)};
        U psi{};
        add_series<with_potential>(j, position - place, eps2, sum.acceleration, psi);
        if constexpr (with_potential)
            sum.potential -= psi;
    }

    template <class T>
    static CHAMOMILE_HD void add_spline(const Vec3<T>& r, const T& mass, const T& inv_h,
                                        Sum<T>& sum)
    {
        const T r2 = norm_squared(r, T(1e-37)); // finite at r = 0
        const T inv_r = inverse_sqrt(r2);
        const T m_inv_r = mass * inv_r;
        const T q = r2 * inv_r * inv_h;
        T force = m_inv_r * inv_r * inv_r;
        T potential = m_inv_r;
        if (any_less(q, T(1)))
            bend(q, inv_h, mass, force, potential);
        sum.acceleration += force * r;
        if constexpr (with_potential)
            sum.potential -= potential;
    }

    /// Turns Newton's factors into the spline's. With q = r/h, s = 1 - q: for q >= 1/2 polynomials
    /// in s are small corrections to Newton's law, without cancellation of digits.
    template <class T>
    static CHAMOMILE_HD void bend(const T& q, const T& inv_h, const T& mass, T& force, T& potential)
    {
        const T s = select(q < T(1), T(1) - q, T(0));
        const T s2 = s * s, q2 = q * q;
        const T outer = T(1) - s2 * s2 * (T(16) + s * (s * T(32 / 3.0) - T(25.6)));
        const T inner = mass * inv_h * inv_h * inv_h * (T(32 / 3.0) + q2 * (T(32) * q - T(38.4)));
        force = select(q < T(0.5f), inner, force * outer);
        if constexpr (with_potential) {
            const T outer_p = T(1) - s2 * s2 * s * (T(3.2) - T(32 / 15.0) * s);
            const T inner_p =
                mass * inv_h * (T(2.8) - q2 * (T(16 / 3.0) + q2 * (T(6.4) * q - T(9.6))));
            potential = select(q < T(0.5f), inner_p, potential * outer_p);
        }
    }
};

} // namespace chamomile
