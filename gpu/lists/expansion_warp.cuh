/// \file  Parts of kernels with local expansions: sums over the lanes of a warp, and the shift of a
/// cluster's expansion to a group (L2L).
#pragma once

#include "chamomile/force/expansions/local_expansion.hpp"
#include "chamomile/force/scale.hpp"
#include "chamomile/gpu/lists/far_field.cuh"

namespace chamomile {

/// Calls take(t, sum) on one lane for each term's sum over the lanes. Each step halves the terms of
/// a lane and doubles the lanes in its sums.
template <class Expansion, class Take>
__device__ void add_lanes(const Expansion& own, const Take& take)
{
    using T = std::remove_cvref_t<decltype(own.term[0])>;
    constexpr int in_lane = (Expansion::size + warp_size - 1) / warp_size;
    const int lane = int(threadIdx.x) % warp_size;
    T term[in_lane * warp_size];
#pragma unroll
    for (int t = 0; t < in_lane * warp_size; ++t)
        term[t] = t < Expansion::size ? own.term[t < Expansion::size ? t : 0] : T(0);
#pragma unroll
    for (int step = 1; step < warp_size; step *= 2) {
        const bool is_upper = lane & step;
        const int half = in_lane * warp_size / (2 * step);
#pragma unroll
        for (int t = 0; t < half; ++t) {
            const T lower = term[t], upper = term[t + half];
            term[t] = (is_upper ? upper : lower) +
                      __shfl_xor_sync(all_lanes, is_upper ? lower : upper, step);
        }
    }
    const int first = in_lane * int(__brev(unsigned(lane)) >> 27);
#pragma unroll
    for (int t = 0; t < in_lane; ++t)
        if (first + t < Expansion::size)
            take(first + t, term[t]);
}

/// The shift of a cluster's expansions to the center and unit of one of its groups.
template <class T>
struct ShiftToGroup {
    Vec3<T> d;
    T ratio; ///< of units

    __device__ ShiftToGroup(const ClusterRow& cluster, const Vec3<double>& center, double unit,
                            double inverse_length)
    {
        const double wide = InternalScale::unit_of_radius(cluster.radius * inverse_length);
        const Vec3<double> x = (inverse_length / wide) * (center - cluster.center);
        d = {T(x.x), T(x.y), T(x.z)};
        ratio = T(wide / unit);
    }
    template <class Expansion>
    __device__ void move(Expansion& expansion) const
    {
        expansion.shift(d);
        expansion.change_unit(ratio);
    }
};

inline __device__ Index number_of_warp()
{
    return (blockIdx.x * blockDim.x + threadIdx.x) / warp_size;
}

} // namespace chamomile
