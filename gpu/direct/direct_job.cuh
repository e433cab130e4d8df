/// \file  The job of a direct sum on the device, and its shapes.
#pragma once

#include "chamomile/force/evaluator.hpp"
#include "chamomile/force/repairs/cancellation.hpp"
#include "chamomile/gpu/tiles/tile_block.cuh"
#include "chamomile/gpu/tiles/tile_boxes.cuh"

namespace chamomile {

/// A DirectShape is the tiling of a kernel; shapes are chosen by measurement.
template <int per_lane, int warps, int blocks, int in_row_, bool centered_, bool scaled_>
struct DirectShape : TileShape<per_lane, warps, blocks> {
    static constexpr int in_row = in_row_;      ///< sources of the force loop in a row
    static constexpr bool centered = centered_; ///< sources are sorted and have tile boxes
    static constexpr bool scaled = scaled_;     ///< masses are folded into coordinates in the force
                                                ///< loop
};

/// A SortedSource is a source along the curve, with mass^-1/2, or eps^2 for per-particle softening.
struct SortedSource {
    Vec3<double> position;
    float mass, scale_or_eps2;
};

/// Returns a warp's first tile of 32 sources in its block's part of the sources.
template <class Shape>
__device__ Index first_tile_of_warp(Index source_count, int warp)
{
    const auto begin_of = [&](std::uint64_t p) {
        const std::uint64_t tiles = (source_count + 31) / 32, n = gridDim.y;
        return Shape::centered ? tiles * (p * (2 * n - p)) / (n * n) : tiles * p / n;
    };
    const std::uint64_t begin = begin_of(blockIdx.y), end = begin_of(blockIdx.y + 1);
    return Index(begin + (end - begin) * unsigned(warp) / Shape::warps);
}

__device__ inline double sum_of_warp(double x)
{
    for (int d = 16; d > 0; d /= 2)
        x += __shfl_xor_sync(0xffffffffu, x, d);
    return x;
}

/// Returns the clump of one particle in each lane. Lanes without a particle have no mass.
__device__ inline PseudoParticle clump_of_warp(const Vec3<double>& x, double mass)
{
    PseudoParticle clump{x, sum_of_warp(fabs(mass)), 1};
    if (clump.mass > 0) {
        const double share = fabs(mass) / clump.mass;
        clump.center = {sum_of_warp(share * x.x), sum_of_warp(share * x.y),
                        sum_of_warp(share * x.z)};
        const Vec3<double> d = x - clump.center;
        clump.spread = sum_of_warp(share * dot(d, d));
    }
    return clump;
}

/// A CancellingJob lists targets of a sum in float whose forces cancel or are blurred
/// (force/repairs/cancellation.hpp), to be summed again.
struct CancellingJob {
    PseudoParticle* clumps; ///< of all sources
    Index clump_count;
    float limit;     ///< of S / |a|
    float* size;     ///< |a| of each target in internal units; 0 if blurred
    Index* found;    ///< indices of targets
    unsigned* count; ///< length of `found`; zero before and after
    unsigned* ended; ///< finished blocks; zero before and after
    unsigned* seen;  ///< on the host: the final count
};

/// A DirectSum is the job of the kernels, in internal units. A kernel's argument: a member for each
/// array.
struct DirectSum {
    const Source* particles;     ///< in the caller's order
    Vec3<double> origin;         ///< near most particles
    const SortedSource* sources; ///< if centered
    const Index* numbers;        ///< caller's index of each sorted source
    const TileBox<float>* boxes; ///< of the tiles, about the origin, if centered
    const Index* targets;        ///< caller's index of each target; `numbers` for all
    Index source_count, target_count;
    Index targets_before, targets_after; ///< counts in other parts, before and after `targets`
    double softening_length;             ///< common length, or the min length to detect close pairs
    double acceleration_unit, potential_unit;
    PartSums parts;
    Vec3<double>* acceleration; ///< by the caller's index
    double* potential;
    const double* softening; ///< eps^2 by the caller's index, in internal units; null: one length
    CancellingJob cancelling;
};

/// Records |a| of a target, or 0 if a neighbor along the curve is too close for coordinates about
/// the center.
__device__ inline void record_size(const DirectSum& job, Index slot, const Vec3<double>& center,
                                   float size)
{
    const Index* target = job.targets + slot;
    const auto place = [&](int k) { return job.particles[target[k]].position; };
    const Vec3<double> x = place(0);
    const double r2 = norm_squared(x - center), eps2 = job.softening_length * job.softening_length;
    const auto blurs = [&](int k) { return is_blurred(norm_squared(place(k) - x, eps2), r2); };
    const bool blurred = (slot + job.targets_before > 0 && blurs(-1)) ||
                         (slot + 1 < job.target_count + job.targets_after && blurs(1));
    job.cancelling.size[slot] = blurred ? 0 : size;
}

} // namespace chamomile
