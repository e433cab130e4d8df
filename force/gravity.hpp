/// \file  Newtonian gravity, softened, of particles and of cells; G = 1.
///
/// Gravity<Kernel, Rule, with_potential> is the one law: a softening kernel (softening_kernels.hpp)
/// and a rule for the length of a pair. Gravity's short range in a periodic cube is a law over this
/// one (periodic/short_range.hpp). Flops in comments count a fused multiply-add as two.
#pragma once

#include <array>
#include <type_traits>

#include "chamomile/force/expansions/cell_series.hpp"
#include "chamomile/force/softening_kernels.hpp"

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

/// A cell as read by force loops. It holds 3 S, where S are the second moments about its center of
/// mass, and 1.5 tr(S).
template <class T>
struct alignas(4 * sizeof(T)) QuadrupoleSource {
    Vec3<T> position;
    T mass, xx, xy, xz, yy, yz, zz, trace;
};

/// Any cell as read by force loops, with two values of eps^2 for its particles (CellSoftening).
template <class T, class Unsoftened>
struct SoftenedCell : Unsoftened {
    T low, high, high_part;
    T weight; ///< 15/8 mass times high_part (1 - high_part)
};

/// Targets and sources where all particles share one softening length.
struct CommonRecords {
    template <class T>
    struct Target {
        Vec3<T> position;
    };
    template <class T>
    struct alignas(4 * sizeof(T)) Source { // read from shared memory as one 16-byte load
        Vec3<T> position;
        T mass;
    };
    template <class T>
    using CellSource = QuadrupoleSource<T>;
    template <class T, int order>
    using CellSeries = SeriesSource<T, order>;
    /// Powers of length in a target and in a source.
    static constexpr std::array<int, 3> target_length{1, 1, 1};
    static constexpr std::array<int, 4> source_length{1, 1, 1, 0};
};

/// Targets and sources with per-particle softening.
struct SoftenedRecords {
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
    struct CellSource : SoftenedCell<T, QuadrupoleSource<T>> {};
    template <class T, int order>
    using CellSeries = SoftenedCell<T, SeriesSource<T, order>>;
    static constexpr std::array<int, 4> target_length{1, 1, 1, 2};
    static constexpr std::array<int, 5> source_length{1, 1, 1, 0, 2};
};

struct ShortRangeForm;
struct SmoothPart;

/// The numbers from which a law is made, in units of the positions.
struct LawNumbers {
    double softening_length = 0;          ///< common to all pairs
    double rule_weight = 0;               ///< Softening::rule_weight()
    const ShortRangeForm* form = nullptr; ///< of a short range
    const SmoothPart* smooth = nullptr;   ///< of nearest images
};

/// One length for all pairs.
struct OneLength {
    using Records = CommonRecords;
    static constexpr bool per_particle = false;

    double number = 0; ///< Kernel::number()

    template <class Kernel>
    static CHAMOMILE_HD OneLength of(const LawNumbers& n)
    {
        return {Kernel::number(n.softening_length)};
    }
    template <class Kernel>
    CHAMOMILE_HD OneLength in_unit(double unit) const
    {
        return {Kernel::in_unit(number, unit)};
    }

    template <class T, class Target, class Source>
    CHAMOMILE_HD CommonNumber<T> length_of(const Target&, const Source&) const
    {
        return {T(number)};
    }
};

/// A pair's eps^2 by a SofteningRule that is chosen at run time: larger + rule_weight * smaller.
struct RuntimeRule {
    using Records = SoftenedRecords;
    static constexpr bool per_particle = true;

    double rule_weight = 0;

    template <class>
    static CHAMOMILE_HD RuntimeRule of(const LawNumbers& n)
    {
        return {n.rule_weight};
    }
    template <class>
    CHAMOMILE_HD RuntimeRule in_unit(double) const
    {
        return *this;
    }

    template <class T>
    CHAMOMILE_HD T operator()(const T& a, const T& b) const
    {
        return larger(a, b) + T(rule_weight) * smaller(a, b);
    }
    template <class T, class Target, class Source>
    CHAMOMILE_HD T length_of(const Target& i, const Source& j) const
    {
        return (*this)(i.eps2, j.eps2);
    }
};

/// A pair's eps^2 by a rule that is fixed: one operation, where RuntimeRule takes three.
template <SofteningRule rule>
struct FixedRule {
    using Records = SoftenedRecords;
    static constexpr bool per_particle = true;

