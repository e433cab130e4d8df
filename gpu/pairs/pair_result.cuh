/// \file  From the sums of a block's warps to the caller's rows.
///
/// Read by nvcc and by NVRTC: no header of the standard library.
#pragma once

#include "chamomile/gpu/pairs/pair_job.hpp"

namespace chamomile {

/// Adds the warps' sums, `sum(warp, value, target of the block)`, in their order. Where the sources
/// are cut into parts (gridDim.y), the last block to arrive adds these in their order.
template <int values, int targets, int warps, class Sum>
__device__ void store_sums(const PairJob& job, const Sum& sum)
{
    constexpr int threads = 32 * warps, count = values * targets;
    const auto of_warps = [&](int v) {
        double all = 0;
        for (int w = 0; w < warps; ++w)
            all += sum(w, v % values, v / values);
        return all;
    };
    const auto finish = [&](int v, double total) {
        const unsigned slot = blockIdx.x * unsigned(targets) + unsigned(v / values);
        if (slot >= job.target_count)
            return;
        const unsigned number = job.target_order ? job.target_order[slot] : slot;
        job.sums[(unsigned long long)number * values + unsigned(v % values)] =
            job.sum_scale[v % values] * total;
    };
    __syncthreads();
    if (gridDim.y == 1) {
        for (int v = int(threadIdx.x); v < count; v += threads)
            finish(v, of_warps(v));
        return;
    }
    const unsigned long long stride = (unsigned long long)gridDim.x * count;
    double* partial = job.partial + (unsigned long long)blockIdx.x * count;
    for (int v = int(threadIdx.x); v < count; v += threads)
        partial[blockIdx.y * stride + v] = of_warps(v);
    __threadfence();
    __syncthreads();
    __shared__ bool last;
    if (threadIdx.x == 0) {
        last = atomicAdd(&job.arrived[blockIdx.x], 1u) == gridDim.y - 1;
        if (last)
            job.arrived[blockIdx.x] = 0;
    }
    __syncthreads();
    if (!last)
        return;
    __threadfence();
    for (int v = int(threadIdx.x); v < count; v += threads) {
        double total = 0;
        for (unsigned p = 0; p < gridDim.y; ++p)
            total += __ldcg(partial + p * stride + v);
        finish(v, total);
    }
}

} // namespace chamomile
