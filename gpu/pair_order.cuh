/// \file  Rows that begin with a position along a Hilbert curve, sorted on the device.
#pragma once

#include <cub/device/device_radix_sort.cuh>

#include "core/box.hpp"
#include "gpu/device.cuh"
#include "gpu/pair_job.hpp"
#include "tree/hilbert_key.hpp"

namespace chamomile {

struct DeviceRows {
    const double* values;
    unsigned count;
    int width;

    __device__ Vec3<double> position(unsigned i) const
    {
        const double* row = values + (unsigned long long)i * width;
        return {row[0], row[1], row[2]};
    }
};

__global__ void compute_row_keys(DeviceRows rows, Vec3<double> center, double inverse_half,
                                 Key* keys, unsigned* order)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows.count)
        return;
    keys[i] = hilbert_key(inverse_half * (rows.position(i) - center));
    order[i] = i;
}

/// One warp to a tile of 32 sorted rows.
__global__ void find_tile_boxes(DeviceRows rows, const unsigned* order, PairBox* boxes)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned real = min(i, rows.count - 1);
    const Vec3<double> x = rows.position(order ? order[real] : real);
    const auto least = [](double a) {
        for (int d = 16; d > 0; d /= 2)
            a = fmin(a, __shfl_xor_sync(0xffffffffu, a, d));
        return a;
    };
    const PairBox box{{least(x.x), least(x.y), least(x.z)},
                      {-least(-x.x), -least(-x.y), -least(-x.z)}};
    if (threadIdx.x % 32 == 0 && i < rows.count)
        boxes[i / 32] = box;
}

/// Keeps its memory between sorts.
class RowOrder {
public:
    /// The numbers of the rows along the curve that fills a cube about `all`.
    void sort(const DeviceRows& rows, const Box& all, DeviceBuffer<unsigned>& order,
              cudaStream_t stream)
    {
        const unsigned n = rows.count;
        Key *keys = keys_.reserve(n), *sorted_keys = sorted_keys_.reserve(n);
        unsigned *numbers = numbers_.reserve(n), *sorted = order.reserve(n);
        const double side = all.longest_side();
        compute_row_keys<<<(n + 255) / 256, 256, 0, stream>>>(
            rows, all.center(), side > 0 ? 2 / side : 1, keys, numbers);
        check(cudaGetLastError(), "launch the keys of rows");
        const auto run = [&](void* scratch, std::size_t& bytes) {
            check(cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, sorted_keys, numbers,
                                                  sorted, n, 0, 3 * key_levels, stream),
                  "sort the keys of rows");
        };
        std::size_t bytes = 0;
        run(nullptr, bytes);
        run(scratch_.reserve(bytes), bytes);
    }

private:
    DeviceBuffer<Key> keys_, sorted_keys_;
    DeviceBuffer<unsigned> numbers_;
    DeviceBuffer<char> scratch_;
};

} // namespace chamomile
