// Contraction: none, so that the bits are the host's.
#include <algorithm>
#include <cassert>

#include "chamomile/gpu/motion/device_rows.cuh"
#include "chamomile/integrate/measures/ordered_sum.hpp"

namespace chamomile {
namespace {

constexpr unsigned block_size = 256, warp_size = 32, warps_in_block = block_size / warp_size;

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

/// Makes a point of each particle in `which`: 4 bytes read in order, 48 at random, 16 written.
__global__ void __launch_bounds__(block_size)
    make_points(const Vec3<double>* position, const Vec3<double>* velocity, std::size_t n,
                const Index* which, Vec3<double> origin, MovingPoint* into)
{
    if (const std::size_t k = thread_number(); k < n)
        into[k] = moving_point(position[which[k]], velocity[which[k]], origin);
}

/// Computes the sums of ordered_sum()'s blocks, one by each warp: its lanes make the terms of 32
/// particles, and then each adds one of their numbers, in the order of the particles.
template <class Sum, class Term>
__global__ void __launch_bounds__(block_size) sum_blocks(std::size_t n, Term term, Sum* sums)
{
    constexpr unsigned numbers = sizeof(Sum) / sizeof(double);
    static_assert(numbers <= warp_size && sizeof(Sum) == numbers * sizeof(double));
    __shared__ double all[warps_in_block][numbers][warp_size + 1];
    const std::size_t b = thread_number() / warp_size, begin = b * ordered_sum_block;
    if (begin >= n)
        return;
    const std::size_t end = begin + ordered_sum_block < n ? begin + ordered_sum_block : n;
    const unsigned lane = threadIdx.x % warp_size;
    auto& terms = all[threadIdx.x / warp_size];
    double sum = 0;
    for (std::size_t first = begin; first < end; first += warp_size) {
        if (first + lane < end) {
            const Sum one = term(first + lane);
            double of_one[numbers];
            memcpy(of_one, &one, sizeof one);
            for (unsigned k = 0; k < numbers; ++k)
                terms[k][lane] = of_one[k];
        }
        __syncwarp();
        const unsigned count = end - first < warp_size ? unsigned(end - first) : warp_size;
        if (lane < numbers)
            for (unsigned k = 0; k < count; ++k)
                sum += terms[lane][k];
        __syncwarp();
    }
    if (lane < numbers)
        memcpy(reinterpret_cast<char*>(sums + b) + lane * sizeof sum, &sum, sizeof sum);
}

/// Motion reads 64 bytes of a particle.
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
std::span<const T> DeviceRows::brought(const T* all, const RowsAsked& rows,
                                       DeviceBuffer<T>& gathered, PinnedBuffer<T>& into)
{
    const std::size_t n = rows.size();
    assert(all);
    if (n == 0)
        return {};
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

std::span<const Vec3<double>> DeviceRows::vectors(RowValue value, const RowsAsked& rows)
{
    const std::size_t k = std::size_t(value);
    assert(k < vectors_.size());
    return brought(all_.vectors[k], rows, some_vectors_, vectors_[k]);
}

std::span<const double> DeviceRows::reals([[maybe_unused]] RowValue value, const RowsAsked& rows)
{
    assert(value == RowValue::potential);
    return brought(all_.potential, rows, some_reals_, potentials_);
}

void DeviceRows::gather(std::span<const Index> which, const Vec3<double>& origin,
                        std::span<MovingPoint> into)
{
    const std::size_t n = which.size();
    if (n == 0)
        return;
    check(cudaSetDevice(device_), "choose the device");
    staging_.upload(which_, which.data(), n, stream_);
    make_points<<<blocks(n), block_size, 0, stream_>>>(all_.vectors[0], all_.vectors[1], n,
                                                       which_.data(), origin, points_.reserve(n));
    check(cudaGetLastError(), "gather particles");
    staging_.download(into.data(), points_.data(), n, stream_);
}

template <class Sum, class Term>
Sum DeviceRows::sum(DeviceBuffer<Sum>& parts, std::vector<Sum>& here, const Term& term)
{
    const std::size_t n = (all_.count + ordered_sum_block - 1) / ordered_sum_block;
    Sum total{};
    if (n == 0)
        return total;
    check(cudaSetDevice(device_), "choose the device");
    sum_blocks<<<blocks(n * warp_size), block_size, 0, stream_>>>(all_.count, term,
                                                                  parts.reserve(n));
    check(cudaGetLastError(), "sum over particles");
    here.resize(n);
    staging_.download(here.data(), parts.data(), n, stream_);
    for (const Sum& part : here)
        total += part;
    return total;
}

std::optional<MotionSums> DeviceRows::motion(const Vec3<double>& typical)
{
    return sum(motions_, motions_here_, Motion{all_, typical});
}

double DeviceRows::sum_of_squared_velocities()
{
    return sum(squares_, squares_here_, SquaredVelocity{all_.vectors[1]});
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
