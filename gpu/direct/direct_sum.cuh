/// \file  All pairs of targets and sources: the Chamomile scheme without lists.
///
/// A block serves 32 x per_lane targets, per_lane in each lane; each of its warps sums over a part
/// of its own of the sources, tile by tile of 32, as in chamomile.cuh, and fetches the next tile
/// while it sums. Sums of the warps are added in shared memory, those of blocks with the same
/// targets by the last of them to arrive; always in the order of the parts, so that the bits depend
/// on neither time nor place.
///
/// Coordinates in float are taken about the origin; in double differences are those of the
/// coordinates as given. Centred: targets follow a space-filling curve, coordinates are taken about
/// the centre of the block's targets. A tile whose box is within a mean distance of the box of 32
/// targets is near to these: they meet it with coordinates in two floats and without self pairs.
/// Tiles that are near to none, nearly all, pass the fast loop. Otherwise all tiles are near.
/// Either way the sources are summed along the curve, so that no bit depends on the caller's order.
/// Near pairs, which pull from all sides, are added in runs of 8, and each near tile in double.
///
/// The parts of the sources grow smaller in the order in which blocks start: the last are short.
///
/// Issue slots of a pair, Plummer softening: fast loop 12 (13 with the mass apart), with 8 targets
/// a lane 2 loads per 96 slots; near 19, 22 where a self pair can be. What limits the fast loop is
/// not the slots but the operands read from registers, some two per slot: 80 % of the slots issue.
/// Packing a source for the fast loop: 14 slots per 32 x 8 pairs. Sums in double: 4 slots per
/// target and field every 128 sources. Shared memory per warp, 8 targets a lane: tile 1 KiB, sums 6
/// KiB (8 KiB with potentials).
#pragma once

#include "chamomile/force/evaluator.hpp"
#include "chamomile/force/gravity.hpp"
#include "chamomile/gpu/direct/direct_job.cuh"

namespace chamomile {

template <class Law, class T, class Shape>
class DirectKernel {
    static constexpr int lanes = 32, per_lane = Shape::per_lane, tiles_in_float = 4;
    static constexpr int near_per_lane = Shape::centred ? 2 : per_lane; // at a time
    static constexpr unsigned all_near = (1u << per_lane / near_per_lane) - 1;
    static constexpr bool two_floats = sizeof(T) == 4;
    static constexpr int near_run = two_floats ? 8 : lanes; // near pairs summed by themselves
    using Target = typename Law::template Target<T>;
    using Particle = typename Law::template Source<T>;
    using Far = std::conditional_t<Shape::scaled, typename Law::template ScaledSource<T>, Particle>;
    using Sum = typename Law::template Sum<T>;
    static constexpr int fields = int(sizeof(Sum) / sizeof(T));
    using Packed = std::conditional_t<Shape::centred, SortedSource, Source>;

    struct Near {
        Particle particle;
        Vec3<T> residue;
        Index number;
    };

    struct Shared {
        union {
            Near near[lanes];
            Far far[lanes];
        };
        double sums[fields][per_lane][lanes];
        TileBox reach[Shape::centred ? per_lane : 1]; // of the targets, with what is near to them
    };

public:
    static constexpr std::size_t shared_bytes = Shape::warps * sizeof(Shared);

    __device__ DirectKernel(const DirectSum& job, unsigned char* memory)
        : job_(job), law_(Law::with_length(job.softening_length)), lane_(int(threadIdx.x) % lanes),
          warp_(int(threadIdx.x) / lanes), all_(reinterpret_cast<Shared*>(memory)),
          shared_(all_[warp_]), center_(job.origin)
    {
        if constexpr (Shape::centred)
            find_center();
#pragma unroll
        for (int k = 0; k < per_lane; ++k) {
            target_[k] = {rounded(from_center(target_place(k)))};
            for (int f = 0; f < fields; ++f)
                shared_.sums[f][k][lane_] = 0;
        }
    }

