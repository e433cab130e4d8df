/// \file  What a block of individual steps does to particles on the device.
///
/// Contraction: none, so that the bits are the host's.
#pragma once

#include <cmath>

#include "chamomile/core/periodic.hpp"
#include "chamomile/gpu/motion/device_motion.cuh"
#include "chamomile/integrate/block_levels.hpp"
#include "chamomile/integrate/block_rule.hpp"
#include "chamomile/integrate/ordered_sum.hpp"

namespace chamomile {
namespace {

constexpr unsigned block_size = motion_block_size, histogram_blocks = 1024;
constexpr int level_count = BlockLevels::deepest + 1;

struct LevelFactors {
    double of[level_count];
};

__device__ std::size_t thread_number()
{
    return std::size_t(blockIdx.x) * block_size + threadIdx.x;
}

/// Adds a block's counts to those of all.
template <int bins>
__device__ void add_counts(const unsigned* own, unsigned long long* counts)
{
    __syncthreads();
    for (int k = int(threadIdx.x); k < bins; k += int(block_size))
        if (own[k] > 0)
            atomicAdd(counts + k, (unsigned long long)own[k]);
}

template <int bins>
__device__ void clear(unsigned* own)
{
    for (int k = int(threadIdx.x); k < bins; k += int(block_size))
        own[k] = 0;
    __syncthreads();
}

__global__ void __launch_bounds__(block_size)
    place_all(std::size_t n, const double* wish, double whole, int lowest, std::uint8_t* level,
              unsigned long long* counts)
{
    __shared__ unsigned own[level_count];
    clear<level_count>(own);
    for (std::size_t i = thread_number(); i < n; i += std::size_t(gridDim.x) * block_size) {
        level[i] = std::uint8_t(level_of(wish[i], whole, lowest));
        atomicAdd(own + level[i], 1u);
    }
    add_counts<level_count>(own, counts);
}

__global__ void __launch_bounds__(block_size)
    change_due(std::size_t n, const double* wish, double whole, int lowest, int first,
               std::uint64_t may_rise, std::uint8_t* level, unsigned long long* counts)
{
    __shared__ unsigned own[level_count];
    clear<level_count>(own);
    for (std::size_t i = thread_number(); i < n; i += std::size_t(gridDim.x) * block_size) {
        int now = level[i];
        if (now >= first) {
            const int wished = level_of(wish[i], whole, lowest);
            if (wished >= now)
                now = wished;
            else if (may_rise >> now & 1)
                --now;
            level[i] = std::uint8_t(now);
        }
        atomicAdd(own + now, 1u);
    }
    add_counts<level_count>(own, counts);
}

/// Of numbers that are not negative the bits are in the order of the numbers.
template <int bins, int lowest>
__global__ void __launch_bounds__(block_size)
    count_exponents(std::size_t n, const double* wish, unsigned long long* counts,
                    unsigned long long* shortest)
{
    __shared__ unsigned own[bins];
    clear<bins>(own);
    unsigned long long least = ~0ull;
    for (std::size_t i = thread_number(); i < n; i += std::size_t(gridDim.x) * block_size) {
        const double w = wish[i];
        const int exponent = w < HUGE_VAL ? max(lowest, ilogb(w)) - lowest : bins - 1;
        atomicAdd(own + exponent, 1u);
        least = min(least, (unsigned long long)(__double_as_longlong(w)));
    }
    add_counts<bins>(own, counts);
    atomicMin(shortest, least);
}

__global__ void __launch_bounds__(block_size)
    kick_due(std::size_t n, const std::uint8_t* level, int first, LevelFactors factors,
             const Vec3<double>* acceleration, Vec3<double>* velocity, unsigned* faults)
{
    const std::size_t i = thread_number();
    if (i >= n || level[i] < first)
        return;
    const Vec3<double> a = acceleration[i];
    velocity[i] += factors.of[level[i]] * a;
    note_fault(a, faults);
}

__global__ void __launch_bounds__(block_size)
    drift_all(std::size_t n, const Vec3<double>* velocity, double factor, Periodicity box,
              Vec3<double>* position, unsigned* faults)
{
    const std::size_t i = thread_number();
    if (i >= n)
        return;
    const Vec3<double> x = box.wrapped(position[i] + factor * velocity[i]);
    position[i] = x;
    note_fault(x, faults);
}

__global__ void __launch_bounds__(block_size)
    wish_of_due(std::size_t n, const std::uint8_t* level, int first, BlockRule rule, double whole,
                int lowest, const Vec3<double>* acceleration, const Vec3<double>* long_range,
                const double* potential, double* wish, double* time, double* orbit,
                unsigned long long* below)
{
    const std::size_t i = thread_number();
    if (i >= n || level[i] < first)
        return;
    const double last = ldexp(whole, -int(level[i]));
    double mean = orbit ? orbit[i] : 0;
    Vec3<double> a = acceleration[i];
    if (long_range)
        a += long_range[i];
    const double now = rule.measure(norm(a), potential ? potential[i] : 0, last, mean);
    if (orbit)
        orbit[i] = mean;
    const double wished = BlockRule::anticipated(now, time[i], last);
    time[i] = now;
    wish[i] = 2 * last < wished ? 2 * last : wished;
    if (wished < ldexp(whole, -lowest))
        atomicAdd(below, 1ull);
}

/// vector[i] += factor * other[i]
__global__ void __launch_bounds__(block_size)
    add_multiple(std::size_t n, double factor, const Vec3<double>* other, Vec3<double>* vector)
{
    const std::size_t i = thread_number();
    if (i < n)
        vector[i] += factor * other[i];
}

/// The sums of ordered_sum()'s blocks, one by each thread.
__global__ void __launch_bounds__(block_size)
    sum_squares(std::size_t n, const Vec3<double>* vector, double* sums)
{
    const std::size_t begin = thread_number() * ordered_sum_block;
    if (begin >= n)
        return;
    const std::size_t end = begin + ordered_sum_block < n ? begin + ordered_sum_block : n;
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i)
        sum += norm_squared(vector[i]);
    sums[begin / ordered_sum_block] = sum;
}

} // namespace
} // namespace chamomile
