// Contraction: none, so that extents match the host's bitwise.
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

#include "chamomile/gpu/direct/direct_arrays.cuh"

namespace chamomile {
namespace {

constexpr unsigned block_size = 256;

unsigned blocks_of(std::size_t n)
{
    return unsigned((n + block_size - 1) / block_size);
}

/// Each warp sums a chunk.
__global__ void __launch_bounds__(DirectExtent::lanes)
    sum_extents(ArrayView position, ArrayView mass, std::size_t n, DirectExtent* extents)
{
    __shared__ DirectExtent lane[DirectExtent::lanes];
    DirectExtent own;
    const std::size_t begin = blockIdx.x * DirectExtent::chunk;
    for (std::size_t i = begin + threadIdx.x; i < n && i < begin + DirectExtent::chunk;
         i += DirectExtent::lanes)
        own.add(position.load_vector(i), mass.load(i));
    lane[threadIdx.x] = own;
    for (unsigned half = DirectExtent::lanes / 2; half > 0; half /= 2) {
        __syncwarp();
        if (threadIdx.x < half)
            lane[threadIdx.x].add(lane[threadIdx.x + half]);
    }
    if (threadIdx.x == 0)
        extents[blockIdx.x] = lane[0];
}

__global__ void pack_sources(ArrayView position, ArrayView mass, std::size_t n,
                             double inverse_length, double inverse_mass, Source* sources)
{
    const std::size_t i = std::size_t(blockIdx.x) * block_size + threadIdx.x;
    if (i < n)
        sources[i] = {inverse_length * position.load_vector(i), inverse_mass * mass.load(i)};
}

__global__ void square_lengths(ArrayView length, double longest, std::size_t n,
                               double inverse_length, double* squares)
{
    const std::size_t i = std::size_t(blockIdx.x) * block_size + threadIdx.x;
    if (i >= n)
        return;
    const double own = length.load(i), scaled = inverse_length * (longest < own ? longest : own);
    squares[i] = scaled * scaled;
}

__global__ void put_sums(DirectArrays::Sums sums, ArrayView acceleration, ArrayView potential,
                         unsigned* fault)
{
    const std::size_t t = std::size_t(blockIdx.x) * block_size + threadIdx.x;
    if (t >= sums.count)
        return;
    const std::size_t i = sums.targets ? sums.targets[t] : t;
    const Vec3<double> a = sums.acceleration[i];
    double probe = 0 * (a.x + a.y + a.z);
    acceleration.store_vector(i, a);
    if (sums.potential) {
        potential.store(i, 0, sums.potential[i]);
        probe += 0 * sums.potential[i];
    }
    if (probe != 0)
        *fault = 1;
}

struct IsDue {
    const std::uint8_t* level;
    int first;
    __device__ bool operator()(Index i) const { return level[i] >= first; }
};

} // namespace

void DirectArrays::find_extent(const ArrayView& position, const ArrayView& mass, std::size_t n,
                               const Stream& stream)
{
    chunks_ = (n + DirectExtent::chunk - 1) / DirectExtent::chunk;
    sum_extents<<<unsigned(chunks_), DirectExtent::lanes, 0, stream>>>(
        position, mass, n, host_extents_.reserve(chunks_));
    check(cudaGetLastError(), "launch the extent of particles");
}

void DirectArrays::pack(const ArrayView& position, const ArrayView& mass, std::size_t n,
                        const DirectFrame& frame, Source* sources, const Stream& stream)
{
    pack_sources<<<blocks_of(n), block_size, 0, stream>>>(position, mass, n, 1 / frame.length,
                                                          1 / frame.mass, sources);
    check(cudaGetLastError(), "launch the sources");
}

void DirectArrays::pack_softenings(const ArrayView& softening, double longest, std::size_t n,
                                   const DirectFrame& frame, double* squares, const Stream& stream)
{
    square_lengths<<<blocks_of(n), block_size, 0, stream>>>(softening, longest, n, 1 / frame.length,
                                                            squares);
    check(cudaGetLastError(), "launch the softening lengths");
}

Index DirectArrays::find_targets(const std::uint8_t* level, int first, std::size_t n,
                                 DeviceBuffer<Index>& targets, const Stream& stream)
{
    Index* there = targets.reserve(n);
    unsigned* number = number_.reserve(1);
    const auto run = [&](void* scratch, std::size_t& bytes) {
        check(cub::DeviceSelect::If(scratch, bytes, thrust::counting_iterator<Index>(0), there,
                                    number, std::int64_t(n), IsDue{level, first}, stream),
              "launch the choice of targets");
    };
    std::size_t bytes = 0;
    run(nullptr, bytes);
    run(scratch_.reserve(bytes), bytes);
    download(host_number_.reserve(1), number, 1, stream);
    stream.wait();
    return *host_number_.data();
}

void DirectArrays::put(const Sums& sums, const ArrayView& acceleration, const ArrayView& potential,
                       const Stream& stream)
{
    unsigned* fault = host_fault_.reserve(1);
    *fault = 0;
    put_sums<<<blocks_of(sums.count), block_size, 0, stream>>>(sums, acceleration, potential,
                                                               fault);
    check(cudaGetLastError(), "launch the results");
}

} // namespace chamomile
