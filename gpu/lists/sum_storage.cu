// Conversion of sums to the caller's units, and copies to the caller. Contraction: fused.
#include <cfloat>
#include <cstdint>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "chamomile/core/threads.hpp"
#include "chamomile/gpu/lists/sum_storage.cuh"

namespace chamomile {

/// A SumUnit converts sums to the caller's units. Sums over pairs in float are rounded to float, so
/// that half the bytes go to the host.
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

namespace {

constexpr unsigned block_size = 256;

unsigned blocks_of(std::size_t threads)
{
    return unsigned((threads + block_size - 1) / block_size);
}

/// Writes a sum in the caller's units, and counts it if it is not finite.
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

/// Converts sums from internal units to the caller's. Counts sums that are not finite.
__global__ void convert_sums(const TargetSum* sums, std::size_t n, SumUnit unit,
                             ArrayView acceleration, ArrayView potential, SumCounts* counts)
{
    const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n)
        convert_sum(sums[i], i, unit, acceleration, potential, counts);
}

/// Rounds sums to float in internal units. Counts sums that are not finite, and sets not_float if a
/// sum does not fit float. `potential` may be null.
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

/// Converts the sums of some targets and writes them to their particles.
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

/// Larger results bypass the processor's cache, which would read each line before it is written.
constexpr std::size_t max_in_cache = 16 << 20;

template <class Number>
void store_numbers(std::span<const Number> numbers, double in_units, bool past_cache, double* to)
{
    std::size_t k = 0;
#ifdef __SSE2__
    if (past_cache && reinterpret_cast<std::uintptr_t>(to) % 16 == 0) {
        const __m128d units = _mm_set1_pd(in_units);
        for (; k + 2 <= numbers.size(); k += 2)
            _mm_stream_pd(
                to + k, _mm_mul_pd(units, _mm_set_pd(double(numbers[k + 1]), double(numbers[k]))));
        _mm_sfence();
    }
#endif
    for (; k < numbers.size(); ++k)
        to[k] = in_units * double(numbers[k]);
}

} // namespace

std::size_t SumStorage::store(const Sums& sums, const ForceOutput& output)
{
    bytes_down_ = 0;
    received_ = {sums.sums + sums.count, sums.received.count - sums.received.own,
                 sums.received.received};
    const SumUnit unit{output.acceleration_unit, output.potential_unit, sums.are_of_floats};
    if (!sums.are_of_all)
        return output.acceleration.on_device ? store_on_device(sums, unit, output)
                                             : store_active(sums, unit, output);
    if (unit.rounds && !output.acceleration.on_device &&
        (!output.potential || !output.potential.on_device))
        if (const auto not_finite = store_floats(sums, unit, output))
            return *not_finite;
    return store_doubles(sums, unit, output);
}

/// Stores the sums of all particles on the host as floats. Returns nothing if a sum does not fit.
std::optional<std::size_t> SumStorage::store_floats(const Sums& sums, const SumUnit& unit,
                                                    const ForceOutput& output)
{
    const std::size_t n = sums.count;
    Vec3<float>* const a = short_accelerations_.reserve(n);
    float* const phi = output.potential ? short_potentials_.reserve(n) : nullptr;
    SumCounts* const there = begin_counts(unit);
    if (n > 0)
        shorten_sums<<<blocks_of(n), block_size, 0, tree_.stream>>>(sums.sums, n, unit, a, phi,
                                                                    there);
    const SumCounts counts = wait_for_counts();
    if (counts.not_float)
        return {};
    copy(&a->x, n, 3, unit.acceleration, output.acceleration);
    if (phi)
        copy(phi, n, 1, unit.potential, output.potential);
    return counts.not_finite;
}

