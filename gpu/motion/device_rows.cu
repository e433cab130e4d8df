// Contraction: none, so that results match the host's bitwise.
#include <algorithm>
#include <cassert>

#include "chamomile/core/exact_sum.hpp"
#include "chamomile/gpu/motion/device_rows.cuh"

namespace chamomile {
namespace {

constexpr unsigned block_size = 256, warp_size = 32, sum_warps = 4,
                   sum_block_size = sum_warps * warp_size;
constexpr std::size_t max_sum_blocks = 1024; // about five at once on a multiprocessor

unsigned blocks(std::size_t n)
{
    return unsigned((n + block_size - 1) / block_size);
}

__device__ std::size_t thread_number()
{
    return std::size_t(blockIdx.x) * block_size + threadIdx.x;
}

template <class T>
__global__ void __launch_bounds__(block_size)
    gather_rows(std::size_t n, const Index* which, const T* all, T* into)
{
    if (const std::size_t k = thread_number(); k < n)
        into[k] = all[which[k]];
}

/// Copies each particle in `which`: 4 bytes read in order, 48 at random, 48 written.
__global__ void __launch_bounds__(block_size)
    make_points(const Vec3<double>* position, const Vec3<double>* velocity, std::size_t n,
                const Index* which, PhasePoint* into)
{
    if (const std::size_t k = thread_number(); k < n)
        into[k] = {position[which[k]], velocity[which[k]]};
}

/// Adds the terms of all particles to the digits of exact sums. The lanes of a warp compute the
/// terms of 32 particles. Then lane k adds the k-th number of all 32 terms to its digits in shared
/// memory: three 64-bit additions a number, against 64 bytes a particle from global memory. Banks:
/// lanes are adjacent.
template <class Record, class Term>
__global__ void __launch_bounds__(sum_block_size)
    sum_exactly(std::size_t n, Term term, std::int64_t* digits)
{
    constexpr unsigned numbers = ExactSums<Record>::numbers;
    static_assert(numbers <= warp_size);
    __shared__ double all_terms[sum_warps][numbers][warp_size + 1];
    __shared__ std::int64_t all_digits[sum_warps][ExactDigits::count][numbers];
    const unsigned lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
    auto& terms = all_terms[warp];
    const auto digit = [&](int k) -> std::int64_t& { return all_digits[warp][k][lane]; };
    if (lane < numbers)
        for (int k = 0; k < ExactDigits::count; ++k)
            digit(k) = 0;
    const std::size_t stride = std::size_t(gridDim.x) * sum_block_size;
    std::size_t first = (std::size_t(blockIdx.x) * sum_warps + warp) * warp_size;
    for (; first < n; first += stride) {
        if (first + lane < n) {
            const Record one = term(first + lane);
            double numbers_of_one[numbers];
            memcpy(numbers_of_one, &one, sizeof one);
            for (unsigned k = 0; k < numbers; ++k)
                terms[k][lane] = numbers_of_one[k];
        }
        __syncwarp();
        const unsigned count = n - first < warp_size ? unsigned(n - first) : warp_size;
        if (lane < numbers)
            for (unsigned k = 0; k < count; ++k)
                ExactDigits::add(terms[lane][k], digit);
        __syncwarp();
    }
    if (lane >= numbers)
        return;
    ExactDigits::carry(digit);
    for (int k = 0; k < ExactDigits::count; ++k)
        if (const std::int64_t own = digit(k); own != 0)
            atomicAdd(reinterpret_cast<unsigned long long*>(digits) + lane * ExactDigits::count + k,
                      (unsigned long long)(own)); // modulo 2^64
}

/// A Motion computes a particle's term from 64 bytes.
struct Motion {
    DeviceRows::Arrays of;
    Vec3<double> typical;

