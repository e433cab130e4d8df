/// \file  Boxes of tiles and targets, for the nearness test.
///
/// Read by nvcc and by NVRTC: no header of the standard library.
#pragma once

#include "chamomile/core/vec3.hpp"

namespace chamomile {

/// The box of a tile of sorted sources or of targets, with coordinates in B.
template <class B>
struct TileBox {
    Vec3<B> low, high;
};

template <class B>
__device__ Vec3<B> lower(const Vec3<B>& a, const Vec3<B>& b)
{
    return {b.x < a.x ? b.x : a.x, b.y < a.y ? b.y : a.y, b.z < a.z ? b.z : a.z};
}

template <class B>
__device__ TileBox<B> joined(const TileBox<B>& a, const TileBox<B>& b)
{
    return {lower(a.low, b.low), B(-1) * lower(B(-1) * a.high, B(-1) * b.high)};
}

/// Returns the bounding box of one place in each lane.
template <class B>
__device__ TileBox<B> box_of_warp(const Vec3<double>& x)
{
    const auto min = [](B a) {
        for (int d = 16; d > 0; d /= 2) {
            const B other = __shfl_xor_sync(0xffffffffu, a, d);
            a = other < a ? other : a;
        }
        return a;
    };
    const Vec3<B> r{B(x.x), B(x.y), B(x.z)};
    return {{min(r.x), min(r.y), min(r.z)}, {-min(-r.x), -min(-r.y), -min(-r.z)}};
}

template <class B>
__device__ B longest_side(const TileBox<B>& a)
{
    const B x = a.high.x - a.low.x, y = a.high.y - a.low.y, z = a.high.z - a.low.z;
    return x > y ? (x > z ? x : z) : (y > z ? y : z);
}

template <class B>
__device__ bool overlap(const TileBox<B>& a, const TileBox<B>& b)
{
    return a.low.x <= b.high.x && a.high.x >= b.low.x && a.low.y <= b.high.y &&
           a.high.y >= b.low.y && a.low.z <= b.high.z && a.high.z >= b.low.z;
}

/// A TargetBoxes holds the boxes of a warp's targets in shared memory, one box per `in_box` targets
/// of each lane. It tests whether a tile is near: within about the mean distance of targets from
/// their box.
template <class B, int per_lane, int in_box>
class TargetBoxes {
    static constexpr int count = per_lane / in_box;

public:
    /// Finds the boxes; place(k) is the place of the lane's k-th target. Called by a whole warp.
    /// Returns the center of all.
    template <class Place>
    __device__ Vec3<double> find(const Place& place)
    {
        const int lane = int(threadIdx.x) % 32;
        TileBox<B> all;
#pragma unroll 1
        for (int b = 0; b < count; ++b) {
            TileBox<B> box = box_of_warp<B>(place(b * in_box));
#pragma unroll
            for (int k = 1; k < in_box; ++k)
                box = joined(box, box_of_warp<B>(place(b * in_box + k)));
            all = b == 0 ? box : joined(all, box);
            if (lane == 0)
                near_[b] = box;
        }
        __syncwarp();
        if (lane < count) {
            TileBox<B>& box = near_[lane];
            // The reach is not less than the rounding error common to all.
            const B own = longest_side(box) / 3, common = longest_side(all) / 32,
                    reach = own > common ? own : common;
            box.low -= Vec3<B>{reach, reach, reach};
            box.high += Vec3<B>{reach, reach, reach};
        }
        __syncwarp();
        return {0.5 * all.low.x + 0.5 * all.high.x, 0.5 * all.low.y + 0.5 * all.high.y,
                0.5 * all.low.z + 0.5 * all.high.z};
    }

    /// Returns a bit for each `together` targets of a lane: set if the tile is near to them.
    template <int together>
    __device__ unsigned nearness(const TileBox<B>& tile) const
    {
        unsigned near = 0;
#pragma unroll
        for (int b = 0; b < count; ++b)
            if (overlap(tile, near_[b]))
                near |= 1u << b * in_box / together;
        return near;
    }

private:
    TileBox<B> near_[count];
};

} // namespace chamomile
