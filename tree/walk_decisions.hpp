/// \file  The decisions of a walk about cells, seen from a region of targets.
///
/// The formulas are written for a number type P, so that host and GPU make the same lists: a pack
/// of doubles for several cells on the host (tree/simd/walk_kernel.cpp), a double for one cell per
/// GPU thread (gpu/lists/prune.cu). Contraction: none (no fused multiply-adds), so that all
/// machines agree.
#pragma once

#include "chamomile/core/lane_math.hpp"
#include "chamomile/tree/walk_region.hpp"

namespace chamomile {

namespace walk {

/// Returns 1 if a < b. Packs return a bit per lane.
CHAMOMILE_HD unsigned less_bits(double a, double b)
{
    return a < b ? 1 : 0;
}

template <class P>
CHAMOMILE_HD Vec3<P> broadcast(const Vec3<double>& v)
{
    return {P(v.x), P(v.y), P(v.z)};
}

template <class P>
CHAMOMILE_HD P squared(const Vec3<P>& d)
{
    return d.x * d.x + d.y * d.y + d.z * d.z;
}

/// Returns the distance of x outside low .. high, 0 inside.
template <class P>
CHAMOMILE_HD P beyond(P low, P high, P x)
{
    return larger(larger(P(0.0), low - x), x - high);
}

/// Centers of mass and opening radii of the cells in one P.
template <class P>
struct CellsSeen {
    Vec3<P> center;
    P min, relative, expansion;
};

/// Decisions for each cell, one bit per cell.
struct Decisions {
    unsigned accepted = 0; ///< act as multipoles
    unsigned far = 0;      ///< accepted, and the field is expanded about the region's center
    unsigned left_out = 0; ///< all particles lie beyond the cut
};

/// A WalkRegion repeated in every lane.
template <class P>
struct Region {
    Vec3<P> low, high, center;
    P relative_factor, guard_part, min_expansion, expansion_factor, softened_factor, clearance;

    CHAMOMILE_HD Region(const WalkRegion& r, const WalkPeriod&)
        : low(broadcast<P>(r.low)), high(broadcast<P>(r.high)), center(broadcast<P>(r.center)),
          relative_factor(r.relative_factor), guard_part(r.guard_part),
          min_expansion(r.min_expansion), expansion_factor(r.expansion_factor),
          softened_factor(r.softened_factor), clearance(r.clearance)
    {}
};

/// Maps differences of coordinates to their nearest images.
template <class P>
struct NearestImage {
    P side, inverse_side;

    CHAMOMILE_HD explicit NearestImage(const Periodicity& p)
        : side(p.side), inverse_side(p.inverse_side())
    {}
    CHAMOMILE_HD P operator()(P d) const
    {
        const P whole(6755399441055744.0); // 1.5 2^52: a sum with it has no fraction
        return d - side * ((d * inverse_side + whole) - whole);
    }
    CHAMOMILE_HD Vec3<P> operator()(const Vec3<P>& d) const
    {
        return {(*this)(d.x), (*this)(d.y), (*this)(d.z)};
    }
};

/// A Region in a periodic cube.
template <class P>
struct PeriodicRegion {
    Vec3<P> center, half; ///< half: half the box sides
    P relative_factor, guard_part, cut, half_side, clearance;
    NearestImage<P> nearest;

    CHAMOMILE_HD PeriodicRegion(const WalkRegion& r, const WalkPeriod& period)
        : center(broadcast<P>(r.center)),
          half(broadcast<P>(0.5 * (r.high - r.low) + rounding(period.periodicity))),
          relative_factor(r.relative_factor), guard_part(r.guard_part), cut(period.cut),
          half_side(0.5 * period.periodicity.side), clearance(r.clearance),
          nearest(period.periodicity)
    {}

    /// Returns an upper bound on how far rounding of coordinates about the center can move a
    /// particle at a corner out of the box.
    static CHAMOMILE_HD Vec3<double> rounding(const Periodicity& periodicity)
    {
        const double x = 1e-14 * periodicity.side;
        return {x, x, x};
    }

    /// Returns the absolute distance from the center along each axis.
    CHAMOMILE_HD Vec3<P> distance(const Vec3<P>& x) const
    {
        const Vec3<P> d = nearest({x.x - center.x, x.y - center.y, x.z - center.z});
        return {larger(d.x, P(0.0) - d.x), larger(d.y, P(0.0) - d.y), larger(d.z, P(0.0) - d.z)};
    }
};

/// Returns the opening radius of each cell for the targets in the region.
template <class P, class AnyRegion>
CHAMOMILE_HD P reach_of(const CellsSeen<P>& cells, const AnyRegion& region)
{
    const P min = cells.min + region.clearance;
    return larger(cells.relative * region.relative_factor + region.guard_part * min, min);
}

/// Applies the AcceptanceCriterion to the cells. A `far` bit counts only for accepted cells.
template <class P>
CHAMOMILE_HD Decisions decide(const CellsSeen<P>& cells, const Region<P>& region)
{
    const Vec3<P>& x = cells.center;
    const P from_box = squared<P>({beyond(region.low.x, region.high.x, x.x),
                                   beyond(region.low.y, region.high.y, x.y),
                                   beyond(region.low.z, region.high.z, x.z)});
    const P reach = reach_of(cells, region);
    const P from_center =
        squared<P>({x.x - region.center.x, x.y - region.center.y, x.z - region.center.z});
    const P root_of_mass = cells.expansion; // the (local_order + 2)-th
    const P expansion = larger(larger(root_of_mass * region.expansion_factor, region.min_expansion),
                               root_of_mass * root_of_mass * region.softened_factor);
    return {less_bits(reach * reach, from_box), less_bits(expansion * expansion, from_center), 0};
}

/// Decides for nearest images. A cell is not accepted if any particle in it could be nearest in a
/// different image than its center of mass.
template <class P>
CHAMOMILE_HD Decisions decide(const CellsSeen<P>& cells, const PeriodicRegion<P>& region)
{
    const Vec3<P> d = region.distance(cells.center);
    const P from_box =
        squared<P>({larger(P(0.0), d.x - region.half.x), larger(P(0.0), d.y - region.half.y),
                    larger(P(0.0), d.z - region.half.z)});
    const P reach = reach_of(cells, region);
    const P radius = cells.expansion, min = region.cut + radius;
    const P farthest =
        larger(larger(d.x + region.half.x, d.y + region.half.y), d.z + region.half.z) + radius;
    return {less_bits(reach * reach, from_box) & less_bits(farthest, region.half_side), 0,
            less_bits(min * min, from_box)};
}

/// Returns which cells would be accepted for a single target somewhere in the region's box.
template <class P>
CHAMOMILE_HD unsigned acceptable(const CellsSeen<P>& cells, const Region<P>& region)
{
    const Vec3<P>& x = cells.center;
    const P farthest = squared<P>({larger(x.x - region.low.x, region.high.x - x.x),
                                   larger(x.y - region.low.y, region.high.y - x.y),
                                   larger(x.z - region.low.z, region.high.z - x.z)});
    const P reach = reach_of(cells, region);
    return less_bits(reach * reach, farthest);
}

template <class P>
CHAMOMILE_HD unsigned acceptable(const CellsSeen<P>& cells, const PeriodicRegion<P>& region)
{
    const Vec3<P> d = region.distance(cells.center);
    const P farthest = squared<P>({d.x + region.half.x, d.y + region.half.y, d.z + region.half.z});
    const P reach = reach_of(cells, region);
    return less_bits(reach * reach, farthest);
}

} // namespace walk
} // namespace chamomile
