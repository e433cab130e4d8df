/// \file  Bounding box and sorted keys of positions on one device.
#pragma once

#include "chamomile/gpu/device/caching_allocator.cuh"
#include "chamomile/gpu/device/device.cuh"
#include "chamomile/tree/keys.hpp"

namespace chamomile {

struct Extent;

/// A DeviceKeys sorts positions by key on the current device.
class DeviceKeys {
public:
    explicit DeviceKeys(CachingAllocator& scratch) : scratch_(scratch) {}

    /// Queues the search for the bounding box of the positions.
    void start_extent(const Vec3<double>* positions, std::size_t n, cudaStream_t stream);
    /// Waits and adds the bounding box to `box`. Returns false if a coordinate is not finite.
    bool add_extent(Box& box);
    /// Queues the sort: fills `keys` in ascending order and `order` with the position index of
    /// each. The sort is stable.
    void start_sort(const Vec3<double>* positions, std::size_t n, const RootCube& cube, Key* keys,
                    Index* order, cudaStream_t stream);

private:
    CachingAllocator& scratch_;
    DeviceBuffer<Extent> extents_;
    PinnedBuffer<Extent> host_extents_;
    Event measured_;
};

} // namespace chamomile
