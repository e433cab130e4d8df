/// \file  Fourier transforms of grids on the device, by cuFFT.
#pragma once

#include "chamomile/gpu/device/device.cuh"

namespace chamomile {

/// DeviceFourier transforms grids of n^3 doubles with rows of 2 (n / 2 + 1) in place, by the
/// conventions of Fourier (mesh/fourier.hpp). The bits are the same again on one device. cuFFT is
/// loaded by name when the first is made, so that the program needs it no more than a GPU: the
/// constructor throws Error(device) where it is missing.
class DeviceFourier {
public:
    explicit DeviceFourier(int n);
    ~DeviceFourier();
    DeviceFourier(const DeviceFourier&) = delete;
    DeviceFourier& operator=(const DeviceFourier&) = delete;

    void forward(double* grid, cudaStream_t stream) const;
    void backward(double* grid, cudaStream_t stream) const;

private:
    DeviceFourier() = default;

    int forward_ = -1, backward_ = -1;
    DeviceBuffer<char> work_; ///< of whichever runs
};

} // namespace chamomile
