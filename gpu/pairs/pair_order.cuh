/// \file  Sorts rows that begin with a position along a Hilbert curve, on the device.
#pragma once

#include "chamomile/core/box.hpp"
#include "chamomile/gpu/device/device.cuh"
#include "chamomile/gpu/tiles/tile_boxes.cuh"
#include "chamomile/gpu/tree/rank_keys.cuh"
#include "chamomile/tree/keys.hpp"

namespace chamomile {

struct PositionRows {
    const double* values;
    unsigned count;
    int width;
    const unsigned* numbers = nullptr; ///< selected rows; null: the first `count`

    __device__ unsigned number(unsigned i) const { return numbers ? numbers[i] : i; }
    __device__ Vec3<double> position(unsigned number) const
    {
        const double* row = values + (unsigned long long)number * width;
        return {row[0], row[1], row[2]};
    }
};

/// The lowest coordinates, and minus the highest, as ordered integers. Initial values must be the
/// largest integer.
struct GrowingBox {
    long long side[6];
};

/// A RowOrder sorts rows along a Hilbert curve and keeps its buffers between sorts.
class RowOrder {
public:
    /// Writes the row indices along the curve that fills a cube. Up to a few thousand rows use
    /// KeyRanker, because a radix sort would take longer than a sum over them.
    void sort(const PositionRows& rows, const Vec3<double>& center, double inverse_half,
              DeviceBuffer<unsigned>& order, cudaStream_t stream);

    /// Sorts in a cube about `all`.
    void sort(const PositionRows& rows, const Box& all, DeviceBuffer<unsigned>& order,
              cudaStream_t stream)
    {
        const double side = all.longest_side();
        sort(rows, all.center(), side > 0 ? 2 / side : 1, order, stream);
    }

    /// Sorts in a cube about the bounding box of the rows, found on the device.
    void sort_in_own_box(const PositionRows& rows, DeviceBuffer<unsigned>& order,
                         cudaStream_t stream);

private:
    void sort_keys(const PositionRows& rows, unsigned* sorted, cudaStream_t stream);

    KeyRanker ranker_;
    DeviceBuffer<Key> keys_, sorted_keys_;
    DeviceBuffer<unsigned> numbers_;
    DeviceBuffer<char> scratch_;
    DeviceBuffer<GrowingBox> box_;
};

/// Writes the boxes of tiles of 32 rows in this order (null: rows are sorted).
void find_tile_boxes(const PositionRows& rows, const unsigned* order, TileBox<double>* boxes,
                     cudaStream_t stream);

} // namespace chamomile
