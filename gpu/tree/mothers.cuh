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

} // namespace
} // namespace chamomile
