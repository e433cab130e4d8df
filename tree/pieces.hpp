/// \file  Rules for cutting the tree into groups and clusters, on host and device.
#pragma once

#include <cmath>
#include <cstdint>

#include "chamomile/tree/moments.hpp"

namespace chamomile {

/// A range of targets or sorted particles, `end` excluded.
template <class Number>
struct RangeOf {
    Number begin, end;
    CHAMOMILE_HD Number count() const { return end - begin; }
};
using TargetRange = RangeOf<Index>;         ///< of this rank
using GlobalRange = RangeOf<std::uint64_t>; ///< of all ranks

/// Max size of a piece: `targets` targets, box side `longest_side`, and `particles` particles. If
/// it has at most `few` targets, `sparse` particles per target are also allowed.
struct PieceLimits {
    std::uint64_t targets, particles, few, sparse;
    double longest_side;

    CHAMOMILE_HD bool fit(std::uint64_t n, std::uint64_t of_particles, const Box& box) const
    {
        return n <= targets &&
               (of_particles <= particles || (n <= few && of_particles <= sparse * n)) &&
               box.longest_side() <= longest_side;
    }
};

/// Sisters are adjacent daughters of one cell that may form a single piece.
template <class Range>
struct Sisters {
    Range targets = {0, 0};
    Box box = {}; ///< of the cells with targets
    /// Longest side of the smallest cell with 2 or more targets.
    double smallest_side = Box::infinity;
    std::uint64_t particles = 0; ///< includes cells without targets that lie between

    CHAMOMILE_HD void add(Index count, const Box& bounds, Range of_cell)
    {
        particles += count;
        if (of_cell.count() == 0)
            return;
        targets = {targets.count() == 0 ? of_cell.begin : targets.begin, of_cell.end};
        box.add(bounds);
        const double side = bounds.longest_side();
        if (of_cell.count() > 1 && side < smallest_side)
            smallest_side = side;
    }
    /// Returns whether the cells fit the limits, and none is so small that single-precision
    /// coordinates about the center of the piece would blur it.
    CHAMOMILE_HD bool are_one_piece(const PieceLimits& limits) const
    {
        return limits.fit(targets.count(), particles, box) &&
               box.longest_side() <= 8 * smallest_side;
    }
};

/// LeafCuts cut a large leaf into groups of nearly equal size, or into groups with one target if
/// its box is too long.
struct LeafCuts {
    TargetRange targets;
    Index parts;

    CHAMOMILE_HD LeafCuts(TargetRange range, const Box& box, Index size, double longest_side)
        : targets(range),
          parts(box.longest_side() > longest_side ? range.count()
                                                  : (range.count() + size - 1) / size)
    {}
    /// Returns the first target of group `part`.
    CHAMOMILE_HD Index begin(Index part) const
    {
        return targets.begin + Index(std::uint64_t(targets.count()) * part / parts);
    }
};

/// Returns the multipole of the particles of a and b together.
CHAMOMILE_HD Multipole joint(const Multipole& a, const Multipole& b)
{
    if (a.mass == 0 || b.mass == 0)
        return a.mass == 0 ? b : a;
    const double mass = a.mass + b.mass;
    Multipole all{a.center + (b.mass / mass) * (b.center - a.center), mass, a.second};
    all.second += b.second;
    all.second.add(a.mass, a.center - all.center); // Steiner's theorem
    all.second.add(b.mass, b.center - all.center);
    return all;
}

} // namespace chamomile
