/// \file  Newtonian gravity of particles with softening lengths of their own; G = 1.
///
/// Targets, sources and cells carry eps^2. That of a pair is the larger of the two (as in GADGET)
/// or their sum, by SofteningRule. A cell carries the mean over its particles' mass, which is what
/// its monopole needs to first order.
#pragma once

#include "chamomile/core/lane_math.hpp"
#include "chamomile/force/gravity.hpp"

namespace chamomile {

/// This is a cell with third or fourth moments, and a softening.
template <class T, int order>
struct SoftenedSeries : SeriesSource<T, order> {
    T eps2;
};

/// This is a SofteningRule that is known as a kernel runs: larger + smaller_part * smaller.
struct AnyRule {
    double smaller_part = 0; ///< Softening::smaller_part()

    /// Returns eps^2 of a pair.
    template <class T>
    CHAMOMILE_HD T operator()(const T& a, const T& b) const
    {
        return larger(a, b) + T(smaller_part) * smaller(a, b);
    }
};

/// `Rule` is AnyRule, or another of which eps^2 of a pair can be asked alike.
template <class Rule, SofteningKind softening, bool with_potential>
struct VariedGravityBy : Gravity<softening, with_potential> {
    using Newton = Gravity<softening, with_potential>;
    static constexpr bool is_varied = true, scales = false;

    /// With a spline cells are Newtonian where they are listed.
    using Cells = std::conditional_t<softening == SofteningKind::plummer, VariedGravityBy,
                                     typename Newton::Cells>;

    template <class T>
    struct Target {
        Vec3<T> position;
        T eps2;
    };
    template <class T>
    struct Source {
        Vec3<T> position;
        T mass, eps2;
    };
    template <class T>
    using CellSource = typename Newton::template CellSource<T>;
    template <class T>
    using OctupoleSource = SoftenedSeries<T, 3>;
    template <class T>
    using HexadecapoleSource = SoftenedSeries<T, 4>;
    template <class T>
    using Sum = typename Newton::template Sum<T>;

    using Newton::pack_cell;
    template <class T>
    static CHAMOMILE_HD void pack_cell(const Multipole& m, const Frame& frame, Source<T>& packed)
    {
        packed.position = rounded<T>(frame.of(m.center));
        packed.mass = T(m.mass * frame.inverse_mass);
    }

    Rule rule;

    static CHAMOMILE_HD VariedGravityBy with_rule(const Rule& rule)
    {
        VariedGravityBy law;
        law.rule = rule;
        return law;
    }

    /// Returns eps^2 of a pair.
    template <class T>
    CHAMOMILE_HD T pair_softening(const T& a, const T& b) const
    {
        return rule(a, b);
    }

    template <class T>
    CHAMOMILE_HD void operator()(const Target<T>& i, const Source<T>& j, Sum<T>& sum) const
    {
        add_particle(i, j, pair_softening(i.eps2, j.eps2), sum);
    }

    /// Does the same with eps^2 of the pair.
    template <class T>
    CHAMOMILE_HD void add_particle(const Target<T>& i, const Source<T>& j, const T& eps2,
                                   Sum<T>& sum) const
    {
        const Vec3<T> r = j.position - i.position;
        if constexpr (softening == SofteningKind::plummer)
            Newton::add_plummer(r, j.mass, eps2, sum);
        else
            add_spline(r, j.mass, eps2, sum);
    }

    template <class T>
    CHAMOMILE_HD void operator()(const Target<T>& i, const CellSource<T>& j, Sum<T>& sum) const
    {
        Newton::add_cell(i, j, plummer_softening(i.eps2, j.eps2), sum);
    }

    template <class T, class U, int order>
    CHAMOMILE_HD void operator()(const Target<U>& i, const SoftenedSeries<T, order>& j,
                                 Sum<U>& sum) const
    {
        Newton::add_series_cell(i.position, static_cast<const SeriesSource<T, order>&>(j),
                                plummer_softening(i.eps2, U(j.eps2)), sum);
    }

protected:
    /// A spline's cells are Newtonian where they are listed.
    template <class T>
    CHAMOMILE_HD T plummer_softening(const T& a, const T& b) const
    {
        return softening == SofteningKind::plummer ? pair_softening(a, b) : T(0);
    }

    /// The root of h is taken only where a pair is within it.
    template <class T>
    CHAMOMILE_HD void add_spline(const Vec3<T>& r, const T& mass, const T& eps2, Sum<T>& sum) const
    {
        constexpr double part = Softening::spline_radius_part * Softening::spline_radius_part;
        const T tiny(1e-37f); // finite at r = 0
        const T h2 = T(part) * eps2;
        const T r2 = norm_squared(r, tiny);
        const T inv_r = inverse_sqrt(r2);
        const T m_inv_r = mass * inv_r;
        T force = m_inv_r * inv_r * inv_r;
        T potential = m_inv_r;
        if (any_less(r2, h2)) {
            const T inv_h = T(1 / Softening::spline_radius_part) * inverse_sqrt(larger(eps2, tiny));
            Newton::bend(r2 * inv_r * inv_h, inv_h, mass, force, potential);
        }
        sum.acceleration += force * r;
        if constexpr (with_potential)
            sum.potential -= potential;
    }
};

template <SofteningKind softening, bool with_potential>
using VariedGravity = VariedGravityBy<AnyRule, softening, with_potential>;

} // namespace chamomile
