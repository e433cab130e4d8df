/// \file  Callers' arrays on the device: gathers, and copies through the host.
#pragma once

#include "chamomile/core/array_view.hpp"
#include "chamomile/gpu/device/device.cuh"

namespace chamomile {

/// Gather n items of doubles from a device array into a dense one. Without an array all numbers are
/// 1.
void gather_vectors(const ArrayView& from, std::size_t n, Vec3<double>* to, cudaStream_t stream);
void gather_numbers(const ArrayView& from, std::size_t n, double* to, cudaStream_t stream);

/// Throws Error(usage) if an array is not on this device; a kernel that read it would make the
/// device unusable.
void require_on_device(const ArrayView& array, int device);

/// Waits for all work queued by the arrays' owner, in any stream.
inline void wait_for_owner()
{
    check(device_hangs() ? cudaErrorNotReady : cudaDeviceSynchronize(),
          "wait for the caller's stream");
}

} // namespace chamomile
