/// \file  The Chamomile kernel for any law: all pairs of a block of targets and its tiles.
///
/// Blocks are those of gpu/tiles/tile_block.cuh; a warp fetches the next tile while it sums.
///
/// In single precision coordinates are relative to the center of the block's targets, and tiles
/// with boxes near the targets' boxes have coordinates in two floats. Only there self pairs are
/// looked for: a target shares the place of its source. Excluded pairs are found by tile, and a
/// mask of 32 bits per target marks them.
///
/// With small systems (block-diagonal sums) a block has targets and sources of one system only, and
/// one warp, for which the targets are prepared once. Targets are read from the sources' rows. All
/// tiles are near.
///
/// Read by nvcc and by NVRTC: no header of the standard library.
#pragma once

#include "chamomile/core/lane_math.hpp"
#include "chamomile/gpu/pairs/pair_excluded.cuh"
#include "chamomile/gpu/tiles/tile_block.cuh"
#include "chamomile/gpu/tiles/tile_boxes.cuh"

namespace chamomile {

/// The tiles of a block's list, or all tiles, and the block's targets.
template <class Law, class T, bool positions, class Shape_>
class PairSources : public TileSources {
    static constexpr int per_lane = Shape_::per_lane;
    static constexpr bool two_floats = positions && sizeof(T) == 4;
    using Target = typename Law::template Target<T>;

public:
    using Shape = Shape_;
    using Cut = LoopCut<per_lane, per_lane == 1 ? 1 : 2, two_floats, 0, 2>;
    using Tile = PairTileEntry;
    using Record = typename Law::template Source<T>;
    using Boxes = TargetBoxes<double, per_lane, Cut::together>;
    static constexpr NearBy near_by = NearBy::box;
    static constexpr int in_row = 4;
    static constexpr bool fetches_ahead = true, any_warps = true;
    static constexpr int target_size = int(sizeof(Target) / sizeof(T)),
                         source_size = int(sizeof(Record) / sizeof(T));
    static constexpr int sum_size = int(sizeof(typename Law::template Sum<T>) / sizeof(T));
    static_assert(target_size <= max_law_values && source_size <= max_law_values &&
                  sum_size <= max_law_values);

    struct Shared {
        Boxes boxes;
        unsigned mask[per_lane][warp_size];
    };
    struct Fetched {
        double value[source_size];
        unsigned number;
    };

    __device__ PairSources(const PairJob& job, const Law&, Shared& shared)
        : job_(job), lane_(int(threadIdx.x) % warp_size), shared_(shared),
          excluded_(job, blockIdx.x),
          system_(job.systems ? job.systems[blockIdx.x] : PairSystem{0, job.source_count, 0})
    {
        if constexpr (two_floats) // about the center of the targets' box
            center_ = shared_.boxes.find([&](int k) {
                return Vec3<double>{target_value(k, 0), target_value(k, 1), target_value(k, 2)};
            });
    }

    __device__ unsigned first_tile(int warp) const
    {
        const unsigned begin = job_.tiles ? job_.tiles_begin[blockIdx.x] : 0;
        const unsigned end =
            job_.tiles ? job_.tiles_begin[blockIdx.x + 1] : (bodies() + warp_size - 1) / warp_size;
        const unsigned warps = blockDim.x / warp_size, share = blockIdx.y * warps + unsigned(warp),
                       shares = gridDim.y * warps;
        return begin + unsigned((unsigned long long)(end - begin) * share / shares);
    }

    /// Returns this lane's k-th target.
    __device__ Target target(int k) const
    {
        Target target;
#pragma unroll
        for (int f = 0; f < target_size; ++f)
            values(target)[f] = T(from_center(f, target_value(k, f)) * job_.target_scale[f]);
        return target;
    }
    __device__ Vec3<T> target_residue(int k) const
    {
        const auto x = [&](int f) {
            return from_center(f, target_value(k, f)) * job_.target_scale[f];
        };
        return residue_of<T>({x(0), x(1), x(2)});
    }
    __device__ unsigned self(int k) const
    {
        return job_.systems ? target_number(k)
               : job_.self  ? job_.self[target_number(k)]
                            : no_number;
    }

    /// Writes a target's sums to the caller's row.
    template <class Sum>
    __device__ void store(unsigned slot, const Sum& sum) const
    {
        unsigned number = job_.target_order ? job_.target_order[slot] : slot;
        if (job_.systems) {
            number = slot - blockIdx.x * Shape::targets + system_.target;
            if (number >= system_.end)
                return;
        }
#pragma unroll
        for (int f = 0; f < sum_size; ++f)
            job_.sums[(unsigned long long)number * sum_size + unsigned(f)] =
                job_.sum_scale[f] * sum(f);
    }

    __device__ PairTileEntry tile_at(unsigned number) const
    {
        return job_.tiles ? job_.tiles[number] : PairTileEntry{number, 0};
    }

