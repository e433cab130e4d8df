/// \file  A block of targets against its part of the sources.
///
/// A block holds 32 x per_lane targets, repeated in each of its warps. A warp passes its share of
/// the tiles through the loop of tile_loop.cuh, and no warp waits for another before the end. With
/// few targets the tiles are also cut into parts (gridDim.y), and the last block to arrive adds the
/// parts. Sums of warps and of parts are added in order: results are bitwise reproducible.
///
/// Read by nvcc and by NVRTC: no header of the standard library.
#pragma once

#include "chamomile/gpu/tiles/tile_loop.cuh"

namespace chamomile {

/// A TileShape is the tiling of a kernel with a grid of blocks of targets x parts of the sources.
template <int per_lane_, int warps_, int blocks_>
struct TileShape {
    static constexpr int per_lane = per_lane_;                          ///< targets of a lane
    static constexpr int warps = warps_;                                ///< of a block
    static constexpr int blocks = blocks_;                              ///< min on a multiprocessor
    static constexpr unsigned targets = unsigned(warp_size * per_lane); ///< of a block

    /// Returns the index of a lane's k-th target. Lanes without a target repeat the last.
    static __device__ unsigned target_slot(int k, unsigned target_count)
    {
        const unsigned lane = threadIdx.x % warp_size;
        const unsigned slot = blockIdx.x * targets + unsigned(k * warp_size) + lane;
        return slot < target_count ? slot : target_count - 1;
    }
};

/// Sums over parts of the sources, kept until all parts have arrived.
struct PartSums {
    double* sums;      ///< [part][block of targets][field][target]
    unsigned* arrived; ///< per block of targets; zero before and after
};

/// A TileBlock is a block of targets with its warps' loops. `Sources` are the sources of a
/// TileLoop, constructed from a job, a law and a Sources::Shared. They have also
///
///     Shape, Cut       a TileShape and a LoopCut
///     target(k)        this lane's k-th target
///     first_tile(w)    first tile of warp w of this block, and the end for warp w - 1
///     store(slot, sum) stores the sums of a target, sum(field)
template <class Law, class T, class Sources>
class TileBlock {
    using Shape = typename Sources::Shape;
    using Loop = TileLoop<Law, T, typename Sources::Cut>;
    static constexpr int per_lane = Shape::per_lane, fields = Loop::fields,
                         targets = int(Shape::targets);

    struct Shared {
        typename Loop::template Shared<typename Sources::Record> loop;
        typename Sources::Shared sources;
    };

public:
    static constexpr unsigned shared_bytes = unsigned(Shape::warps * sizeof(Shared));
    static constexpr unsigned values = unsigned(fields * targets); ///< of a block's sums

    template <class Job>
    __device__ TileBlock(const Job& job, const Law& law, unsigned char* memory)
        : warp_(int(threadIdx.x) / warp_size), all_(reinterpret_cast<Shared*>(memory)),
          sources_(job, law, all_[warp_].sources), loop_(law, all_[warp_].loop)
    {
#pragma unroll
        for (int k = 0; k < per_lane; ++k) {
            loop_.set_target(k, sources_.target(k));
            for (int f = 0; f < fields; ++f)
                loop_.set_sum(f, k, 0);
        }
    }

    /// Sums over this block's part of the sources. `target_count` counts the targets of all blocks.
    __device__ void run(const PartSums& parts, unsigned target_count)
    {
        loop_.sum_over(sources_, sources_.first_tile(warp_), sources_.first_tile(warp_ + 1));
        __syncthreads();
#pragma unroll 1
        for (int v = int(threadIdx.x); v < int(values); v += warp_size * warps()) {
            double all = 0;
#pragma unroll
            for (int w = 0; w < warps(); ++w)
                all += sum(w, v);
            sum(0, v) = all;
        }
        if (gridDim.y > 1 && !add_parts(parts))
            return;
        __syncthreads();
        for (int t = int(threadIdx.x); t < targets; t += warp_size * warps()) {
            const unsigned slot = blockIdx.x * Shape::targets + unsigned(t);
            if (slot < target_count)
                sources_.store(slot, [&](int f) { return sum(0, f * targets + t); });
        }
    }

private:
    static __device__ int warps()
    {
        return Sources::any_warps ? int(blockDim.x) / warp_size : Shape::warps;
    }
    /// Returns a sum of a warp, [field][target].
    __device__ double& sum(int warp, int v) const
    {
        return (&all_[warp].loop.sums[0][0][0])[v];
    }

    /// Writes this block's sums. Returns true in the last block of its targets to arrive, after
    /// adding the sums of all parts.
    __device__ bool add_parts(const PartSums& parts) const
    {
        const unsigned long long stride = (unsigned long long)gridDim.x * values;
        double* block = parts.sums + (unsigned long long)blockIdx.x * values;
        for (int v = int(threadIdx.x); v < int(values); v += warp_size * warps())
            block[blockIdx.y * stride + v] = sum(0, v);
        __threadfence();
        __syncthreads();
        __shared__ bool last;
        if (threadIdx.x == 0) {
            last = atomicAdd(&parts.arrived[blockIdx.x], 1u) == gridDim.y - 1;
            if (last)
                parts.arrived[blockIdx.x] = 0;
        }
        __syncthreads();
        if (!last)
            return false;
        __threadfence();
        for (int v = int(threadIdx.x); v < int(values); v += warp_size * warps()) {
            double all = 0;
#pragma unroll 4
            for (unsigned p = 0; p < gridDim.y; ++p)
                all += __ldcg(block + p * stride + v);
            sum(0, v) = all;
        }
        return true;
    }

    const int warp_;
    Shared* const all_;
    Sources sources_;
    Loop loop_;
};

} // namespace chamomile
