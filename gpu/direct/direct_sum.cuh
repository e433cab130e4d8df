/// \file  All pairs of targets and sources: the loop of gpu/tiles/tile_loop.cuh without lists.
///
/// Blocks are those of gpu/tiles/tile_block.cuh; a warp fetches the next tile while it sums.
///
/// Coordinates in float are relative to the origin. In double, differences use the coordinates as
/// given. Centered: targets follow a space-filling curve, and coordinates are relative to the
/// center of the block's targets. A tile is near to 32 targets if its box is within a mean distance
/// of their box. Near tiles are summed with coordinates in two floats and without self pairs. Tiles
/// near to no targets, nearly all, pass the force loop. Without centering all tiles are near.
/// Sources are always summed along the curve: results do not depend on the caller's order. Near
/// pairs pull from all sides and are added in runs of 8, each near tile in double.
///
/// The parts of the sources grow smaller in the order in which blocks start: the last are short.
///
/// Issue slots of a pair, Plummer softening: force loop 12 (13 with the mass apart), with 8 targets
/// a lane 2 loads per 96 slots; near 19, 22 where a self pair can be. What limits the force loop is
/// not the slots but the operands read from registers, some two per slot: 80 % of the slots issue.
/// Packing a source for the force loop: 14 slots per 32 x 8 pairs. Sums in double: 4 slots per
/// target and field every 128 sources. Shared memory per warp, 8 targets a lane: tile 1 KiB, sums 6
/// KiB (8 KiB with potentials).
///
/// Per-particle softening stores eps^2 in place of mass^-1/2 of each source and cannot fold masses
/// into coordinates: 14 slots a pair, and a second load per source. Neighbors along the curve are
/// sorted by length. With few lengths nearly all tiles have one length and compute eps^2 once for
/// 32 pairs, 13 slots. With two lengths 106 slots and 2 loads instead of 96 and 2, 1.1; with a
/// length each 114, 1.18.
#pragma once

#include "chamomile/force/evaluator.hpp"
#include "chamomile/force/gravity.hpp"
#include "chamomile/gpu/direct/direct_job.cuh"

namespace chamomile {

/// A DirectSources provides the sources along the curve and the targets of a block.
template <class Law, class T, class Shape_>
class DirectSources : public TileSources {
    static constexpr int per_lane = Shape_::per_lane;
    static constexpr bool two_floats = sizeof(T) == 4;
    using Particle = typename Law::template Source<T>;

public:
    using Shape = Shape_;
    using Cut = LoopCut<per_lane, Shape::centered ? 2 : per_lane, two_floats,
                        two_floats ? 8 : warp_size, 4>;
    using Record =
        std::conditional_t<Shape::scaled, typename Law::template ScaledSource<T>, Particle>;
    struct SoftenedSource {
        Vec3<double> position;
        double mass, eps2;
    };
    using Fetched =
        std::conditional_t<Shape::centered, SortedSource,
                           std::conditional_t<Law::per_particle, SoftenedSource, Source>>;
    using Shared = TargetBoxes<float, per_lane, 1>;
    static constexpr NearBy near_by = Shape::centered ? NearBy::box : NearBy::all;
    static constexpr int in_row = Shape::in_row;
    static constexpr bool fetches_ahead = true;
    static constexpr bool are_by_length = Law::per_particle && Shape::centered;

    __device__ DirectSources(const DirectSum& job, const Law& law, Shared& boxes)
        : job_(job), eps2_(eps2_of(law)), boxes_(boxes), lane_(int(threadIdx.x) % warp_size),
          center_(job.origin)
    {
        if constexpr (Shape::centered) // about the center of the targets' box
            center_ += boxes_.find([&](int k) { return target_place(k) - job_.origin; });
    }

    __device__ Index first_tile(int warp) const
    {
        return first_tile_of_warp<Shape>(job_.source_count, warp);
    }
    __device__ typename Law::template Target<T> target(int k) const
    {
        const Vec3<T> x = rounded<T>(from_center(target_place(k)));
        if constexpr (Law::per_particle)
            return {x, T(job_.softening[self(k)])};
        else
            return {x};
    }
    __device__ Vec3<T> target_residue(int k) const
    {
        return residue_of<T>(from_center(target_place(k)));
    }
    __device__ Index self(int k) const
    {
        return job_.targets[Shape::target_slot(k, job_.target_count)];
    }

    /// Writes the sums of a target.
    template <class Sum>
    __device__ void store(Index slot, const Sum& sum) const
    {
        const Vec3<double> acceleration{sum(0), sum(1), sum(2)};
        const Index number = job_.targets[slot];
        if constexpr (two_floats)
            record_size(job_, slot, center_, float(norm(acceleration)));
        job_.acceleration[number] = job_.acceleration_unit * acceleration;
        if constexpr (sizeof(typename Law::template Sum<T>) > 3 * sizeof(T))
            job_.potential[number] = job_.potential_unit * sum(3);
    }

