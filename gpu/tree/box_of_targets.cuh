/// \file  The bounding box of a group's targets, by one warp.
#pragma once

#include "chamomile/tree/octree.hpp"

namespace chamomile {

/// Returns, in every lane, the box of targets `begin` to `end`. `targets`: their sorted places;
/// null: all particles are targets.
__device__ inline Box box_of_targets(const Source* sources, const Index* targets, Index begin,
                                     Index end)
{
    constexpr unsigned lanes = 32;
    Box box;
    for (Index t = begin + threadIdx.x % lanes; t < end; t += lanes)
        box.add(sources[targets ? targets[t] : t].position);
    const auto over_warp = [](double& low, double& high) {
        for (int step = lanes / 2; step > 0; step /= 2) {
            low = fmin(low, __shfl_xor_sync(0xffffffffu, low, step));
            high = fmax(high, __shfl_xor_sync(0xffffffffu, high, step));
        }
    };
    over_warp(box.low.x, box.high.x);
    over_warp(box.low.y, box.high.y);
    over_warp(box.low.z, box.high.z);
    return box;
}

} // namespace chamomile
