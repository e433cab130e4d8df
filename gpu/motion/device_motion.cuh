/// \file  What those who move particles on the device share.
///
/// Contraction: none in whatever includes this, so that the bits are the host's.
#pragma once

#include <memory>

#include "chamomile/core/array_view.hpp"
#include "chamomile/core/vec3.hpp"
#include "chamomile/gpu/device/device.cuh"
#include "chamomile/gpu/device/staging.cuh"

namespace chamomile {

constexpr unsigned motion_block_size = 256; ///< threads

/// Sets the flag where a component is not finite.
inline __device__ void note_fault(const Vec3<double>& value, unsigned* faults)
{
    if (0 * (value.x + value.y + value.z) != 0)
        *faults = 1;
}

/// A stream of a device, and the checks of kernels that have a thread for each particle.
class DeviceMotion {
public:
    DeviceMotion(const DeviceMotion&) = delete;
    DeviceMotion& operator=(const DeviceMotion&) = delete;

protected:
    explicit DeviceMotion(int device) : device_(device), staging_(device)
    {
        check(cudaSetDevice(device), "choose the device");
        stream_ = std::make_unique<Stream>();
        faults_.reserve(1);
    }
    ~DeviceMotion() = default;

    void settle() { settle_device(device_); } ///< to be called before buffers go
    unsigned blocks() const { return unsigned((n_ + motion_block_size - 1) / motion_block_size); }
    void use_device() { check(cudaSetDevice(device_), "choose the device"); }

    /// A view of an array with an item for each particle.
    template <class T>
    ArrayView on_device(DeviceBuffer<T>& buffer) const
    {
        ArrayView view = view_of(std::span(buffer.data(), n_));
        view.on_device = true;
        return view;
    }

    /// False if the kernel, told where, has noted a fault.
    template <class Launch>
    bool finite(Launch launch)
    {
        if (n_ == 0)
            return true;
        use_device();
        check(cudaMemsetAsync(faults_.data(), 0, sizeof(unsigned), *stream_), "clear a flag");
        launch(faults_.data());
        check(cudaGetLastError(), "launch the motion of particles");
        unsigned* faults = host_faults_.reserve(1);
        download(faults, faults_.data(), 1, *stream_);
        stream_->wait();
        return *faults == 0;
    }

    int device_;
    Staging staging_;
    std::unique_ptr<Stream> stream_;
    std::size_t n_ = 0; ///< particles

private:
    DeviceBuffer<unsigned> faults_;
    PinnedBuffer<unsigned> host_faults_;
};

} // namespace chamomile
