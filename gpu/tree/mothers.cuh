/// \file  The mothers of cells, for kernels that climb from the leaves.
#pragma once

#include "chamomile/gpu/device/device.cuh"
#include "chamomile/tree/octree.hpp"

namespace chamomile {
namespace {

/// Finds the mother of each cell, and sets `missing` to its number of daughters.
__global__ void find_mothers(const Cell* cells, Index n, Index* mother, Index* missing)
{
    const Index c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= n)
        return;
    Index daughters = 0;
    for (Index d = c + 1; d < cells[c].next; d = cells[d].next, ++daughters)
        mother[d] = c;
    missing[c] = daughters;
}

/// Calls sum(c) for the cells above a leaf. The last thread to arrive from the daughters of a cell
/// sums it and climbs on.
template <class Sum>
__device__ void climb(Index leaf, const Index* mother, Index* missing, const Sum& sum)
{
    for (Index c = leaf; c > 0;) {
        c = mother[c];
        __threadfence(); // this daughter before the count, the sisters after it
        if (atomicSub(&missing[c], 1) != 1)
            return;
        __threadfence();
        sum(c);
    }
}

} // namespace
} // namespace chamomile
