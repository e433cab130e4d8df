/// \file  Fourier transforms of grids on the device, by cuFFT.
#pragma once

#include "chamomile/gpu/device/device.cuh"

namespace chamomile {

/// A DeviceFourier transforms grids of n^3 values (float or double) with rows of 2 (n / 2 + 1) in
/// place, by the conventions of Fourier (force/mesh/fourier.hpp). Results on one device are bitwise
/// reproducible. cuFFT is loaded by name at first use, so the program starts without it. The
/// constructor throws Error(device) if cuFFT is missing.
template <class T>
class DeviceFourier {
public:
    explicit DeviceFourier(int n);
    ~DeviceFourier();
    DeviceFourier(const DeviceFourier&) = delete;
    DeviceFourier& operator=(const DeviceFourier&) = delete;

    void forward(T* grid, cudaStream_t stream) const;
    void backward(T* grid, cudaStream_t stream) const;

private:
    DeviceFourier() = default;

    int forward_ = -1, backward_ = -1;
    DeviceBuffer<char> work_; ///< shared by both transforms
};

} // namespace chamomile