    __device__ void run()
    {
        const Index begin = first_tile_of_warp<Shape>(job_.source_count, warp_),
                    end = first_tile_of_warp<Shape>(job_.source_count, warp_ + 1);
        Packed next = fetch(begin);
        unsigned near = all_near; // of the tile in this lane's turn
        for (Index tile = begin; tile < end; ++tile) {
            const Packed source = next;
            if (tile + 1 < end)
                next = fetch(tile + 1);
            const int place = int(tile - begin) % lanes;
            if (Shape::centred && place == 0)
                near = nearness(tile + Index(lane_), end);
            __syncwarp();
            if (two_floats && !Shape::centred && blockIdx.x == 0)
                store_clump(tile, source);
            const unsigned mask = __shfl_sync(0xffffffffu, near, place);
            if (mask)
                add_near_tile(tile, source, mask);
            else
                add_far_tile(source);
            if ((two_floats && mask) || (tile - begin + 1) % tiles_in_float == 0)
                add_in_double();
        }
        add_in_double();
        store();
    }

private:
    __device__ Index target_slot(int k) const
    {
        const Index t = blockIdx.x * Shape::targets + Index(k * lanes + lane_);
        return t < job_.target_count ? t
                                     : job_.target_count - 1; // lanes without one repeat the last
    }
    __device__ Index target_number(int k) const
    {
        return job_.targets[target_slot(k)];
    }
    __device__ Vec3<double> target_place(int k) const
    {
        return job_.particles[target_number(k)].position;
    }

    /// Coordinates are taken about the centre of the targets' box.
    __device__ void find_center()
    {
        TileBox all;
#pragma unroll 1
        for (int k = 0; k < per_lane; ++k) {
            const TileBox box = box_of_warp(target_place(k) - job_.origin);
            all.low = k ? lower(all.low, box.low) : box.low;
            all.high = k ? -1.0f * lower(-1.0f * all.high, -1.0f * box.high) : box.high;
            if (lane_ == 0)
                shared_.reach[k] = box;
        }
        center_ +=
            0.5 * Vec3<double>{double(all.low.x) + all.high.x, double(all.low.y) + all.high.y,
                               double(all.low.z) + all.high.z};
        __syncwarp();
        if (lane_ < per_lane) {
            // A mean distance of these targets, but not less than what rounding blurs for all.
            TileBox& box = shared_.reach[lane_];
            const float reach =
                fmaxf(longest(box.high - box.low) / 3, longest(all.high - all.low) / 32);
            box.low -= Vec3<float>{reach, reach, reach};
            box.high += Vec3<float>{reach, reach, reach};
        }
        __syncwarp();
    }

    /// Whether a tile may hold targets of this block.
    __device__ bool may_hold_targets(Index tile) const
    {
        const Index block = blockIdx.x * Shape::targets;
        return job_.targets != job_.numbers ||
               (tile * lanes < block + Shape::targets && tile * lanes + lanes > block);
    }

    /// To which of this lane's targets, near_per_lane at a time, a tile is near, by bits.
    __device__ unsigned nearness(Index tile, Index end) const
    {
        unsigned near = 0;
        if (tile < end) {
            const TileBox b = job_.boxes[tile];
#pragma unroll
            for (int k = 0; k < per_lane; ++k) {
                const TileBox& r = shared_.reach[k];
                if (b.low.x <= r.high.x && b.high.x >= r.low.x && b.low.y <= r.high.y &&
                    b.high.y >= r.low.y && b.low.z <= r.high.z && b.high.z >= r.low.z)
                    near |= 1u << k / near_per_lane;
            }
        }
        return near;
    }

    /// This lane's source of a tile; one of no mass after the last, where no target is but by
    /// chance: without softening that one is not finite then, and is summed again by the host.
    __device__ Packed fetch(Index tile) const
    {
        const Index place = tile * lanes + Index(lane_);
        if constexpr (Shape::centred)
            return place < job_.source_count ? job_.sources[place]
                                             : SortedSource{{8, 8, 8}, 0, 0x1p+60f};
        else
            return place < job_.source_count ? job_.particles[job_.numbers[place]]
                                             : Source{{8, 8, 8}, 0};
    }