    /// Returns this lane's source of a tile; past the end, a massless source far from the targets.
    /// If a target lies exactly there without softening, its sum is not finite and the host sums it
    /// again.
    __device__ Fetched fetch(Index tile) const
    {
        const Index place = tile * warp_size + Index(lane_);
        if constexpr (Shape::centered)
            return place < job_.source_count ? job_.sources[place]
                                             : SortedSource{{8, 8, 8}, 0, 0x1p+60f};
        else if constexpr (Law::per_particle) {
            if (place >= job_.source_count)
                return {{8, 8, 8}, 0, 0};
            const Index number = job_.numbers[place];
            const Source source = job_.particles[number];
            return {source.position, source.mass, job_.softening[number]};
        } else
            return place < job_.source_count ? job_.particles[job_.numbers[place]]
                                             : Source{{8, 8, 8}, 0};
    }

    __device__ unsigned nearness(Index tile, Index end) const
    {
        return tile < end ? boxes_.template nearness<Cut::together>(job_.boxes[tile]) : 0;
    }

    /// True if a tile may contain targets of this block.
    __device__ bool may_hold_targets(Index tile) const
    {
        const Index block = job_.targets_before + blockIdx.x * Shape::targets;
        return Shape::centered || job_.targets != job_.numbers + job_.targets_before ||
               (tile * warp_size < block + Shape::targets && tile * warp_size + warp_size > block);
    }

    __device__ void pack(Index, const Fetched& source, Record& packed) const
    {
        const Vec3<double> x = from_center(source.position);
        if constexpr (Shape::scaled) {
            packed.scale =
                source.scale_or_eps2; // for padding, large enough that the mass is 0 in float
            packed.position = rounded<T>(double(packed.scale) * x);
            packed.eps2 = packed.scale * packed.scale * eps2_;
            packed.root_mass = T(1) / packed.scale;
        } else {
            pack_particle(source, x, packed);
        }
    }
    template <class Part>
    __device__ void pack(Index tile, const Fetched& source, Particle& packed, Part& part) const
    {
        if (two_floats && !Shape::centered && blockIdx.x == 0)
            store_clump(tile, source);
        const Vec3<double> x = from_center(source.position);
        const Index place = tile * warp_size + Index(lane_);
        pack_particle(source, x, packed);
        part.number = place < job_.source_count ? job_.numbers[place] : no_number;
        if constexpr (two_floats)
            part.residue = residue_of<T>(x);
    }

    static __device__ void hide(Particle& seen, bool hidden)
    {
        seen.position.x = hidden ? T(1) : seen.position.x;
        seen.mass = hidden ? T(0) : seen.mass;
    }

private:
    static __device__ T eps2_of([[maybe_unused]] const Law& law)
    {
        if constexpr (Shape::scaled)
            return T(law.rule.number);
        else
            return T(0);
    }

    static __device__ void pack_particle(const Fetched& source, const Vec3<double>& x,
                                         Particle& packed)
    {
        packed = {rounded<T>(x), T(source.mass)};
        if constexpr (Law::per_particle && Shape::centered)
            packed.eps2 = source.scale_or_eps2;
        else if constexpr (Law::per_particle)
            packed.eps2 = T(source.eps2);
    }

    __device__ Vec3<double> from_center(const Vec3<double>& x) const
    {
        return two_floats ? x - center_ : x;
    }
    __device__ Vec3<double> target_place(int k) const { return job_.particles[self(k)].position; }

    __device__ void store_clump(Index tile, const Fetched& source) const
    {
        const PseudoParticle clump = clump_of_warp(source.position, source.mass);
        if (lane_ == 0)
            job_.cancelling.clumps[tile] = clump;
    }

    const DirectSum& job_;
    const T eps2_; // common to all pairs, for scaled sources
    Shared& boxes_;
    const int lane_;
    Vec3<double> center_;
};

template <class Law, class T, class Shape>
using DirectBlock = TileBlock<Law, T, DirectSources<Law, T, Shape>>;

/// The grid is blocks of targets x parts of the sources.
template <class Law, class T, class Shape>
__global__ void __launch_bounds__(32 * Shape::warps, Shape::blocks)
    direct_sum(const __grid_constant__ DirectSum job)
{
    extern __shared__ __align__(16) unsigned char direct_memory[];
    DirectBlock<Law, T, Shape>(job, Law::of({job.softening_length}), direct_memory)
        .run(job.parts, job.target_count);
}

} // namespace chamomile
