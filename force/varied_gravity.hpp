/// \file  Newtonian gravity with per-particle softening; G = 1.
///
/// Targets and sources carry eps^2. A pair uses the larger value (as in GADGET) or the sum, by
/// SofteningRule. A cell carries two values for its particles (CellSoftening): seen from a target,
/// it has their mean eps^2, and its monopole includes the variance to second order.
#pragma once

#include "chamomile/core/lane_math.hpp"
#include "chamomile/force/gravity.hpp"

namespace chamomile {

/// Any CellSource, or a cell with third or fourth moments, with softening.
template <class T, class Unsoftened>
struct SoftenedCell : Unsoftened {
    T low, high, high_part;
    T weight; ///< 15/8 mass times high_part (1 - high_part)
};
template <class T, int order>
using SoftenedSeries = SoftenedCell<T, SeriesSource<T, order>>;

/// A SofteningRule chosen at run time: larger + rule_weight * smaller.
struct RuntimeRule {
    double rule_weight = 0; ///< Softening::rule_weight()

    /// Returns eps^2 for a pair.
    template <class T>
    CHAMOMILE_HD T operator()(const T& a, const T& b) const
    {
        return larger(a, b) + T(rule_weight) * smaller(a, b);
    }
};

/// `Rule` is RuntimeRule, or another callable that returns eps^2 for a pair.
template <class Rule, SofteningKind softening, bool with_potential>
struct VariedGravityBy : Gravity<softening, with_potential> {
    using Newton = Gravity<softening, with_potential>;
    static constexpr bool is_varied = true, scales = false;

    /// With a spline, cells are Newtonian at the distances at which they are listed.
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
    struct CellSource : SoftenedCell<T, typename Newton::template CellSource<T>> {};
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

    template <class T, class Unsoftened>
    static CHAMOMILE_HD void pack_softening(const CellSoftening& own, double inverse_length,
                                            SoftenedCell<T, Unsoftened>& packed)
    {
        const double unit = inverse_length * inverse_length;
        packed.low = T(unit * own.low);
        packed.high = T(unit * own.high);
        packed.high_part = T(own.high_part);
        packed.weight = T(1.875) * packed.mass * packed.high_part * (T(1) - packed.high_part);
    }
    template <class T>
    static CHAMOMILE_HD void pack_softening(const CellSoftening& own, double inverse_length,
                                            Source<T>& packed)
    {
        packed.eps2 = T(inverse_length * inverse_length * own.mean());
    }

    Rule rule;

    static CHAMOMILE_HD VariedGravityBy with_rule(const Rule& rule)
    {
        VariedGravityBy law;
        law.rule = rule;
        return law;
    }

    /// Returns eps^2 for a pair.
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

    /// Adds particle j's pull on target i, with softening eps2.
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
        T eps2, step;
        find_softening(i.eps2, j, eps2, step);
        Newton::add_cell(i, j, eps2, sum, j.weight * step * step);
    }

    template <class T, class U, int order>
    CHAMOMILE_HD void operator()(const Target<U>& i, const SoftenedSeries<T, order>& j,
                                 Sum<U>& sum) const
    {
        U eps2, step;
        find_softening(i.eps2, j, eps2, step);
        Newton::add_series_cell(i.position, static_cast<const SeriesSource<T, order>&>(j), eps2,
                                sum);
        const Vec3<U> r{U(j.position.x) - i.position.x, U(j.position.y) - i.position.y,
                        U(j.position.z) - i.position.z};
        const U inv_u = inverse_sqrt(norm_squared(r, eps2)), inv_u2 = inv_u * inv_u,
                h = step * inv_u2, more = U(j.weight) * h * h * inv_u;
        sum.acceleration += (more * inv_u2) * r;
        if constexpr (with_potential)
            sum.potential -= U(0.2f) * more;
    }

protected:
    /// Computes the mean eps^2 between a target and a cell's particles, and the difference between
    /// the cell's two values. With a spline both are 0: listed cells are Newtonian.
    template <class U, class T, class Unsoftened>
    CHAMOMILE_HD void find_softening(const U& target, const SoftenedCell<T, Unsoftened>& cell,
                                     U& eps2, U& step) const
    {
        eps2 = step = U(0);
        if constexpr (softening == SofteningKind::plummer) {
            const U low = rule(target, U(cell.low));
            step = rule(target, U(cell.high)) - low;
            eps2 = low + U(cell.high_part) * step;
        }
    }

    /// Computes the root for h only if a pair is within h.
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
using VariedGravity = VariedGravityBy<RuntimeRule, softening, with_potential>;

} // namespace chamomile