    __device__ MotionSums operator()(std::size_t i) const
    {
        return MotionSums::of_one(of.mass[i], of.vectors[0][i], of.vectors[1][i], of.potential[i],
                                  typical);
    }
};

struct SquaredVelocity {
    const Vec3<double>* velocity;
    __device__ double operator()(std::size_t i) const { return norm_squared(velocity[i]); }
};

__global__ void __launch_bounds__(block_size)
    find_bins(std::size_t n, const Vec3<double>* position, const double* mass, Vec3<double> center,
              ValueBins bins, std::uint16_t* bin)
{
    if (const std::size_t k = thread_number(); k < n)
        bin[k] = mass[k] > 0 ? bins.of(norm_squared(position[k] - center)) : ValueBins::none;
}

} // namespace

template <class T>
std::span<const T> DeviceRows::brought(const T* all, const RowSelection& rows,
                                       DeviceBuffer<T>& gathered, PinnedBuffer<T>& into)
{
    const std::size_t n = rows.size();
    if (n == 0)
        return {};
    assert(all);
    check(cudaSetDevice(device_), "choose the device");
    const T* from = all + rows.begin;
    if (!rows.list.empty()) {
        staging_.upload(which_, rows.list.data(), n, stream_);
        from = gathered.reserve(n);
        gather_rows<<<blocks(n), block_size, 0, stream_>>>(n, which_.data(), all, gathered.data());
        check(cudaGetLastError(), "gather rows");
    }
    T* const here = into.reserve(n);
    staging_.download(here, from, n, stream_);
    return {here, n};
}

std::span<const Vec3<double>> DeviceRows::read_vectors(Column value, const RowSelection& rows)
{
    const std::size_t k = std::size_t(value);
    assert(k < vectors_.size());
    return brought(all_.vectors[k], rows, some_vectors_, vectors_[k]);
}

std::span<const double> DeviceRows::read_scalars([[maybe_unused]] Column value,
                                                 const RowSelection& rows)
{
    assert(value == Column::potential);
    return brought(all_.potential, rows, some_reals_, potentials_);
}

void DeviceRows::gather(std::span<const GlobalIndex> which, std::span<PhasePoint> into)
{
    const std::size_t n = which.size();
    if (n == 0)
        return;
    check(cudaSetDevice(device_), "choose the device");
    const std::vector<Index> places(which.begin(), which.end());
    staging_.upload(which_, places.data(), n, stream_);
    make_points<<<blocks(n), block_size, 0, stream_>>>(all_.vectors[0], all_.vectors[1], n,
                                                       which_.data(), points_.reserve(n));
    check(cudaGetLastError(), "gather particles");
    staging_.download(into.data(), points_.data(), n, stream_);
}

template <class Record, class Term>
void DeviceRows::add_terms(const Term& term, ExactSums<Record>& sums)
{
    const std::size_t n = all_.count;
    if (n == 0)
        return;
    check(cudaSetDevice(device_), "choose the device");
    ExactSums<Record> own;
    const std::span<std::int64_t> digits = own.digits();
    std::int64_t* const there = digits_.reserve(digits.size());
    check(cudaMemsetAsync(there, 0, digits.size_bytes(), stream_), "clear the sums");
    const std::size_t blocks = (n + sum_block_size - 1) / sum_block_size;
    sum_exactly<Record><<<unsigned(std::min(blocks, max_sum_blocks)), sum_block_size, 0, stream_>>>(
        n, term, there);
    check(cudaGetLastError(), "sum over particles");
    staging_.download(digits.data(), there, digits.size(), stream_);
    sums += own;
}

bool DeviceRows::add_motion(const Vec3<double>& typical, ExactSums<MotionSums>& sums)
{
    add_terms(Motion{all_, typical}, sums);
    return true;
}

void DeviceRows::add_squared_velocities(ExactSums<double>& sums)
{
    add_terms(SquaredVelocity{all_.vectors[1]}, sums);
}

std::span<const std::uint16_t> DeviceRows::bins_of_distances(const Vec3<double>& center,
                                                             const ValueBins& bins)
{
    const std::size_t n = all_.count;
    if (n == 0)
        return {};
    check(cudaSetDevice(device_), "choose the device");
    find_bins<<<blocks(n), block_size, 0, stream_>>>(n, all_.vectors[0], all_.mass, center, bins,
                                                     bins_.reserve(n));
    check(cudaGetLastError(), "find bins");
    std::uint16_t* const here = bins_here_.reserve(n);
    download(here, bins_.data(), n, stream_);
    check(status_when_done(stream_), "wait for the bins");
    return {here, n};
}

} // namespace chamomile