    __device__ void store_clump(Index tile, const Packed& source) const
    {
        const Clump clump = clump_of_warp(source.position, source.mass);
        if (lane_ == 0)
            job_.cancelling.clumps[tile] = clump;
    }

    __device__ Vec3<double> from_center(const Vec3<double>& x) const
    {
        return two_floats ? x - center_ : x;
    }
    static __device__ Vec3<T> rounded(const Vec3<double>& x)
    {
        return {T(x.x), T(x.y), T(x.z)};
    }
    static __device__ Vec3<T> residue(const Vec3<double>& x)
    {
        return {T(x.x - double(T(x.x))), T(x.y - double(T(x.y))), T(x.z - double(T(x.z)))};
    }

    __device__ void add_far_tile(const Packed& source)
    {
        const Vec3<double> x = from_center(source.position);
        if constexpr (Shape::scaled) {
            Far far;
            far.scale = source.scale; // of padding so large that its mass is none in float
            far.position = rounded(double(far.scale) * x);
            far.eps2 = far.scale * far.scale * T(law_.parameter);
            far.root_mass = T(1) / far.scale;
            shared_.far[lane_] = far;
        } else {
            shared_.far[lane_] = {rounded(x), T(source.mass)};
        }
        __syncwarp();
#pragma unroll Shape::unroll
        for (int j = 0; j < lanes; ++j) {
            const Far far = shared_.far[j];
#pragma unroll
            for (int k = 0; k < per_lane; ++k)
                law_(target_[k], far, sum_[k]);
        }
    }

    __device__ void add_near_tile(Index tile, const Packed& source, unsigned mask)
    {
        const Vec3<double> x = from_center(source.position);
        const Index place = tile * lanes + Index(lane_);
        Near near{{rounded(x), T(source.mass)}, residue(x), 0xffffffffu};
        if (place < job_.source_count)
            near.number = job_.numbers[place];
        shared_.near[lane_] = near;
        __syncwarp();
        const bool has_self = Shape::centred || may_hold_targets(tile);
#pragma unroll
        for (int first = 0; first < per_lane; first += near_per_lane)
            if (!(mask >> first / near_per_lane & 1))
                meet<false, false>(first);
            else if (has_self)
                meet<true, true>(first);
            else
                meet<true, false>(first);
    }

    /// A few targets of this lane against a near tile.
    template <bool near, bool has_self>
    __device__ void meet(int first)
    {
        Index self[near_per_lane];
        Vec3<T> target_residue[near_per_lane];
#pragma unroll
        for (int k = 0; near && k < near_per_lane; ++k) {
            self[k] = target_number(first + k);
            target_residue[k] = residue(from_center(target_place(first + k)));
        }
#pragma unroll 1
        for (int j = 0; j < lanes;) {
            Sum run[near_per_lane]{};
#pragma unroll 4
            for (const int end = j + near_run; j < end; ++j)
                meet_source<near, has_self>(shared_.near[j], first, self, target_residue, run);
#pragma unroll
            for (int k = 0; k < near_per_lane; ++k) {
                sum_[first + k].acceleration += run[k].acceleration;
                if constexpr (fields > 3)
                    sum_[first + k].potential += run[k].potential;
            }
        }
    }

    template <bool near, bool has_self>
    __device__ void meet_source(const Near& source, int first, const Index* self,
                                const Vec3<T>* target_residue, Sum* sum) const
    {
#pragma unroll
        for (int k = 0; k < near_per_lane; ++k) {
            if constexpr (!near) {
                law_(target_[first + k], source.particle, sum[k]);
                continue;
            }
            // The same pair with the target at the origin.
            Particle partner = source.particle;
            partner.position -= target_[first + k].position;
            if constexpr (two_floats)
                partner.position += source.residue - target_residue[k];
            if (has_self && source.number == self[k]) {
                partner.position.x = T(1); // a self pair: no mass, at some distance
                partner.mass = 0;
            }
            law_(Target{}, partner, sum[k]);
        }
    }

