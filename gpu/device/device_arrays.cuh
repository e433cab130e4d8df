/// \file  Callers' arrays that lie on the device: gathered, and copied through the host.
#pragma once

#include "chamomile/core/array_view.hpp"
#include "chamomile/gpu/device/device.cuh"

namespace chamomile {

/// These gather items that are doubles one after the other from an array of the device. Without an
/// array all numbers are 1.
void gather_vectors(const ArrayView& from, std::size_t n, Vec3<double>* to, cudaStream_t stream);
void gather_numbers(const ArrayView& from, std::size_t n, double* to, cudaStream_t stream);

/// Throws Error(usage) for an array that is not on this device: a kernel that reads it would leave
/// the device unusable.
void require_on_device(const ArrayView& array, int device);

/// Waits until all is done that the owner of such arrays has begun in any stream.
inline void wait_for_owner()
{
    check(device_hangs() ? cudaErrorNotReady : cudaDeviceSynchronize(),
          "wait for the arrays' owner");
}

} // namespace chamomile
