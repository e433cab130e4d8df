/// \file  The moments of one cell, the same on host and device.
///
/// Contraction: none, so that host and device give the same bits and thereby the same interaction
/// lists.
#pragma once

#include <limits>

#include "chamomile/tree/moments.hpp"

namespace chamomile {

/// The mass of a cell that holds a negative mass: such a cell has no centre to be seen from.
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
        // Sums are taken about the first particle, so that a cell far from the origin loses no
        // digits.
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

/// Sums the moments of a cell from those of its daughters, which must be known.
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

/// SofteningSums sum the softenings of cells whose particles have lengths of their own, each a
/// CellSoftening, where the multipoles are known.
struct SofteningSums {
    const Cell* cells;
    const Source* sources;
    const double* softening; ///< eps^2 of each source
    const Multipole* multipoles;
    CellSoftening* of_cell;

    /// Sums those of a cell; of its daughters they must be known.
    CHAMOMILE_HD void sum(Index c) const
    {
        CellSoftening own;
        double mass = 0, weighted = 0;
        each_part(c, [&](double m, const CellSoftening& part) {
            own.largest = own.largest < part.largest ? part.largest : own.largest;
            mass += m;
            weighted += m * part.mean;
        });
        own.mean = mass > 0 ? weighted / mass : own.largest;
        own.mean = own.largest < own.mean ? own.largest : own.mean;
        each_part(c, [&](double m, const CellSoftening& part) {
            const double d = part.mean - own.mean;
            own.scatter += part.scatter + m * d * d;
        });
        of_cell[c] = own;
    }

private:
    template <class Add>
    CHAMOMILE_HD void each_part(Index c, const Add& add) const
    {
        const Cell cell = cells[c];
        if (cell.next == c + 1)
            for (Index k = cell.begin; k < cell.begin + cell.count; ++k)
                add(sources[k].mass, CellSoftening{softening[k], 0, softening[k]});
        else
            for (Index d = c + 1; d < cell.next; d = cells[d].next)
                add(multipoles[d].mass, of_cell[d]);
    }
};

} // namespace chamomile
