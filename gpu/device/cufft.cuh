/// \file  Fourier transforms of grids on the device, by cuFFT.
#pragma once

#include "chamomile/gpu/device/device.cuh"

namespace chamomile {

/// A DeviceFourier transforms slabs of grids of n^3 values (float or double) with rows of 2 (n / 2
/// + 1) in place, by the conventions of Fourier (force/mesh/fourier.hpp). Results on one device are
/// bitwise reproducible. cuFFT is loaded by name at first use, so the program starts without it.
/// The constructor throws Error(device) if cuFFT is missing.
template <class T>
class DeviceFourier {
public:
    /// Plans transforms of `slab` planes, and of `slab` rows of each plane.
    DeviceFourier(int n, int slab);
    ~DeviceFourier();
    DeviceFourier(const DeviceFourier&) = delete;
    DeviceFourier& operator=(const DeviceFourier&) = delete;

    /// Transform planes along their two indices.
    void forward(T* planes, cudaStream_t stream) const;
    void backward(T* planes, cudaStream_t stream) const;
    /// Transform the spectra of rows along the first index.
    void columns_forward(T* rows, cudaStream_t stream) const
    {
        transform_columns(rows, -1, stream);
    }
    void columns_backward(T* rows, cudaStream_t stream) const
    {
        transform_columns(rows, 1, stream);
    }

private:
    DeviceFourier() = default;
    void transform_columns(T* rows, int sign, cudaStream_t stream) const;

    int forward_ = -1, backward_ = -1, columns_ = -1;
    DeviceBuffer<char> work_; ///< shared by all transforms
};

} // namespace chamomile
