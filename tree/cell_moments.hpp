/// \file  The moments of a single cell, equal on host and device.
///
/// Contraction: none (no fused multiply-adds), so that host and device give the same bits and
/// thereby the same interaction lists.
#pragma once

#include <limits>

#include "chamomile/tree/moments.hpp"

namespace chamomile {

/// Mass of a cell that contains a negative mass: no center of mass exists. Callers refuse such
/// particles.
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Sums the moments of a leaf with `count` > 0 sources.
CHAMOMILE_HD void sum_leaf(const Source* sources, Index count, Multipole& multipole, Box& bounds)
{
    Multipole m;
    Box box;
    Vec3<double> weighted;
    for (Index k = 0; k < count; ++k) {
        const Source s = sources[k];
        m.mass += s.mass >= 0 ? s.mass : not_a_number;
        // Sums relative to the first particle, so that a cell far from the origin loses no digits.
        weighted += s.mass * (s.position - sources[0].position);
        box.add(s.position);
    }
    m.center = m.mass > 0 ? sources[0].position + (1 / m.mass) * weighted : box.center();
    for (Index k = 0; k < count; ++k) {
        const Source s = sources[k];
        m.second.add(s.mass, s.position - m.center);
    }
    multipole = m;
    bounds = box;
}

/// Sums the moments of a cell from its daughters' moments, which must be known.
CHAMOMILE_HD void sum_daughters(const Cell* cells, Index cell, Multipole* multipoles, Box* bounds)
{
    Multipole m;
    Box box;
    Vec3<double> weighted;
    const Index end = cells[cell].next;
    const Vec3<double> about = multipoles[cell + 1].center;
    for (Index daughter = cell + 1; daughter < end; daughter = cells[daughter].next) {
        const Multipole& d = multipoles[daughter];
        m.mass += d.mass;
        weighted += d.mass * (d.center - about);
        box.add(bounds[daughter]);
    }
    m.center = m.mass > 0 ? about + (1 / m.mass) * weighted : box.center();
    for (Index daughter = cell + 1; daughter < end; daughter = cells[daughter].next) {
        const Multipole& d = multipoles[daughter];
        m.second += d.second;
        m.second.add(d.mass, d.center - m.center); // Steiner's theorem
    }
    multipoles[cell] = m;
    bounds[cell] = box;
}

/// Sums the CellSoftening of cells with per-particle softening: a leaf from its particles, other
/// cells from the two values of each daughter. The multipoles must be known.
struct SofteningSums {
    const Cell* cells;
    const Source* sources;
    const double* softening; ///< eps^2 of each source
    const Multipole* multipoles;
    CellSoftening* of_cell;

    /// Sums for cell c. Its daughters' values must be known.
    CHAMOMILE_HD void sum(Index c) const
    {
        double largest = 0, mass = 0, weighted = 0;
        each_part(c, [&](double m, const CellSoftening& part) {
            largest = largest < part.largest ? part.largest : largest;
            mass += m;
            weighted += m * part.mean();
        });
        double mean = mass > 0 ? weighted / mass : largest;
        mean = largest < mean ? largest : mean;
        double second = 0, third = 0; // about the mean, in units of the largest
        const auto add = [&](double m, double eps2) {
            const double d = (eps2 - mean) / largest;
            second += m / mass * d * d;
            third += m / mass * d * d * d;
        };
        if (mass > 0 && largest > 0)
            each_part(c, [&](double m, const CellSoftening& part) {
                add(m * (1 - part.high_part), part.low);
                add(m * part.high_part, part.high);
            });
        of_cell[c] = two_values(mean, second, third, largest);
    }

private:
    /// Returns two values with this mean and these central moments (`second`, `third`), which are
    /// in units of `largest`. A variance at rounding level counts as 0.
    static CHAMOMILE_HD CellSoftening two_values(double mean, double second, double third,
                                                 double largest)
    {
        CellSoftening own{mean, mean, 0, largest};
        if (!(second > 1e-24))
            return own;
        // The differences d from the mean are the roots of d^2 - (third / second) d - second.
        const double half = 0.5 * third / second, root = sqrt(half * half + second),
                     up = half > 0 ? half + root : second / (root - half), down = second / up;
        own.high_part = down / (up + down);
        own.high = mean + largest * up;
        own.high = largest < own.high ? largest : own.high;
        own.low = mean - largest * down;
        own.low = own.low < 0 ? 0 : own.low;
        return own;
    }

    template <class Add>
    CHAMOMILE_HD void each_part(Index c, const Add& add) const
    {
        const Cell cell = cells[c];
        if (cell.next == c + 1)
            for (Index k = cell.begin; k < cell.begin + cell.count; ++k)
                add(sources[k].mass, CellSoftening::of_one(softening[k]));
        else
            for (Index d = c + 1; d < cell.next; d = cells[d].next)
                add(multipoles[d].mass, of_cell[d]);
    }
};

} // namespace chamomile
