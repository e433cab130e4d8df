#include "gpu/device.cuh"
#include "gpu/rank_keys.cuh"

namespace chamomile {
namespace {

__device__ double as_double(Key key)
{
    return __longlong_as_double(static_cast<long long>(key));
}

constexpr int ranking_warps = 32, ranked_per_lane = 2;
constexpr Index ranked_per_block = 32 * ranked_per_lane;

/// Keys without their last bit are compared as the doubles that these bits mean: positive ones
/// stand in the same order, and one comparison of doubles takes half the time of two of integers.
/// Three issue slots per pair.
__global__ void __launch_bounds__(32 * ranking_warps) rank(const Key* keys, Index n, Index* order)
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

} // namespace

void rank_keys(const Key* keys, Index n, Index* order, cudaStream_t stream)
{
    rank<<<(n + ranked_per_block - 1) / ranked_per_block, 32 * ranking_warps, 0, stream>>>(keys, n,
                                                                                           order);
    check(cudaGetLastError(), "launch the ranking of keys");
}

} // namespace chamomile
