/// \file  Kernels of leapfrog steps on the device.
///
/// Contraction: none, so that results match the host's bitwise.
#pragma once

#include <cmath>

#include "chamomile/core/norm.hpp"
#include "chamomile/integrate/external/external_jerk.hpp"
#include "chamomile/integrate/particle_store.hpp"

namespace chamomile {
namespace {

constexpr unsigned block_size = 256, histogram_blocks = 1024;
constexpr int level_count = BlockLevels::deepest + 1;

/// The factors of every level, as a kernel argument.
struct KernelFactors {
    double of[level_count];
};

inline KernelFactors factors(const LevelFactors& factors)
{
    KernelFactors result;
    std::copy(factors.begin(), factors.end(), result.of);
    return result;
}

/// Per-particle arrays of a kernel; absent arrays are null.
struct StoreArrays {
    std::size_t count;
    Vec3<double>*position, *velocity, *acceleration, *long_range;
    double *potential, *step, *measured, *orbit;
    const std::uint8_t* level; ///< null: all have level 0
    int first;                 ///< lowest level that is due
    unsigned* fault;           ///< of find_fault()

    __device__ int level_of(std::size_t i) const { return level ? level[i] : 0; }
};

__device__ std::size_t thread_number()
{
    return std::size_t(blockIdx.x) * block_size + threadIdx.x;
}

/// Adds a block's counts to the total.
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
    place_all(std::size_t n, const double* step, double whole, int lowest, std::uint8_t* level,
              unsigned long long* counts)
{
    __shared__ unsigned own[level_count];
    clear<level_count>(own);
    for (std::size_t i = thread_number(); i < n; i += std::size_t(gridDim.x) * block_size) {
        level[i] = std::uint8_t(level_of(step[i], whole, lowest));
        atomicAdd(own + level[i], 1u);
    }
    add_counts<level_count>(own, counts);
}

__global__ void __launch_bounds__(block_size)
    change_due(std::size_t n, const double* step, double whole, int lowest, int first,
               std::uint64_t may_rise, std::uint8_t* level, unsigned long long* counts)
{
    __shared__ unsigned own[level_count];
    clear<level_count>(own);
    for (std::size_t i = thread_number(); i < n; i += std::size_t(gridDim.x) * block_size) {
        int now = level[i];
        if (now >= first) {
            now = next_level(now, level_of(step[i], whole, lowest), may_rise >> now & 1);
            level[i] = std::uint8_t(now);
        }
        atomicAdd(own + now, 1u);
    }
    add_counts<level_count>(own, counts);
}

/// Counts steps by StepCounts::entry() and finds the shortest. For doubles that are not negative
/// the order of bits is the order of numbers.
__global__ void __launch_bounds__(block_size)
    count_by_exponent(std::size_t n, const double* step, unsigned long long* counts,
                      unsigned long long* shortest)
{
    __shared__ unsigned own[StepCounts::size];
    clear<StepCounts::size>(own);
    unsigned long long found = ~0ull;
    for (std::size_t i = thread_number(); i < n; i += std::size_t(gridDim.x) * block_size) {
        atomicAdd(own + StepCounts::entry(step[i]), 1u);
        found = min(found, (unsigned long long)(__double_as_longlong(step[i])));
    }
    add_counts<StepCounts::size>(own, counts);
    atomicMin(shortest, found);
}

/// Kicks the due particles and drifts all. The first move of a whole step reads the kept state
/// `before` and writes the new state. It may also kick by the long-range acceleration and subtract
/// it from the accelerations.
__global__ void __launch_bounds__(block_size)
    move_all(StoreArrays s, StoreArrays before, KernelFactors kick, double drift, bool has_long,
             double long_kick, Periodicity box)
{
    const std::size_t i = thread_number();
    if (i >= s.count)
        return;
    Vec3<double> v = before.velocity[i];
    const int level = s.level_of(i);
    if (has_long || level >= s.first) {
        Vec3<double> a = before.acceleration[i];
        if (has_long) {
            v += long_kick * s.long_range[i];
            a -= s.long_range[i];
            s.acceleration[i] = a;
        }
        v += kick.of[level] * a;
        s.velocity[i] = v;
    }
    const Vec3<double> x = box.wrapped(before.position[i] + drift * v);
    s.position[i] = x;
}

/// Like move_all(), in a rotating frame that turns during the drift. Has no long range.
__global__ void __launch_bounds__(block_size)
    move_all_turning(StoreArrays s, StoreArrays before, KernelFactors kick, double drift,
                     FrameTurn turn)
{
    const std::size_t i = thread_number();
    if (i >= s.count)
        return;
    Vec3<double> x = before.position[i], v = before.velocity[i];
    const int level = s.level_of(i);
    if (level >= s.first)
        v += kick.of[level] * before.acceleration[i];
    turn.drift(drift, x, v);
    s.velocity[i] = v;
    s.position[i] = x;
}

/// Adds external accelerations and potentials to the due particles. `potential` may be null.
__global__ void __launch_bounds__(block_size)
    add_external_pull(StoreArrays s, double* potential, ExternalTerms terms)
{
    const std::size_t i = thread_number();
    if (i >= s.count || s.level_of(i) < s.first)
        return;
    const ExternalPull pull = pull_of(terms, s.position[i]);
    s.acceleration[i] += pull.acceleration;
    if (potential)
        potential[i] += pull.potential;
}

/// Sets `fault` if a position is not finite.
__global__ void __launch_bounds__(block_size) find_fault(StoreArrays s)
{
    const std::size_t i = thread_number();
    if (i >= s.count)
        return;
    const Vec3<double> x = s.position[i];
    if (0 * (x.x + x.y + x.z) != 0)
        *s.fault = 1;
}

__global__ void __launch_bounds__(block_size) kick_due(StoreArrays s, KernelFactors kick)
{
    const std::size_t i = thread_number();
    if (i >= s.count)
        return;
    const int level = s.level_of(i);
    if (level < s.first)
        return;
    s.velocity[i] += kick.of[level] * s.acceleration[i];
}

/// Kicks velocities, v += kick * long_range, and subtracts the long range from accelerations.
__global__ void __launch_bounds__(block_size) kick_and_split(StoreArrays s, double kick)
{
    const std::size_t i = thread_number();
    if (i >= s.count)
        return;
    s.velocity[i] += kick * s.long_range[i];
    s.acceleration[i] -= s.long_range[i];
}

/// Kicks velocities, v += kick * long_range, and adds the long range to accelerations.
__global__ void __launch_bounds__(block_size) add_long_range(StoreArrays s, double kick)
{
    const std::size_t i = thread_number();
    if (i >= s.count)
        return;
    if (kick != 0)
        s.velocity[i] += kick * s.long_range[i];
    s.acceleration[i] += s.long_range[i];
}

/// Returns the time formula of particle i: its softening length is limited to the common one.
template <bool per_particle>
__device__ DynamicalTime time_of(const DynamicalTime& all, const double* softening, std::size_t i)
{
    DynamicalTime own = all;
    if constexpr (per_particle)
        own.softening = all.softening < softening[i] ? all.softening : softening[i];
    return own;
}

/// A particle's own field and the time of the external one, as in ExternalPart.
struct FieldParts {
    Vec3<double> acceleration;
    double potential, tidal;

