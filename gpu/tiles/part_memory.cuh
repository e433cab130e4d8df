/// \file  Memory for sums whose sources are cut into parts, kept between sums.
#pragma once

#include "chamomile/gpu/device/device.cuh"
#include "chamomile/gpu/tiles/tile_block.cuh"

namespace chamomile {

class PartMemory {
public:
    /// Returns memory for `values` values of each block of targets and part; null pointers for one
    /// part.
    PartSums reserve(unsigned blocks, unsigned parts, unsigned values, cudaStream_t stream)
    {
        if (parts == 1)
            return {};
        double* sums = sums_.reserve(std::size_t(values) * blocks * parts);
        if (blocks > arrived_count_) {
            arrived_count_ = 0; // until they are clear
            check(cudaMemsetAsync(arrived_.reserve(blocks), 0, blocks * sizeof(unsigned), stream),
                  "clear counters");
            arrived_count_ = blocks;
        }
        return {sums, arrived_.data()};
    }

private:
    DeviceBuffer<double> sums_;
    DeviceBuffer<unsigned> arrived_; // all zero between sums
    unsigned arrived_count_ = 0;
};

} // namespace chamomile
