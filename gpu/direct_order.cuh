/// \file  Sources along a Hilbert curve: neighbours on it are neighbours in space, without the
/// leaps of a Morton order, so that any run of targets has a small box.
#pragma once

#include "gpu/direct_job.cuh"
#include "tree/hilbert_key.hpp"

namespace chamomile {

/// Keys of the particles `numbers` (null: of all) and those numbers themselves.
__global__ void compute_hilbert_keys(const Source* particles, const Index* numbers, Index n,
                                     Key* keys, Index* order)
{
    const Index i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const Index number = numbers ? numbers[i] : i;
    keys[i] = hilbert_key(particles[number].position);
    order[i] = number;
}

__device__ inline double as_double(Key key)
{
    return __longlong_as_double(static_cast<long long>(key));
}

inline constexpr int ranking_warps = 32, ranked_per_lane = 2;
inline constexpr Index ranked_per_block = 32 * ranked_per_lane;

/// Sorts a few thousand keys by counting for each how many stand before it: all pairs of keys, but
/// one launch. Equal keys keep the order of their numbers. Keys without their last bit are compared
/// as the doubles that these bits mean: positive ones stand in the same order, and one comparison
/// of doubles takes half the time of two of integers. Three issue slots per pair.
__global__ void __launch_bounds__(32 * ranking_warps)
    rank_keys(const Key* keys, Index n, Index* order)
{
    __shared__ double tile[ranking_warps][32];
    __shared__ Index before[ranking_warps][ranked_per_block];
    const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
    const Index block = blockIdx.x * ranked_per_block, tiles = (n + 31) / 32;
    Key key[ranked_per_lane];
    Index count[ranked_per_lane] = {};
    for (int k = 0; k < ranked_per_lane; ++k)
        key[k] = keys[min(block + Index(32 * k + lane), n - 1)] >> 1;
    const Index end = tiles * (warp + 1) / ranking_warps;
    for (Index t = tiles * warp / ranking_warps; t < end; ++t) {
        __syncwarp();
        const Index place = 32 * t + Index(lane);
        tile[warp][lane] = place < n ? as_double(keys[place] >> 1) : 4; // above all keys
        __syncwarp();
        double first_after[ranked_per_lane]; // equal keys of lower numbers stand before
        for (int k = 0; k < ranked_per_lane; ++k)
            first_after[k] = as_double(key[k] + (32 * t < block + Index(32 * k)));
        if (32 * t < block || 32 * t >= block + ranked_per_block) {
#pragma unroll 8
            for (int j = 0; j < 32; ++j)
                for (int k = 0; k < ranked_per_lane; ++k)
                    count[k] += tile[warp][j] < first_after[k];
        } else {
            for (int j = 0; j < 32; ++j)
                for (int k = 0; k < ranked_per_lane; ++k)
                    count[k] +=
                        tile[warp][j] < as_double(key[k] + (32 * t < block + Index(32 * k)) +
                                                  (32 * t == block + Index(32 * k) && j < lane));
        }
    }
    for (int k = 0; k < ranked_per_lane; ++k)
        before[warp][32 * k + lane] = count[k];
    __syncthreads();
    const Index number = block + threadIdx.x;
    if (threadIdx.x >= ranked_per_block || number >= n)
        return;
    Index rank = 0;
    for (int w = 0; w < ranking_warps; ++w)
        rank += before[w][threadIdx.x];
    order[rank] = number;
}

/// Sorted sources and the boxes of their tiles; one warp to a tile.
__global__ void gather_sources(const Source* particles, const Index* order, Index n,
                               SortedSource* sources, TileBox* boxes)
{
    const Index i = blockIdx.x * blockDim.x + threadIdx.x;
    const Source source = particles[order[min(i, n - 1)]];
    if (i < n)
        sources[i] = {source.position, float(source.mass), float(1 / sqrt(source.mass))};
    const TileBox box = box_of_warp(source.position);
    if (threadIdx.x % 32 == 0 && i < n)
        boxes[i / 32] = box;
}

} // namespace chamomile
