/// \file  Sums of targets on their way to the caller.
#pragma once

#include "chamomile/core/array_view.hpp"
#include "chamomile/force/evaluator.hpp"

namespace chamomile {
namespace {

/// Writes a sum in the caller's units; counts it if it is not finite there.
__device__ void convert_sum(const TargetSum& sum, std::size_t i, double acceleration_unit,
                            double potential_unit, const ArrayView& acceleration,
                            const ArrayView& potential, unsigned* not_finite)
{
    const Vec3<double> a = acceleration_unit * sum.acceleration;
    const double phi = potential_unit * sum.potential;
    acceleration.store_vector(i, a);
    if (potential.component[0])
        potential.store(i, 0, phi);
    if (!isfinite(a.x + a.y + a.z + phi))
        atomicAdd(not_finite, 1u);
}

/// Converts sums from internal units to the caller's; counts those that are not finite.
__global__ void convert_sums(const TargetSum* sums, std::size_t n, double acceleration_unit,
                             double potential_unit, ArrayView acceleration, ArrayView potential,
                             unsigned* not_finite)
{
    const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    convert_sum(sums[i], i, acceleration_unit, potential_unit, acceleration, potential, not_finite);
}

/// Converts the sums of some targets alike and writes them to their particles.
__global__ void scatter_sums(const TargetSum* sums, const Index* targets, const Index* order,
                             Index n, double acceleration_unit, double potential_unit,
                             ArrayView acceleration, ArrayView potential, unsigned* not_finite)
{
    const Index t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n)
        return;
    convert_sum(sums[t], order[targets[t]], acceleration_unit, potential_unit, acceleration,
                potential, not_finite);
}

__global__ void number_targets(const Index* targets, const Index* order, Index n, Index* number)
{
    const Index t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < n)
        number[order[targets[t]]] = t;
}

__global__ void sort_sums(const TargetSum* sums, const Index* number, const Index* active,
                          std::size_t n, TargetSum* sorted)
{
    const std::size_t k = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (k < n)
        sorted[k] = sums[number[active[k]]];
}

} // namespace
} // namespace chamomile