std::size_t SumStorage::store_doubles(const Sums& sums, const SumUnit& unit,
                                      const ForceOutput& output)
{
    const std::size_t n = sums.count;
    const bool takes_accelerations = !output.acceleration.on_device,
               takes_potentials = output.potential && !output.potential.on_device;
    ArrayView accelerations = output.acceleration, potentials = output.potential;
    if (takes_accelerations)
        accelerations = view_of(std::span(accelerations_.reserve(n), n));
    if (takes_potentials)
        potentials = view_of(std::span(potentials_.reserve(n), n));
    SumCounts* const there = begin_counts(unit);
    if (n > 0)
        convert_sums<<<blocks_of(n), block_size, 0, tree_.stream>>>(
            sums.sums, n, unit, accelerations, potentials, there);
    const SumCounts counts = wait_for_counts();
    if (takes_accelerations)
        copy(reinterpret_cast<const double*>(accelerations_.data()), n, 3, 1, output.acceleration);
    if (takes_potentials)
        copy(potentials_.data(), n, 1, 1, output.potential);
    return counts.not_finite;
}

/// Copies items of `components` numbers to a host array, multiplied by `in_units`.
template <class Number>
void SumStorage::copy(const Number* from, std::size_t items, std::size_t components,
                      double in_units, const ArrayView& to)
{
    const std::size_t numbers = items * components;
    bytes_down_ += numbers * sizeof(Number);
    double* const dense = to.is_dense() ? reinterpret_cast<double*>(to.component[0]) : nullptr;
    const bool past_cache = numbers * sizeof(double) > max_in_cache;
    tree_.staging.take(from, numbers, tree_.stream,
                       [&](std::size_t begin, std::span<const Number> some) {
                           if (dense)
                               store_numbers(some, in_units, past_cache, dense + begin);
                           else
                               for (std::size_t k = 0; k < some.size(); ++k)
                                   to.store((begin + k) / components, int((begin + k) % components),
                                            in_units * double(some[k]));
                       });
}

std::size_t SumStorage::store_on_device(const Sums& sums, const SumUnit& unit,
                                        const ForceOutput& output)
{
    scatter_sums<<<blocks_of(sums.count), block_size, 0, tree_.stream>>>(
        sums.sums, tree_.targets.data(), tree_.order.data(), Index(sums.count), unit,
        output.acceleration, output.potential, begin_counts(unit));
    return wait_for_counts().not_finite;
}

/// Stores the sums of active particles; no other entries of the caller's arrays may change. Sums
/// arrive in the caller's order, because the host writes that faster than the tree's order.
std::size_t SumStorage::store_active(const Sums& sums, const SumUnit& unit,
                                     const ForceOutput& output)
{
    const std::span<const Index> active = sums.active;
    const std::size_t n = active.size();
    const cudaStream_t stream = tree_.stream;
    tree_.staging.upload(active_, active.data(), n, stream);
    Index* const number = number_.reserve(sums.particles);
    TargetSum* const sorted = sorted_.reserve(n);
    number_targets<<<blocks_of(sums.count), block_size, 0, stream>>>(
        tree_.targets.data(), tree_.order.data(), Index(sums.count), number);
    sort_sums<<<blocks_of(n), block_size, 0, stream>>>(sums.sums, number, active_.data(), n, unit,
                                                       sorted);
    check(cudaGetLastError(), "launch the sort of sums");
    TargetSum* const here = host_sums_.reserve(n);
    tree_.staging.download(here, sorted, n, stream);
    bytes_down_ = n * sizeof(TargetSum);
    std::size_t not_finite = 0;
#pragma omp parallel for if (n > worth_threads) reduction(+ : not_finite)
    for (std::size_t k = 0; k < n; ++k)
        not_finite += !store_sum(output, active[k], here[k]);
    return not_finite;
}

/// Clears the counts and converts the sums of received particles.
SumCounts* SumStorage::begin_counts(const SumUnit& unit)
{
    check(cudaMemsetAsync(counts_.reserve(1), 0, sizeof(SumCounts), tree_.stream), "clear counts");
    if (received_.count > 0)
        convert_sums<<<blocks_of(received_.count), block_size, 0, tree_.stream>>>(
            received_.sums, received_.count, unit, received_.to.acceleration,
            received_.to.potential, counts_.data());
    return counts_.data();
}

SumCounts SumStorage::wait_for_counts()
{
    check(cudaGetLastError(), "launch the conversion of sums");
    download(host_counts_.reserve(1), counts_.data(), 1, tree_.stream);
    tree_.stream.wait();
    return *host_counts_.data();
}

} // namespace chamomile
