// Bounding box, keys and their sort. Contraction: none, so that keys equal the host's.
#include <thrust/execution_policy.h>
#include <thrust/sort.h>

#include "chamomile/gpu/tree/device_keys.cuh"

namespace chamomile {

/// An Extent bounds the positions of one block.
struct Extent {
    Box box;
    double probe; ///< 0; NaN if a coordinate is not finite
};

namespace {

constexpr unsigned block_size = 256, extent_blocks = 512;

__global__ void measure_extent(const Vec3<double>* positions, std::size_t n, Extent* of_block)
{
    __shared__ double shared[7][block_size];
    Box box;
    double probe = 0;
    for (std::size_t i = std::size_t(blockIdx.x) * block_size + threadIdx.x; i < n;
         i += std::size_t(gridDim.x) * block_size) {
        const Vec3<double> p = positions[i];
        box.add(p);
        probe += 0 * (p.x + p.y + p.z);
    }
    const unsigned t = threadIdx.x;
    const double mine[7] = {box.low.x,   box.low.y,   box.low.z, -box.high.x,
                            -box.high.y, -box.high.z, probe};
    for (int f = 0; f < 7; ++f)
        shared[f][t] = mine[f];
    for (unsigned half = block_size / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) {
            for (int f = 0; f < 6; ++f)
                shared[f][t] = fmin(shared[f][t], shared[f][t + half]);
            shared[6][t] += shared[6][t + half];
        }
    }
    if (t == 0)
        of_block[blockIdx.x] = {{{shared[0][0], shared[1][0], shared[2][0]},
                                 {-shared[3][0], -shared[4][0], -shared[5][0]}},
                                shared[6][0]};
}

__global__ void compute_keys(const Vec3<double>* positions, std::size_t n, RootCube cube, Key* keys,
                             Index* order)
{
    const std::size_t i = std::size_t(blockIdx.x) * block_size + threadIdx.x;
    if (i >= n)
        return;
    keys[i] = morton_key(positions[i], cube);
    order[i] = Index(i);
}

} // namespace

void DeviceKeys::start_extent(const Vec3<double>* positions, std::size_t n, cudaStream_t stream)
{
    measure_extent<<<extent_blocks, block_size, 0, stream>>>(positions, n,
                                                             extents_.reserve(extent_blocks));
    check(cudaGetLastError(), "launch the extent");
    download(host_extents_.reserve(extent_blocks), extents_.data(), extent_blocks, stream);
    measured_.record(stream);
}

bool DeviceKeys::add_extent(Box& box)
{
    check(status_when_done(measured_), "measure the extent");
    double probe = 0;
    for (unsigned b = 0; b < extent_blocks; ++b) {
        box.add(host_extents_.data()[b].box);
        probe += host_extents_.data()[b].probe;
    }
    return probe == 0;
}

void DeviceKeys::start_sort(const Vec3<double>* positions, std::size_t n, const RootCube& cube,
                            Key* keys, Index* order, cudaStream_t stream)
{
    if (n == 0)
        return;
    compute_keys<<<unsigned((n + block_size - 1) / block_size), block_size, 0, stream>>>(
        positions, n, cube, keys, order);
    check(cudaGetLastError(), "launch the keys");
    call_thrust("launch the sort of keys", [&] {
        thrust::stable_sort_by_key(thrust::cuda::par_nosync(scratch_).on(stream), keys, keys + n,
                                   order);
    });
}

} // namespace chamomile
