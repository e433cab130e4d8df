/// \file  Sums of targets on their way to the caller.
#pragma once

#include "chamomile/core/array_view.hpp"
#include "chamomile/force/evaluator.hpp"

namespace chamomile {
namespace {

/// From internal units to the caller's; counts sums that are not finite.
__global__ void convert_sums(const TargetSum* sums, std::size_t n, double acceleration_unit,
                             double potential_unit, ArrayView acceleration, ArrayView potential,
                             unsigned* not_finite)
{
    const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const TargetSum sum = sums[i];
    acceleration.store_vector(i, acceleration_unit * sum.acceleration);
    if (potential.component[0])
        potential.store(i, 0, potential_unit * sum.potential);
    if (!isfinite(sum.acceleration.x + sum.acceleration.y + sum.acceleration.z + sum.potential))
        atomicAdd(not_finite, 1u);
}

/// The same of some targets, to their particles.
__global__ void scatter_sums(const TargetSum* sums, const Index* targets, const Index* order,
                             Index n, double acceleration_unit, double potential_unit,
                             ArrayView acceleration, ArrayView potential, unsigned* not_finite)
{
    const Index t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n)
        return;
    const TargetSum sum = sums[t];
    const Index i = order[targets[t]];
    acceleration.store_vector(i, acceleration_unit * sum.acceleration);
    if (potential.component[0])
        potential.store(i, 0, potential_unit * sum.potential);
    if (!isfinite(sum.acceleration.x + sum.acceleration.y + sum.acceleration.z + sum.potential))
        atomicAdd(not_finite, 1u);
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
