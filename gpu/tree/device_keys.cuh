/// \file  Extent and sorted keys of the positions that one device has.
#pragma once

#include "chamomile/gpu/device/caching_allocator.cuh"
#include "chamomile/gpu/device/device.cuh"
#include "chamomile/tree/keys.hpp"

namespace chamomile {

struct Extent;

/// DeviceKeys sorts positions by key on the device that is current when it is made and called.
class DeviceKeys {
public:
    explicit DeviceKeys(CachingAllocator& scratch) : scratch_(scratch) {}

    /// Starts to look for the least box around the positions.
    void start_extent(const Vec3<double>* positions, std::size_t n, cudaStream_t stream);
    /// Adds that box to another, and waits for it. Returns false if a coordinate is not finite.
    bool add_extent(Box& box);
    /// Starts to make sorted keys, and the places of their positions. Equal keys keep the order of
    /// their places.
    void start_sort(const Vec3<double>* positions, std::size_t n, const RootCube& cube, Key* keys,
                    Index* order, cudaStream_t stream);

private:
    CachingAllocator& scratch_;
    DeviceBuffer<Extent> extents_;
    PinnedBuffer<Extent> host_extents_;
    Event measured_;
};

} // namespace chamomile