    template <class>
    static CHAMOMILE_HD FixedRule of(const LawNumbers&)
    {
        return {};
    }

    template <class T>
    CHAMOMILE_HD T operator()(const T& a, const T& b) const
    {
        if constexpr (rule == SofteningRule::root_of_squares)
            return a + b;
#ifdef __CUDA_ARCH__
        else if constexpr (sizeof(T) == sizeof(float)) // one instruction
            return fmaxf(a, b);
        else
            return fmax(a, b);
#else
        else
            return larger(a, b);
#endif
    }
    template <class T, class Target, class Source>
    CHAMOMILE_HD T length_of(const Target& i, const Source& j) const
    {
        return (*this)(i.eps2, j.eps2);
    }
};

/// A law's sums, with or without the potential.
template <class T, bool with_potential>
struct FieldSum {
    Vec3<T> acceleration;
};
template <class T>
struct FieldSum<T, true> {
    Vec3<T> acceleration;
    T potential{};
};

/// The law. Rule: OneLength, FixedRule or RuntimeRule.
template <class Kernel_, class Rule_, bool with_potential>
struct Gravity {
    using Kernel = Kernel_;
    using Rule = Rule_;
    using Records = typename Rule::Records;
    template <class T>
    using Target = typename Records::template Target<T>;
    template <class T>
    using Source = typename Records::template Source<T>;
    template <class T>
    using CellSource = typename Records::template CellSource<T>;
    /// Cells with third and with fourth moments.
    template <class T>
    using OctupoleSource = typename Records::template CellSeries<T, 3>;
    template <class T>
    using HexadecapoleSource = typename Records::template CellSeries<T, 4>;
    template <class T>
    using Sum = FieldSum<T, with_potential>;

    static_assert(!Kernel::softens_cells || std::is_same_v<Kernel, PlummerKernel>,
                  "cells are softened by Plummer's law");

    /// Whether softening is per particle.
    static constexpr bool per_particle = Rule::per_particle;

    /// Whether a pair uses the source's nearest periodic image.
    static constexpr bool is_periodic = false;

    /// Whether particles can carry their masses in their coordinates (ScaledSource).
    static constexpr bool scales = std::is_same_v<Kernel, PlummerKernel> && !per_particle;

    /// The law for cells with moments. Without softened cells, they are listed only where a pair's
    /// force is Newton's, so all kernels share these loops; made from numbers_of_cells().
    using Cells = std::conditional_t<Kernel::softens_cells, Gravity,
                                     Gravity<PlummerKernel, OneLength, with_potential>>;

    Rule rule;

    static CHAMOMILE_HD Gravity of(const LawNumbers& n) { return {Rule::template of<Kernel>(n)}; }
    static CHAMOMILE_HD LawNumbers numbers_of_cells(LawNumbers n)
    {
        if (!Kernel::softens_cells)
            n.softening_length = 0;
        return n;
    }

    /// A particle with m > 0 whose coordinates carry its mass. With c = m^-1/2 and U = c u, m u^-3
    /// r = U^-3 (c r): a pair costs one operation less. Only Plummer softening allows it.
    template <class T>
    struct alignas(4 * sizeof(T)) ScaledSource {
        Vec3<T> position; ///< c x
        T scale;          ///< c
        T eps2;           ///< c^2 eps^2
        T root_mass;      ///< 1 / c, for the potential
    };

    /// Packs a cell as a particle.
    template <class T>
    static CHAMOMILE_HD void pack_cell(const Multipole& m, const Frame& frame, Source<T>& packed)
    {
        packed.position = rounded<T>(frame.of(m.center));
        packed.mass = T(m.mass * frame.inverse_mass);
    }

    template <class T>
    static CHAMOMILE_HD void pack_cell(const Multipole& m, const Frame& frame,
                                       QuadrupoleSource<T>& packed)
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

    /// Adds particle j's pull on target i to the sum.
    template <class T>
    CHAMOMILE_HD void operator()(const Target<T>& i, const Source<T>& j, Sum<T>& sum) const
    {
        add_particle(i, j, rule.template length_of<T>(i, j), sum);
    }

