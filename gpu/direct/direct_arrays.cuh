/// \file  A request's arrays on the device, read and written by the direct sum.
#pragma once

#include <vector>

#include "chamomile/core/array_view.hpp"
#include "chamomile/gpu/device/device.cuh"
#include "chamomile/gpu/direct/direct_frame.hpp"
#include "chamomile/gpu/direct/direct_job.cuh"

namespace chamomile {

/// A DirectArrays reads the caller's positions and masses on the device and writes the sums, in any
/// layout. Calls queue their work in the stream, and only find_targets() waits for it. extent() and
/// all_finite() are valid after a wait for the stream.
class DirectArrays {
public:
    /// Queues the extent of n particles.
    void find_extent(const ArrayView& position, const ArrayView& mass, std::size_t n,
                     const Stream& stream);
    DirectExtent extent() const { return extent_of({host_extents_.data(), chunks_}); }

    /// Queues the conversion of sources to the frame's units.
    void pack(const ArrayView& position, const ArrayView& mass, std::size_t n,
              const DirectFrame& frame, Source* sources, const Stream& stream);

    /// Queues the squares of softening lengths, limited to `longest`, in the frame's units.
    void pack_softenings(const ArrayView& softening, double longest, std::size_t n,
                         const DirectFrame& frame, double* squares, const Stream& stream);

    /// Lists the particles of level `first` or above, ascending. Returns their number.
    Index find_targets(const std::uint8_t* level, int first, std::size_t n,
                       DeviceBuffer<Index>& targets, const Stream& stream);

    /// Sums of targets: all particles, or a list.
    struct Sums {
        const Vec3<double>* acceleration; ///< by particle number
        const double* potential;          ///< null: none
        const Index* targets;             ///< null: all
        std::size_t count;
    };
    /// Queues the copy of sums to device arrays.
    void put(const Sums& sums, const ArrayView& acceleration, const ArrayView& potential,
             const Stream& stream);
    bool all_finite() const { return *host_fault_.data() == 0; }

private:
    mutable PinnedBuffer<DirectExtent> host_extents_; // written by kernels, like the flag
    std::size_t chunks_ = 0;
    DeviceBuffer<unsigned> number_;
    mutable PinnedBuffer<unsigned> host_fault_;
    PinnedBuffer<unsigned> host_number_;
    DeviceBuffer<char> scratch_;
};

} // namespace chamomile