    __device__ Fetched fetch(const PairTileEntry& tile) const
    {
        const unsigned place = system_.begin + tile.tile * warp_size + unsigned(lane_);
        const unsigned real = place < system_.end ? place : system_.end - 1;
        Fetched source;
        source.number = job_.source_order ? job_.source_order[real] : real;
        const double* from = job_.sources + (unsigned long long)source.number * source_size;
#pragma unroll
        for (int f = 0; f < source_size; ++f)
            source.value[f] = from[f];
        return source;
    }

    __device__ int count(const PairTileEntry& tile) const
    {
        const unsigned left = bodies() - tile.tile * warp_size;
        return left < unsigned(warp_size) ? int(left) : warp_size;
    }

    __device__ unsigned nearness(unsigned number, unsigned end) const
    {
        constexpr unsigned all = (1u << per_lane / Cut::together) - 1;
        if (number >= end)
            return 0;
        if constexpr (!two_floats) {
            return job_.self || job_.systems ? all : 0;
        } else {
            if (!job_.boxes)
                return all;
            const PairTileEntry tile = tile_at(number);
            const TileBox<double>& box = job_.boxes[tile.tile];
            const Vec3<double>& image = job_.images[tile.image];
            return shared_.boxes.template nearness<Cut::together>(
                {box.low + image, box.high + image});
        }
    }

    __device__ bool find_excluded(const PairTileEntry& tile)
    {
        return excluded_.find(tile.tile * warp_size, shared_.mask, lane_);
    }
    __device__ unsigned excluded(int k) const
    {
        return shared_.mask[k][lane_];
    }

    __device__ void pack(const PairTileEntry& tile, const Fetched& source, Record& packed) const
    {
#pragma unroll
        for (int f = 0; f < source_size; ++f)
            values(packed)[f] = T(coordinate(tile, source, f));
    }
    template <class Part>
    __device__ void pack(const PairTileEntry& tile, const Fetched& source, Record& packed,
                         Part& part) const
    {
        pack(tile, source, packed);
        part.number = source.number;
        if constexpr (two_floats)
            part.residue = residue_of<T>({coordinate(tile, source, 0), coordinate(tile, source, 1),
                                          coordinate(tile, source, 2)});
    }

private:
    template <class Record_>
    static __device__ T* values(Record_& record)
    {
        return reinterpret_cast<T*>(&record);
    }

    __device__ double from_center(int f, double x) const
    {
        return two_floats && f < 3 ? x - (&center_.x)[f] : x;
    }
    /// Returns a value of a source in the law's units, relative to the center.
    __device__ double coordinate(const PairTileEntry& tile, const Fetched& source, int f) const
    {
        double x = source.value[f];
        if (positions && f < 3) {
            const double shift = (&job_.images[tile.image].x)[f];
            x += two_floats ? shift - (&center_.x)[f] : shift;
        }
        return x * job_.source_scale[f];
    }

    __device__ unsigned bodies() const
    {
        return system_.end - system_.begin;
    }

    __device__ unsigned target_number(int k) const
    {
        if (job_.systems) {
            const unsigned place = system_.target + unsigned(k * warp_size + lane_);
            return place < system_.end ? place : system_.end - 1;
        }
        const unsigned slot = Shape::target_slot(k, job_.target_count);
        return job_.target_order ? job_.target_order[slot] : slot;
    }
    __device__ double target_value(int k, int f) const
    {
        const unsigned long long number = target_number(k);
        return job_.systems ? job_.sources[number * source_size + f + (f >= job_.left_out)]
                            : job_.targets[number * target_size + f];
    }

    const PairJob& job_;
    const int lane_;
    Shared& shared_;
    PairExclusions excluded_;
    const PairSystem system_; ///< of this block
    Vec3<double> center_{};
};

template <class Law, class T, bool positions, class Shape>
using PairBlock = TileBlock<Law, T, PairSources<Law, T, positions, Shape>>;

/// The grid is blocks of targets x parts of the sources.
template <class Law, class T, bool positions, class Shape>
__global__ void __launch_bounds__(32 * Shape::warps, Shape::blocks)
    pair_sum(const __grid_constant__ PairJob job, const __grid_constant__ Law law)
{
    extern __shared__ __align__(16) unsigned char pair_memory[];
    PairBlock<Law, T, positions, Shape>(job, law, pair_memory).run(job.parts, job.target_count);
}

/// A PairCut selects the tiling. `few`: one target a lane, and many warps share the sources.
/// `many`: as many targets a lane as registers hold. `cutoff`: small blocks, for short lists of
/// tiles.
enum class PairCut { few, many, cutoff };

template <class T, int values, PairCut cut>
struct PairShapeOf {
    static constexpr int floats = values * int(sizeof(T)) / 4;
    static constexpr int max = floats <= 8 ? 8 : floats <= 16 ? 4 : floats <= 32 ? 2 : 1;
    static constexpr int per_lane = cut == PairCut::few      ? 1
                                    : cut == PairCut::cutoff ? (max < 2 ? max : 2)
                                                             : max;
    using type = TileShape<per_lane, cut == PairCut::few ? 8 : 4, cut == PairCut::few ? 2 : 3>;
};

} // namespace chamomile
