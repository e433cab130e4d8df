/// \file  The region of targets that a walk decides for, and the decisions for eight cells at a
/// time.
///
/// Contraction: none, so that all instruction sets agree.
#pragma once

#include "chamomile/core/simd.hpp"
#include "chamomile/tree/simd/walk_kernel.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET::walk {

using P = Pack<double>;
inline constexpr int lanes = WalkNode::width;
static_assert(lanes % P::width == 0);

CHAMOMILE_HD Vec3<P> broadcast(const Vec3<double>& v)
{
    return {P(v.x), P(v.y), P(v.z)};
}

/// A Region is a WalkRegion repeated in every lane.
struct Region {
    Vec3<P> low, high, center;
    P relative_factor, guard_part, least_expansion, expansion_factor, softened_factor, clearance;

    CHAMOMILE_HD Region(const WalkRegion& r, const WalkPeriod&)
        : low(broadcast(r.low)), high(broadcast(r.high)), center(broadcast(r.center)),
          relative_factor(r.relative_factor), guard_part(r.guard_part),
          least_expansion(r.least_expansion), expansion_factor(r.expansion_factor),
          softened_factor(r.softened_factor), clearance(r.clearance)
    {}
};

/// NearestImage maps differences of coordinates to their nearest images.
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

/// A PeriodicRegion is a Region in a periodic cube.
struct PeriodicRegion {
    Vec3<P> center, half; ///< half: of its sides
    P relative_factor, guard_part, cut, half_side, clearance;
    NearestImage nearest;

    CHAMOMILE_HD PeriodicRegion(const WalkRegion& r, const WalkPeriod& period)
        : center(broadcast(r.center)),
          half(broadcast(0.5 * (r.high - r.low) + rounding(period.periodicity))),
          relative_factor(r.relative_factor), guard_part(r.guard_part), cut(period.cut),
          half_side(0.5 * period.periodicity.side), clearance(r.clearance),
          nearest(period.periodicity)
    {}

    /// Returns more than the rounding about the centre by which a particle at a corner can leave
    /// the box.
    static Vec3<double> rounding(const Periodicity& periodicity)
    {
        const double x = 1e-14 * periodicity.side;
        return {x, x, x};
    }

    /// Returns the absolute distance from the centre along each axis.
    CHAMOMILE_HD Vec3<P> distance(const Vec3<P>& x) const
    {
        const Vec3<P> d = nearest({x.x - center.x, x.y - center.y, x.z - center.z});
        return {larger(d.x, P(0.0) - d.x), larger(d.y, P(0.0) - d.y), larger(d.z, P(0.0) - d.z)};
    }
};

CHAMOMILE_HD P squared(const Vec3<P>& d)
{
    return d.x * d.x + d.y * d.y + d.z * d.z;
}

/// Returns by how much x lies outside of low .. high.
CHAMOMILE_HD P beyond(P low, P high, P x)
{
    return larger(larger(P(0.0), low - x), x - high);
}

CHAMOMILE_HD Vec3<P> load_center(const WalkNode& node, int k)
{
    return {P::load(node.x + k), P::load(node.y + k), P::load(node.z + k)};
}

/// Returns the distance within which cells k and on are not accepted.
template <class Region>
CHAMOMILE_HD P load_reach(const WalkNode& node, int k, const Region& region)
{
    const P least = P::load(node.least + k) + region.clearance;
    return larger(P::load(node.relative + k) * region.relative_factor + region.guard_part * least,
                  least);
}

/// Decisions tells for each lane what happens to its cell.
struct Decisions {
    unsigned accepted = 0; ///< bits of the lanes
    unsigned far = 0;      ///< of those whose field is expanded
    unsigned left_out = 0; ///< beyond the cut with all their particles
};

/// Applies the AcceptanceCriterion to each lane.
CHAMOMILE_HD Decisions decide(const WalkNode& node, const Region& region)
{
    Decisions decisions;
    for (int k = 0; k < lanes; k += P::width) {
        const Vec3<P> x = load_center(node, k);
        const P from_box = squared({beyond(region.low.x, region.high.x, x.x),
                                    beyond(region.low.y, region.high.y, x.y),
                                    beyond(region.low.z, region.high.z, x.z)});
        const P reach = load_reach(node, k, region);
        const P from_center =
            squared({x.x - region.center.x, x.y - region.center.y, x.z - region.center.z});
        const P root_of_mass = P::load(node.expansion + k);
        const P expansion =
            larger(larger(root_of_mass * region.expansion_factor, region.least_expansion),
                   root_of_mass * root_of_mass * region.softened_factor);
        decisions.accepted |= less_bits(reach * reach, from_box) << k;
        decisions.far |= less_bits(expansion * expansion, from_center) << k;
    }
    decisions.accepted &= node.lanes;
    decisions.far &= decisions.accepted;
    return decisions;
}

/// Decides for nearest images. A cell is not accepted if any of its particles could be nearest in
/// another image than its centre of mass.
CHAMOMILE_HD Decisions decide(const WalkNode& node, const PeriodicRegion& region)
{
    Decisions decisions;
    for (int k = 0; k < lanes; k += P::width) {
        const Vec3<P> d = region.distance(load_center(node, k));
        const P from_box =
            squared({larger(P(0.0), d.x - region.half.x), larger(P(0.0), d.y - region.half.y),
                     larger(P(0.0), d.z - region.half.z)});
        const P reach = load_reach(node, k, region);
        const P radius = P::load(node.expansion + k), least = region.cut + radius;
        const P farthest =
            larger(larger(d.x + region.half.x, d.y + region.half.y), d.z + region.half.z) + radius;
        decisions.left_out |= less_bits(least * least, from_box) << k;
        decisions.accepted |=
            (less_bits(reach * reach, from_box) & less_bits(farthest, region.half_side)) << k;
    }
    decisions.left_out &= node.lanes;
    decisions.accepted &= node.lanes & ~decisions.left_out;
    return decisions;
}

/// Returns the lanes whose cells could be accepted somewhere in the region.
CHAMOMILE_HD unsigned acceptable(const WalkNode& node, const Region& region)
{
    unsigned bits = 0;
    for (int k = 0; k < lanes; k += P::width) {
        const Vec3<P> x = load_center(node, k);
        const P farthest = squared({larger(x.x - region.low.x, region.high.x - x.x),
                                    larger(x.y - region.low.y, region.high.y - x.y),
                                    larger(x.z - region.low.z, region.high.z - x.z)});
        const P reach = load_reach(node, k, region);
        bits |= less_bits(reach * reach, farthest) << k;
    }
    return bits;
}

CHAMOMILE_HD unsigned acceptable(const WalkNode& node, const PeriodicRegion& region)
{
    unsigned bits = 0;
    for (int k = 0; k < lanes; k += P::width) {
        const Vec3<P> d = region.distance(load_center(node, k));
        const P farthest = squared({d.x + region.half.x, d.y + region.half.y, d.z + region.half.z});
        const P reach = load_reach(node, k, region);
        bits |= less_bits(reach * reach, farthest) << k;
    }
    return bits;
}

/// Returns the lanes whose opening radius is less than `least`.
template <class Region>
CHAMOMILE_HD unsigned small(const WalkNode& node, const Region& region, P least)
{
    unsigned bits = 0;
    for (int k = 0; k < lanes; k += P::width)
        bits |= less_bits(load_reach(node, k, region), least) << k;
    return bits;
}

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET::walk
