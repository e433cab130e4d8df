/// \file  Sums of targets on their way to the caller.
#pragma once

#include <cfloat>

#include "chamomile/core/array_view.hpp"
#include "chamomile/force/evaluator.hpp"

namespace chamomile {
namespace {

/// A SumUnit converts sums to the caller's units. Pairs that are summed in float leave sums that
/// are rounded to float, so that half as many bytes go to the host.
struct SumUnit {
    double acceleration, potential;
    bool rounds;

    static __device__ bool fits_float(double x)
    {
        const double size = fabs(x);
        return x == 0 || (size >= double(FLT_MIN) && size <= double(FLT_MAX));
    }
    __device__ double rounded(double x) const { return rounds && fits_float(x) ? float(x) : x; }
    __device__ TargetSum rounded(const TargetSum& sum) const
    {
        const Vec3<double>& a = sum.acceleration;
        return {{rounded(a.x), rounded(a.y), rounded(a.z)}, rounded(sum.potential)};
    }
};

/// These counts are of sums that are not finite in the caller's units, and of sums that float does
/// not hold.
struct SumCounts {
    unsigned not_finite, not_float;
};

/// Writes a sum in the caller's units; counts it if it is not finite there.
__device__ void convert_sum(const TargetSum& sum, std::size_t i, const SumUnit& unit,
                            const ArrayView& acceleration, const ArrayView& potential,
                            SumCounts* counts)
{
    const TargetSum rounded = unit.rounded(sum);
    const Vec3<double> a = unit.acceleration * rounded.acceleration;
    const double phi = unit.potential * rounded.potential;
    acceleration.store_vector(i, a);
    if (potential.component[0])
        potential.store(i, 0, phi);
    if (!isfinite(a.x + a.y + a.z + phi))
        atomicAdd(&counts->not_finite, 1u);
}

/// Converts sums from internal units to the caller's; counts those that are not finite.
__global__ void convert_sums(const TargetSum* sums, std::size_t n, SumUnit unit,
                             ArrayView acceleration, ArrayView potential, SumCounts* counts)
{
    const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n)
        convert_sum(sums[i], i, unit, acceleration, potential, counts);
}

/// Rounds sums to float in internal units. Sums of potentials are there if `potential` is.
__global__ void shorten_sums(const TargetSum* sums, std::size_t n, SumUnit unit,
                             Vec3<float>* acceleration, float* potential, SumCounts* counts)
{
    const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const Vec3<double> a = sums[i].acceleration;
    const double phi = potential ? sums[i].potential : 0;
    acceleration[i] = {float(a.x), float(a.y), float(a.z)};
    if (potential)
        potential[i] = float(phi);
    if (!isfinite(unit.acceleration * (a.x + a.y + a.z) + unit.potential * phi))
        atomicAdd(&counts->not_finite, 1u);
    if (!SumUnit::fits_float(a.x) || !SumUnit::fits_float(a.y) || !SumUnit::fits_float(a.z) ||
        !SumUnit::fits_float(phi))
        counts->not_float = 1;
}

/// Converts the sums of some targets alike and writes them to their particles.
__global__ void scatter_sums(const TargetSum* sums, const Index* targets, const Index* order,
                             Index n, SumUnit unit, ArrayView acceleration, ArrayView potential,
                             SumCounts* counts)
{
    const Index t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < n)
        convert_sum(sums[t], order[targets[t]], unit, acceleration, potential, counts);
}

__global__ void number_targets(const Index* targets, const Index* order, Index n, Index* number)
{
    const Index t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < n)
        number[order[targets[t]]] = t;
}

__global__ void sort_sums(const TargetSum* sums, const Index* number, const Index* active,
                          std::size_t n, SumUnit unit, TargetSum* sorted)
{
    const std::size_t k = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (k < n)
        sorted[k] = unit.rounded(sums[number[active[k]]]);
}

} // namespace
} // namespace chamomile
