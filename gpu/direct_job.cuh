/// \file  What a direct sum on the device works on, and how it is cut.
#pragma once

#include "force/evaluator.hpp"

namespace chamomile {

/// How a kernel is cut; chosen by measurement.
template <int per_lane_, int warps_, int blocks_, int unroll_, bool centred_, bool scaled_>
struct DirectShape {
    static constexpr int per_lane = per_lane_; ///< targets of a lane
    static constexpr int warps = warps_;       ///< of a block
    static constexpr int blocks = blocks_;     ///< that a multiprocessor must be able to hold
    static constexpr int unroll = unroll_;     ///< sources of the fast loop at a time
    static constexpr bool centred = centred_;  ///< sources are sorted and have tile boxes
    static constexpr bool scaled = scaled_;    ///< the fast loop has the masses in the coordinates
    static constexpr Index targets = Index(32 * per_lane); ///< of a block
};

/// A sorted source, with mass^-1/2.
struct SortedSource {
    Vec3<double> position;
    float mass, scale;
};

/// The box of a tile of sorted sources.
struct TileBox {
    Vec3<float> low, high;
};

/// The box of one place in each lane.
__device__ inline TileBox box_of_warp(const Vec3<double>& x)
{
    const auto least = [](float least) {
        for (int d = 16; d > 0; d /= 2)
            least = fminf(least, __shfl_xor_sync(0xffffffffu, least, d));
        return least;
    };
    const Vec3<float> r{float(x.x), float(x.y), float(x.z)};
    return {{least(r.x), least(r.y), least(r.z)}, {-least(-r.x), -least(-r.y), -least(-r.z)}};
}

/// Coordinates are in internal units about one place for all; masses are in internal units.
struct DirectSum {
    const Source* particles;     ///< in the caller's order
    const SortedSource* sources; ///< if centred
    const Index* numbers;        ///< the caller's number of each sorted source
    const TileBox* boxes;        ///< of 32 sorted sources each, if centred
    const Index* targets;        ///< the caller's number of each target; `numbers` for all
    Index source_count, target_count;
    double softening_length;
    double acceleration_unit, potential_unit;
    TargetSum* partial;         ///< [part][block's targets]
    unsigned* arrived;          ///< zero for each block of targets, and zero again afterwards
    Vec3<double>* acceleration; ///< by the caller's number
    double* potential;
};

} // namespace chamomile