    /// Adds particle j's pull on target i, with a known softening of the pair.
    template <class T, class Length>
    CHAMOMILE_HD void add_particle(const Target<T>& i, const Source<T>& j, const Length& length,
                                   Sum<T>& sum) const
    {
        Kernel::add(j.position - i.position, j.mass, length, sum); // 3 and the kernel's
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
    /// series of the softened potential, exact for any eps. A cell of two softenings has their mean
    /// eps^2 and, in its monopole, their variance to second order.
    ///
    ///     phi = -M u^-1 - 3/2 (r S r) u^-5 + 1/2 tr(S) u^-3
    template <class T>
    CHAMOMILE_HD void operator()(const Target<T>& i, const CellSource<T>& j, Sum<T>& sum) const
    {
        T eps2, step;
        find_softening(i, j, eps2, step);
        const Vec3<T> r = j.position - i.position;
        const T inv_u = inverse_sqrt(norm_squared(r, eps2));
        const T inv_u2 = inv_u * inv_u, inv_u3 = inv_u * inv_u2;
        // S r / u^2, because u^-5 overflows float where u is 2e-8 of the whole.
        const Vec3<T> s = inv_u2 * Vec3<T>{j.xx * r.x + j.xy * r.y + j.xz * r.z,
                                           j.xy * r.x + j.yy * r.y + j.yz * r.z,
                                           j.xz * r.x + j.yz * r.y + j.zz * r.z};
        const T rsr = dot(r, s);
        T along = T(2.5f) * rsr - j.trace, potential = T(0.5f) * rsr - T(1 / 3.0) * j.trace;
        if constexpr (per_particle) {
            const T scatter = j.weight * step * step;
            along += scatter * inv_u2;
            potential += T(0.2f) * scatter * inv_u2;
        }
        const T mass = j.mass + along * inv_u2;
        sum.acceleration += (mass * inv_u3) * r;
        sum.acceleration -= inv_u3 * s;
        if constexpr (with_potential)
            sum.potential -= j.mass * inv_u + potential * inv_u3;
    }

    /// Adds a cell's pull to third or fourth order; U is a pack of T, or T.
    template <class T, class U, int order>
    CHAMOMILE_HD void operator()(const Target<U>& i, const SeriesSource<T, order>& j,
                                 Sum<U>& sum) const
    {
        U eps2, none;
        find_softening(i, j, eps2, none);
        add_series_cell(i.position, j, eps2, sum);
    }
    template <class T, class U, int order>
    CHAMOMILE_HD void operator()(const Target<U>& i,
                                 const SoftenedCell<T, SeriesSource<T, order>>& j,
                                 Sum<U>& sum) const
    {
        U eps2, step;
        find_softening(i, j, eps2, step);
        add_series_cell(i.position, static_cast<const SeriesSource<T, order>&>(j), eps2, sum);
        const Vec3<U> r{U(j.position.x) - i.position.x, U(j.position.y) - i.position.y,
                        U(j.position.z) - i.position.z};
        const U inv_u = inverse_sqrt(norm_squared(r, eps2)), inv_u2 = inv_u * inv_u,
                h = step * inv_u2, more = U(j.weight) * h * h * inv_u;
        sum.acceleration += (more * inv_u2) * r;
        if constexpr (with_potential)
            sum.potential -= U(0.2f) * more;
    }

    /// Computes eps^2 between a target and a cell's particles: the mean, and with per-particle
    /// softening the difference between the cell's two values. Both are 0 without softened cells.
    template <class U, class Cell>
    CHAMOMILE_HD void find_softening([[maybe_unused]] const Target<U>& i,
                                     [[maybe_unused]] const Cell& j, U& eps2, U& step) const
    {
        eps2 = step = U(0);
        if constexpr (Kernel::softens_cells && per_particle) {
            const U low = rule(i.eps2, U(j.low));
            step = rule(i.eps2, U(j.high)) - low;
            eps2 = low + U(j.high_part) * step;
        } else if constexpr (Kernel::softens_cells) {
            eps2 = U(rule.number);
        }
    }

private:
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
};

/// Returns visit.operator()<Law>() for the law of a kind with a rule.
template <class Rule, class Visit>
decltype(auto) visit_gravity(SofteningKind kind, bool with_potential, const Visit& visit)
{
    return SofteningKernels::visit(kind, [&]<class Kernel>(Kernel) {
        return with_potential ? visit.template operator()<Gravity<Kernel, Rule, true>>()
                              : visit.template operator()<Gravity<Kernel, Rule, false>>();
    });
}

} // namespace chamomile
