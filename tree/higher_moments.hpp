/// \file  The third and fourth moments of a single cell, equal on host and device.
///
/// Contraction: none (no fused multiply-adds), so that both give the same bits.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>

#include "chamomile/tree/moments.hpp"

namespace chamomile {

/// Sums the moments of degrees 3 to `order` (3 or 4); higher ones stay 0.
template <int order>
class HigherSums {
public:
    /// Sums the moments of a leaf with `count` > 0 sources and known multipole and bounds.
    static CHAMOMILE_HD void sum_leaf(const Source* sources, Index count,
                                      const Multipole& multipole, const Box& bounds,
                                      HigherMoments& higher)
    {
        HigherMoments m;
        m.length = length_of(bounds);
        const double inverse = inverse_of(m.length);
        for (Index k = 0; k < count; ++k) {
            const Vec3<double> d = inverse * (sources[k].position - multipole.center);
            double px[order + 1], py[order + 1], pz[order + 1];
            powers(d, px, py, pz);
            add_point(sources[k].mass, px, py, pz, m, own{});
        }
        higher = m;
    }

    /// Sums the moments of a cell from its daughters' higher moments and the multipoles of cell and
    /// daughters.
    static CHAMOMILE_HD void sum_daughters(const Cell* cells, Index cell,
                                           const Multipole* multipoles, const Box* bounds,
                                           HigherMoments* higher)
    {
        HigherMoments m;
        m.length = length_of(bounds[cell]);
        const double inverse = inverse_of(m.length);
        for (Index d = cell + 1; d < cells[cell].next; d = cells[d].next) {
            double all[term_count(order)];
            in_units_of(inverse, multipoles[d], higher[d], all);
            const Vec3<double> s = inverse * (multipoles[d].center - multipoles[cell].center);
            double px[order + 1], py[order + 1], pz[order + 1];
            powers(s, px, py, pz);
            add_shifted(all, px, py, pz, m, own{});
        }
        higher[cell] = m;
    }

private:
    static constexpr int first = HigherMoments::first;
    using own = std::make_integer_sequence<int, term_count(order) - first>;

    /// Returns the power of two at or below the longest side; 0 for a box below 1e-150.
    static CHAMOMILE_HD double length_of(const Box& bounds)
    {
        const double side = bounds.longest_side();
        return side < 1e-150 ? 0
                             : std::bit_cast<double>(std::bit_cast<std::uint64_t>(side) &
                                                     0x7ff0000000000000u);
    }
    static CHAMOMILE_HD double inverse_of(double length) { return length > 0 ? 1 / length : 0; }

    static CHAMOMILE_HD void powers(const Vec3<double>& d, double* px, double* py, double* pz)
    {
        px[0] = py[0] = pz[0] = 1;
        for (int k = 1; k <= order; ++k) {
            px[k] = px[k - 1] * d.x;
            py[k] = py[k - 1] * d.y;
            pz[k] = pz[k - 1] * d.z;
        }
    }

    template <int... k>
    static CHAMOMILE_HD void add_point(double mass, const double* px, const double* py,
                                       const double* pz, HigherMoments& m,
                                       std::integer_sequence<int, k...>)
    {
        ((m.moment[k] += mass * px[exponents_of(first + k).x] * py[exponents_of(first + k).y] *
                         pz[exponents_of(first + k).z]),
         ...);
    }

    /// Computes every moment of a daughter about its center, in the mother's units. First moments
    /// vanish.
    static CHAMOMILE_HD void in_units_of(double inverse, const Multipole& multipole,
                                         const HigherMoments& higher, double* all)
    {
        const SecondMoments& s = multipole.second;
        const double second[6] = {s.xx, s.xy, s.xz, s.yy, s.yz, s.zz};
        all[0] = multipole.mass;
        all[1] = all[2] = all[3] = 0;
        for (int k = 0; k < 6; ++k)
            all[4 + k] = inverse * (inverse * second[k]);
        const double ratio = inverse * higher.length, cubed = ratio * ratio * ratio;
        for (int k = first; k < term_count(order); ++k)
            all[k] = (k < term_count(3) ? cubed : ratio * cubed) * higher.moment[k - first];
    }

    template <int... k>
    static CHAMOMILE_HD void add_shifted(const double* all, const double* px, const double* py,
                                         const double* pz, HigherMoments& m,
                                         std::integer_sequence<int, k...>)
    {
        ((m.moment[k] +=
          shifted<first + k>(all, px, py, pz, std::make_integer_sequence<int, first + k + 1>{})),
         ...);
    }

    /// Returns the daughter's contribution to a term by the binomial theorem: the sum over all
    /// terms f whose powers are no larger.
    template <int term, int... f>
    static CHAMOMILE_HD double shifted(const double* all, const double* px, const double* py,
                                       const double* pz, std::integer_sequence<int, f...>)
    {
        double sum = 0;
        (add_part<term, f>(all, px, py, pz, sum), ...);
        return sum;
    }

    template <int term, int f>
    static CHAMOMILE_HD void add_part(const double* all, const double* px, const double* py,
                                      const double* pz, double& sum)
    {
        constexpr Exponents e = exponents_of(term), g = exponents_of(f),
                            left{e.x - g.x, e.y - g.y, e.z - g.z};
        if constexpr (g.degree() != 1 && left.x >= 0 && left.y >= 0 && left.z >= 0) {
            constexpr double ways = factorial(e) / (factorial(g) * factorial(left));
            sum += ways * all[f] * px[left.x] * py[left.y] * pz[left.z];
        }
    }
};

} // namespace chamomile
