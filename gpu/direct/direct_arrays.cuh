/// \file  The arrays of a request on the device, as the direct sum reads and writes them.
#pragma once

#include <vector>

#include "chamomile/core/array_view.hpp"
#include "chamomile/gpu/device/device.cuh"
#include "chamomile/gpu/direct/direct_frame.hpp"
#include "chamomile/gpu/direct/direct_job.cuh"

namespace chamomile {

/// DirectArrays reads the callers' positions and masses on the device and gives them the sums, in
/// whatever layout their arrays have. Every call queues its work in the stream and returns when
/// what it returns is there; what it queues may be asked for after a wait.
class DirectArrays {
public:
    /// Finds the extent of n particles; queued.
    void find_extent(const ArrayView& position, const ArrayView& mass, std::size_t n,
                     const Stream& stream);
    DirectExtent extent() const { return extent_of({host_extents_.data(), chunks_}); }

    /// Makes sources in the units of the frame; queued.
    void pack(const ArrayView& position, const ArrayView& mass, std::size_t n,
              const DirectFrame& frame, Source* sources, const Stream& stream);

    /// Writes the squares of softening lengths, cut to `longest`, in the units of the frame;
    /// queued.
    void pack_softenings(const ArrayView& softening, double longest, std::size_t n,
                         const DirectFrame& frame, double* squares, const Stream& stream);

    /// Lists the particles of at least that level, ascending; returns their number.
    Index find_targets(const std::uint8_t* level, int first, std::size_t n,
                       DeviceBuffer<Index>& targets, const Stream& stream);

    /// Sums holds the sums of targets, which are all particles or those of a list.
    struct Sums {
        const Vec3<double>* acceleration; ///< by the numbers of the particles
        const double* potential;          ///< null: none
        const Index* targets;             ///< null: all
        std::size_t count;
    };
    /// Writes the sums to arrays of the device; queued.
    void put(const Sums& sums, const ArrayView& acceleration, const ArrayView& potential,
             const Stream& stream);
    bool all_finite() const { return *host_fault_.data() == 0; }

private:
    mutable PinnedBuffer<DirectExtent> host_extents_; // which kernels write, like the flag
    std::size_t chunks_ = 0;
    DeviceBuffer<unsigned> number_;
    mutable PinnedBuffer<unsigned> host_fault_;
    PinnedBuffer<unsigned> host_number_;
    DeviceBuffer<char> scratch_;
};

} // namespace chamomile