    __device__ FieldParts(const StoreArrays& s, const ExternalTerms& terms, std::size_t i)
        : acceleration(s.acceleration[i]), potential(s.potential ? s.potential[i] : 0),
          tidal(HUGE_VAL)
    {
        if (terms.count == 0)
            return;
        const ExternalPull pull = pull_of(terms, s.position[i]);
        acceleration -= pull.acceleration;
        potential -= pull.potential;
        double square = 0;
        for (int k = 0; k < terms.count; ++k)
            square += squared_tide(terms.term[k], s.position[i]);
        tidal = tidal_time(square);
    }
};

/// Measures the step of particle i. With `is_split`, adds the long range to the acceleration.
__device__ double measured(const StoreArrays& s, const BlockRule& rule, const ExternalTerms& terms,
                           std::size_t i, double elapsed, bool is_split)
{
    double orbit = s.orbit ? s.orbit[i] : 0;
    FieldParts parts(s, terms, i);
    if (is_split)
        parts.acceleration += s.long_range[i];
    const double own =
        rule.measure(norm_of_any_size(parts.acceleration), parts.potential, elapsed, orbit);
    if (s.orbit)
        s.orbit[i] = orbit;
    const double external = rule.step_of(parts.tidal);
    return terms.count > 0 && external < own ? external : own;
}

/// Chooses the first step of each particle. `softening`: per-particle lengths if `per_particle`.
template <bool per_particle>
__global__ void __launch_bounds__(block_size)
    choose_first(StoreArrays s, BlockRule rule, const double* softening, ExternalTerms terms)
{
    const std::size_t i = thread_number();
    if (i >= s.count)
        return;
    rule.dynamical = time_of<per_particle>(rule.dynamical, softening, i);
    s.step[i] = s.measured[i] = measured(s, rule, terms, i, 0, false);
}

/// Chooses the steps of the due particles. A step grows by at most a factor of two.
template <bool per_particle>
__global__ void __launch_bounds__(block_size)
    choose_of_due(StoreArrays s, BlockRule rule, const double* softening, double whole, int lowest,
                  bool is_split, ExternalTerms terms, unsigned long long* below)
{
    const std::size_t i = thread_number();
    if (i >= s.count || s.level_of(i) < s.first)
        return;
    rule.dynamical = time_of<per_particle>(rule.dynamical, softening, i);
    const double last = ldexp(whole, -s.level_of(i)),
                 now = measured(s, rule, terms, i, last, is_split),
                 step = BlockRule::anticipated(now, s.measured[i], last);
    s.measured[i] = now;
    s.step[i] = 2 * last < step ? 2 * last : step;
    if (step < ldexp(whole, -lowest))
        atomicAdd(below, 1ull);
}

/// Finds the shortest dynamical time; skips NaN, as std::min(). For doubles that are not negative
/// the order of bits is the order of numbers.
template <bool per_particle>
__global__ void __launch_bounds__(block_size)
    find_shortest_time(StoreArrays s, DynamicalTime dynamical, const double* softening,
                       ExternalTerms terms, unsigned long long* shortest)
{
    unsigned long long own = ~0ull;
    for (std::size_t i = thread_number(); i < s.count; i += std::size_t(gridDim.x) * block_size) {
        const FieldParts parts(s, terms, i);
        for (const double time :
             {parts.tidal, time_of<per_particle>(dynamical, softening, i)
                               .of(norm_of_any_size(parts.acceleration), parts.potential)})
            if (time >= 0)
                own = min(own, (unsigned long long)(__double_as_longlong(time)));
    }
    for (int lane = 16; lane > 0; lane /= 2)
        own = min(own, __shfl_xor_sync(~0u, own, lane));
    if (threadIdx.x % 32 == 0)
        atomicMin(shortest, own);
}

} // namespace
} // namespace chamomile
