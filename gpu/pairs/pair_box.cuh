/// \file  Boxes of tiles and targets on the device.
///
/// Read by nvcc and by NVRTC: no header of the standard library.
#pragma once

#include "chamomile/gpu/pairs/pair_job.hpp"

namespace chamomile {

/// The box of one place in each lane.
__device__ inline PairBox box_of_warp(const Vec3<double>& x)
{
    const auto least = [](double a) {
        for (int d = 16; d > 0; d /= 2) {
            const double other = __shfl_xor_sync(0xffffffffu, a, d);
            a = other < a ? other : a;
        }
        return a;
    };
    return {{least(x.x), least(x.y), least(x.z)}, {-least(-x.x), -least(-x.y), -least(-x.z)}};
}

__device__ inline PairBox joined(const PairBox& a, const PairBox& b)
{
    const auto least = [](double x, double y) { return y < x ? y : x; };
    return {
        {least(a.low.x, b.low.x), least(a.low.y, b.low.y), least(a.low.z, b.low.z)},
        {-least(-a.high.x, -b.high.x), -least(-a.high.y, -b.high.y), -least(-a.high.z, -b.high.z)}};
}

__device__ inline double longest_side(const PairBox& a)
{
    const double x = a.high.x - a.low.x, y = a.high.y - a.low.y, z = a.high.z - a.low.z;
    return x > y ? (x > z ? x : z) : (y > z ? y : z);
}

__device__ inline bool overlap(const PairBox& a, const PairBox& b)
{
    return a.low.x <= b.high.x && a.high.x >= b.low.x && a.low.y <= b.high.y &&
           a.high.y >= b.low.y && a.low.z <= b.high.z && a.high.z >= b.low.z;
}

} // namespace chamomile
