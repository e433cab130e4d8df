// Contraction: fused.
#include <cub/device/device_radix_sort.cuh>

#include "chamomile/gpu/pairs/pair_order.cuh"
#include "chamomile/tree/hilbert_key.hpp"

namespace chamomile {
namespace {

/// Stores key and index of one row in each thread.
__device__ void store_key(const PositionRows& rows, const Vec3<double>& center, double inverse_half,
                          Key* keys, unsigned* order)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows.count)
        return;
    const unsigned number = rows.number(i);
    keys[i] = hilbert_key(inverse_half * (rows.position(number) - center));
    order[i] = number;
}

__global__ void compute_row_keys(PositionRows rows, Vec3<double> center, double inverse_half,
                                 Key* keys, unsigned* order)
{
    store_key(rows, center, inverse_half, keys, order);
}

/// Maps doubles to integers of the same order, for atomic minima.
__device__ inline long long ordered(double x)
{
    const long long bits = __double_as_longlong(x);
    return bits < 0 ? bits ^ 0x7fffffffffffffffll : bits;
}
__device__ inline double from_ordered(long long x)
{
    return __longlong_as_double(x < 0 ? x ^ 0x7fffffffffffffffll : x);
}

__global__ void find_box(PositionRows rows, GrowingBox* box)
{
    const unsigned i = min(blockIdx.x * blockDim.x + threadIdx.x, rows.count - 1);
    const TileBox<double> b = box_of_warp<double>(rows.position(rows.number(i)));
    if (threadIdx.x % 32 != 0)
        return;
    const double sides[6] = {b.low.x, b.low.y, b.low.z, -b.high.x, -b.high.y, -b.high.z};
    for (int k = 0; k < 6; ++k)
        atomicMin(&box->side[k], ordered(sides[k]));
}

__global__ void compute_keys_in_box(PositionRows rows, const GrowingBox* box, Key* keys,
                                    unsigned* order)
{
    double side[6];
    for (int k = 0; k < 6; ++k)
        side[k] = from_ordered(box->side[k]);
    const TileBox<double> all{{side[0], side[1], side[2]}, {-side[3], -side[4], -side[5]}};
    const double longest = longest_side(all);
    store_key(rows, 0.5 * (all.low + all.high), longest > 0 ? 2 / longest : 1, keys, order);
}

/// Writes the boxes of tiles, a warp for each tile of 32 sorted rows.
__global__ void tile_boxes(PositionRows rows, const unsigned* order, TileBox<double>* boxes)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned real = min(i, rows.count - 1);
    const Vec3<double> x = rows.position(order ? order[real] : real);
    const TileBox<double> box = box_of_warp<double>(x);
    if (threadIdx.x % 32 == 0 && i < rows.count)
        boxes[i / 32] = box;
}

} // namespace

void RowOrder::sort(const PositionRows& rows, const Vec3<double>& center, double inverse_half,
                    DeviceBuffer<unsigned>& order, cudaStream_t stream)
{
    const unsigned n = rows.count;
    sorted_keys_.reserve(n);
    unsigned* sorted = order.reserve(n);
    compute_row_keys<<<(n + 255) / 256, 256, 0, stream>>>(rows, center, inverse_half,
                                                          keys_.reserve(n), numbers_.reserve(n));
    check(cudaGetLastError(), "launch the keys of rows");
    sort_keys(rows, sorted, stream);
}

void RowOrder::sort_in_own_box(const PositionRows& rows, DeviceBuffer<unsigned>& order,
                               cudaStream_t stream)
{
    const unsigned n = rows.count, blocks = (n + 255) / 256;
    GrowingBox* box = box_.reserve(1);
    check(cudaMemsetAsync(box, 0x7f, sizeof *box, stream), "clear a box"); // above 1e306
    find_box<<<blocks, 256, 0, stream>>>(rows, box);
    check(cudaGetLastError(), "launch the box of rows");
    sorted_keys_.reserve(n);
    unsigned* sorted = order.reserve(n);
    compute_keys_in_box<<<blocks, 256, 0, stream>>>(rows, box, keys_.reserve(n),
                                                    numbers_.reserve(n));
    check(cudaGetLastError(), "launch the keys of rows");
    sort_keys(rows, sorted, stream);
}

void RowOrder::sort_keys(const PositionRows& rows, unsigned* sorted, cudaStream_t stream)
{
    const unsigned n = rows.count;
    if (!rows.numbers && n <= max_to_rank)
        return ranker_.rank(keys_.data(), n, sorted, stream);
    const auto run = [&](void* scratch, std::size_t& bytes) {
        check(cub::DeviceRadixSort::SortPairs(scratch, bytes, keys_.data(), sorted_keys_.data(),
                                              numbers_.data(), sorted, n, 0, 3 * key_levels,
                                              stream),
              "sort the keys of rows");
    };
    std::size_t bytes = 0;
    run(nullptr, bytes);
    run(scratch_.reserve(bytes), bytes);
}

void find_tile_boxes(const PositionRows& rows, const unsigned* order, TileBox<double>* boxes,
                     cudaStream_t stream)
{
    tile_boxes<<<(rows.count + 255) / 256, 256, 0, stream>>>(rows, order, boxes);
    check(cudaGetLastError(), "launch the boxes of tiles");
}

} // namespace chamomile
