/// \file  Rows that begin with a position along a Hilbert curve, sorted on the device.
#pragma once

#include "chamomile/core/box.hpp"
#include "chamomile/gpu/device/device.cuh"
#include "chamomile/gpu/pairs/pair_job.hpp"
#include "chamomile/gpu/tree/rank_keys.cuh"
#include "chamomile/tree/keys.hpp"

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

/// The lowest coordinates, and minus the highest, as ordered integers; to be set to the largest
/// integer before.
struct GrowingBox {
    long long side[6];
};

/// Keeps its memory between sorts.
class RowOrder {
public:
    /// The numbers of the rows along the curve that fills a cube about `all`.
    void sort(const DeviceRows& rows, const Box& all, DeviceBuffer<unsigned>& order,
              cudaStream_t stream);

    /// The same with the box of the rows, found on the device.
    void sort_in_own_box(const DeviceRows& rows, DeviceBuffer<unsigned>& order,
                         cudaStream_t stream);

private:
    void sort_keys(unsigned n, unsigned* sorted, cudaStream_t stream);

    KeyRanker ranker_;
    DeviceBuffer<Key> keys_, sorted_keys_;
    DeviceBuffer<unsigned> numbers_;
    DeviceBuffer<char> scratch_;
    DeviceBuffer<GrowingBox> box_;
};

/// Writes the boxes of tiles of 32 rows in that order (null: as they stand).
void find_tile_boxes(const DeviceRows& rows, const unsigned* order, PairBox* boxes,
                     cudaStream_t stream);

} // namespace chamomile