    __device__ void add_in_double()
    {
#pragma unroll
        for (int k = 0; k < per_lane; ++k) {
            shared_.sums[0][k][lane_] += double(sum_[k].acceleration.x);
            shared_.sums[1][k][lane_] += double(sum_[k].acceleration.y);
            shared_.sums[2][k][lane_] += double(sum_[k].acceleration.z);
            if constexpr (fields > 3)
                shared_.sums[3][k][lane_] += double(sum_[k].potential);
            sum_[k] = {};
        }
    }

    /// The sum of all warps of this block for its t-th target.
    __device__ TargetSum sum_of_warps(int t) const
    {
        TargetSum sum;
#pragma unroll
        for (int w = 0; w < Shape::warps; ++w) {
            const auto at = [&](int f) { return all_[w].sums[f][t / lanes][t % lanes]; };
            sum.acceleration += {at(0), at(1), at(2)};
            if constexpr (fields > 3)
                sum.potential += at(3);
        }
        return sum;
    }

    __device__ void finish(int t, const TargetSum& sum) const
    {
        const Index slot = blockIdx.x * Shape::targets + Index(t);
        if (slot >= job_.target_count)
            return;
        const Index number = job_.targets[slot];
        if constexpr (two_floats)
            note_size(job_, slot, center_, float(norm(sum.acceleration)));
        job_.acceleration[number] = job_.acceleration_unit * sum.acceleration;
        if constexpr (fields > 3)
            job_.potential[number] = job_.potential_unit * sum.potential;
    }

    __device__ void store() const
    {
        constexpr int threads = lanes * Shape::warps, count = int(Shape::targets);
        __syncthreads();
        if (gridDim.y == 1) {
            for (int t = int(threadIdx.x); t < count; t += threads)
                finish(t, sum_of_warps(t));
            return;
        }
        TargetSum* partial = job_.partial + std::size_t(blockIdx.x) * count;
        const std::size_t stride = std::size_t(gridDim.x) * count;
        for (int t = int(threadIdx.x); t < count; t += threads)
            partial[blockIdx.y * stride + t] = sum_of_warps(t);
        __threadfence();
        __syncthreads();
        __shared__ bool last;
        if (threadIdx.x == 0) {
            last = atomicAdd(&job_.arrived[blockIdx.x], 1u) == gridDim.y - 1;
            if (last)
                job_.arrived[blockIdx.x] = 0;
        }
        __syncthreads();
        if (!last)
            return;
        __threadfence();
        for (int t = int(threadIdx.x); t < count; t += threads) {
            TargetSum sum;
#pragma unroll 4
            for (unsigned p = 0; p < gridDim.y; ++p) {
                const double2* from = reinterpret_cast<const double2*>(partial + p * stride + t);
                const double2 a = __ldcg(from), b = __ldcg(from + 1);
                sum.acceleration += {a.x, a.y, b.x};
                if constexpr (fields > 3)
                    sum.potential += b.y;
            }
            finish(t, sum);
        }
    }

    const DirectSum& job_;
    const Law law_;
    const int lane_, warp_;
    Shared* const all_;
    Shared& shared_;
    Vec3<double> center_;
    Target target_[per_lane];
    Sum sum_[per_lane];
};

/// Grid: blocks of targets x parts of the sources.
template <class Law, class T, class Shape>
__global__ void __launch_bounds__(32 * Shape::warps, Shape::blocks)
    direct_sum(const __grid_constant__ DirectSum job)
{
    using Kernel = DirectKernel<Law, T, Shape>;
    extern __shared__ __align__(16) unsigned char direct_memory[];
    Kernel(job, direct_memory).run();
}

} // namespace chamomile
