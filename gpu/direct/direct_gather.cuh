/// \file  Sources gathered along a Hilbert curve. Neighbors on the curve are neighbors in space,
/// without the jumps of a Morton order: any run of targets has a small box.
#pragma once

#include "chamomile/gpu/direct/direct_job.cuh"

namespace chamomile {

inline constexpr Index gathered_per_block = 256;

/// Gathers the sorted sources, the boxes of tiles about the origin (one warp a tile), and a clump
/// for each block.
__global__ void gather_sources(const Source* particles, Vec3<double> origin, const Index* order,
                               Index n, SortedSource* sources, TileBox<float>* boxes,
                               PseudoParticle* clumps)
{
    constexpr int warps = gathered_per_block / 32;
    __shared__ double part[warps][5];
    const Index i = blockIdx.x * gathered_per_block + threadIdx.x;
    const Source source = particles[order[min(i, n - 1)]];
    if (i < n)
        sources[i] = {source.position, float(source.mass), float(1 / sqrt(source.mass))};
    const TileBox<float> box = box_of_warp<float>(source.position - origin);
    const PseudoParticle tile = clump_of_warp(source.position, i < n ? source.mass : 0);
    if (threadIdx.x % 32 == 0) {
        if (i < n)
            boxes[i / 32] = box;
        double* const to = part[threadIdx.x / 32];
        to[0] = tile.center.x, to[1] = tile.center.y, to[2] = tile.center.z;
        to[3] = tile.mass, to[4] = tile.spread;
    }
    __syncthreads();
    if (threadIdx.x >= 32)
        return;
    const double* const from = part[threadIdx.x % warps];
    const double mass = threadIdx.x < warps ? from[3] : 0;
    PseudoParticle block = clump_of_warp({from[0], from[1], from[2]}, mass);
    const double within = sum_of_warp(mass * from[4]);
    if (threadIdx.x == 0) {
        if (block.mass > 0)
            block.spread += within / block.mass;
        clumps[blockIdx.x] = block;
    }
}

/// Writes eps^2 into sorted sources.
__global__ void put_softenings(const double* softening, const Index* order, Index n,
                               SortedSource* sources)
{
    const Index i = blockIdx.x * gathered_per_block + threadIdx.x;
    if (i < n)
        sources[i].scale_or_eps2 = float(softening[order[i]]);
}

/// Makes keys that sort each `run` of neighbors along the curve by softening length.
__global__ void make_length_keys(const double* softening, const Index* order, Index n, Index run,
                                 std::uint64_t* keys)
{
    const Index i = blockIdx.x * gathered_per_block + threadIdx.x;
    if (i < n)
        keys[i] = std::uint64_t(i / run) << 32 | __float_as_uint(float(softening[order[i]]));
}

} // namespace chamomile
