/// \file  A direct sum in float: targets whose forces cancel are summed again in double.
///
/// Two launches follow the sum. find_cancelling: a block tests 32 x per_lane targets, each of its
/// warps against a part of the clumps; 13 issue slots per target and clump. A clump has 32 sources
/// if all tiles are near, else 256: at most a sixtieth of the sum's slots. Cancelling targets are
/// appended to a list in any order. sum_cancelling: a block takes `at_once` targets from the list
/// at a time, to read sources less often, and sums over all sources. Each thread sums every 256th
/// source along the curve. Threads, warps and clumps are added in a fixed order: results do not
/// depend on the list's order.
#pragma once

#include "chamomile/force/gravity.hpp"
#include "chamomile/gpu/direct/direct_job.cuh"

namespace chamomile {

inline constexpr int finding_warps = 8, precise_threads = 256;

/// Lists the targets where the pull S = sum M / u^2 of all clumps exceeds limit x |a|.
template <int per_lane>
__global__ void __launch_bounds__(32 * finding_warps)
    find_cancelling(const __grid_constant__ DirectSum job)
{
    constexpr int targets = 32 * per_lane;
    __shared__ float absolute_forces[finding_warps][targets];
    const CancellingJob& cancelling = job.cancelling;
    const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
    const Index block = blockIdx.x * targets, last = job.target_count - 1;
    const auto place = [&](Index slot) {
        return job.particles[job.targets[min(slot, last)]].position;
    };
    const Vec3<double> origin = place(block);
    const double eps2 = job.softening_length * job.softening_length;
    Vec3<float> x[per_lane];
    float sum[per_lane];
#pragma unroll
    for (int k = 0; k < per_lane; ++k) {
        x[k] = rounded<float>(place(block + Index(32 * k + lane)) - origin);
        sum[k] = 0;
    }
    for (Index c = Index(warp); c < cancelling.clump_count; c += finding_warps) {
        const PseudoParticle& clump = cancelling.clumps[c];
        const Vec3<float> center = rounded<float>(clump.center - origin);
        const float mass = float(clump.mass), min = float(clump.spread + eps2);
#pragma unroll
        for (int k = 0; k < per_lane; ++k) {
            const float over_u = inverse_sqrt(norm_squared(center - x[k], min));
            sum[k] += mass * over_u * over_u;
        }
    }
#pragma unroll
    for (int k = 0; k < per_lane; ++k)
        absolute_forces[warp][32 * k + lane] = sum[k];
    __syncthreads();
    for (Index t = threadIdx.x; t < targets && block + t <= last; t += 32 * finding_warps) {
        float absolute_force = 0;
        for (int w = 0; w < finding_warps; ++w)
            absolute_force += absolute_forces[w][t];
        if (absolute_force > cancelling.limit * cancelling.size[block + t])
            cancelling.found[atomicAdd(cancelling.count, 1u)] = block + t;
    }
}

/// Sums the listed targets over all sources and overwrites the sums in float.
template <class Law, int at_once>
__global__ void __launch_bounds__(precise_threads)
    sum_cancelling(const __grid_constant__ DirectSum job)
{
    using Sum = typename Law::template Sum<double>;
    constexpr int fields = int(sizeof(Sum) / sizeof(double)), warps = precise_threads / 32;
    __shared__ double parts[warps][at_once][fields];
    const CancellingJob& cancelling = job.cancelling;
    const Law law = Law::of({job.softening_length});
    const Index count = *cancelling.count;
    for (Index first = blockIdx.x * at_once; first < count; first += gridDim.x * at_once) {
        Index number[at_once];
        typename Law::template Target<double> target[at_once];
        Sum sum[at_once]{};
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
            number[k] = job.targets[cancelling.found[min(first + k, count - 1)]];
            target[k] = {job.particles[number[k]].position};
            if constexpr (Law::per_particle)
                target[k].eps2 = job.softening[number[k]];
        }
        for (Index j = threadIdx.x; j < job.source_count; j += precise_threads) {
            const Index source = job.numbers[j];
            const Source from = job.particles[source];
#pragma unroll
            for (int k = 0; k < at_once; ++k) {
                typename Law::template Source<double> partner{from.position, from.mass};
                if constexpr (Law::per_particle)
                    partner.eps2 = job.softening[source];
                if (source == number[k]) { // no mass, at a finite place
                    partner.position.x += 1;
                    partner.mass = 0;
                }
                law(target[k], partner, sum[k]);
            }
        }
#pragma unroll
        for (int k = 0; k < at_once; ++k)
#pragma unroll
            for (int f = 0; f < fields; ++f) {
                const double all = sum_of_warp(reinterpret_cast<const double*>(&sum[k])[f]);
                if (threadIdx.x % 32 == 0)
                    parts[threadIdx.x / 32][k][f] = all;
            }
        __syncthreads();
        if (threadIdx.x < at_once && first + threadIdx.x < count) {
            const int k = int(threadIdx.x);
            double all[fields] = {};
            for (int w = 0; w < warps; ++w)
                for (int f = 0; f < fields; ++f)
                    all[f] += parts[w][k][f];
            const Index to = job.targets[cancelling.found[first + k]];
            job.acceleration[to] = job.acceleration_unit * Vec3<double>{all[0], all[1], all[2]};
            if constexpr (fields > 3)
                job.potential[to] = job.potential_unit * all[3];
        }
        __syncthreads();
    }
    __syncthreads();
    if (threadIdx.x == 0 && atomicAdd(cancelling.ended, 1u) == gridDim.x - 1) {
        *cancelling.seen = count;
        *cancelling.count = 0;
        *cancelling.ended = 0;
    }
}

} // namespace chamomile
