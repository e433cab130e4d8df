/// \file  The decisions of a walk for eight cells at a time.
///
/// Contraction: none (no fused multiply-adds), so that all instruction sets agree.
#pragma once

#include "chamomile/core/simd.hpp"
#include "chamomile/tree/simd/walk_kernel.hpp"
#include "chamomile/tree/walk_decisions.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET::walk {

using P = Pack<double>;
using Region = chamomile::walk::Region<P>;
using PeriodicRegion = chamomile::walk::PeriodicRegion<P>;
using NearestImage = chamomile::walk::NearestImage<P>;
using chamomile::walk::Decisions;
using chamomile::walk::squared;
inline constexpr int lanes = WalkNode::width;
static_assert(lanes % P::width == 0);

/// Returns cells k .. k + P::width of a node.
CHAMOMILE_HD chamomile::walk::CellsSeen<P> load(const WalkNode& node, int k)
{
    return {{P::load(node.x + k), P::load(node.y + k), P::load(node.z + k)},
            P::load(node.min + k),
            P::load(node.relative + k),
            P::load(node.expansion + k)};
}

template <class Region>
CHAMOMILE_HD Decisions decide(const WalkNode& node, const Region& region)
{
    Decisions decisions;
    for (int k = 0; k < lanes; k += P::width) {
        const Decisions d = chamomile::walk::decide(load(node, k), region);
        decisions.accepted |= d.accepted << k;
        decisions.far |= d.far << k;
        decisions.left_out |= d.left_out << k;
    }
    decisions.left_out &= node.lanes;
    decisions.accepted &= node.lanes & ~decisions.left_out;
    decisions.far &= decisions.accepted;
    return decisions;
}

/// Returns the lanes whose cells would be accepted for a single target somewhere in the region.
template <class Region>
CHAMOMILE_HD unsigned acceptable(const WalkNode& node, const Region& region)
{
    unsigned bits = 0;
    for (int k = 0; k < lanes; k += P::width)
        bits |= chamomile::walk::acceptable(load(node, k), region) << k;
    return bits;
}

/// Returns the lanes with an opening radius below `min`.
template <class Region>
CHAMOMILE_HD unsigned small(const WalkNode& node, const Region& region, P min)
{
    unsigned bits = 0;
    for (int k = 0; k < lanes; k += P::width)
        bits |= less_bits(chamomile::walk::reach_of(load(node, k), region), min) << k;
    return bits;
}

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET::walk
