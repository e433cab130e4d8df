/// \file  The direct sum of particles on the device: order, gather, sum, and a sum in double of
/// cancelling targets.
#pragma once

#include "chamomile/core/softening.hpp"
#include "chamomile/force/lists/list_solver.hpp"
#include "chamomile/force/repairs/cancellation.hpp"
#include "chamomile/gpu/device/caching_allocator.cuh"
#include "chamomile/gpu/direct/direct_job.cuh"
#include "chamomile/gpu/pairs/pair_order.cuh"
#include "chamomile/gpu/tiles/part_memory.cuh"

namespace chamomile {

/// Up to this count all tiles are near, and sources need no boxes.
inline constexpr Index few_direct_targets = 8192;

/// Settings of a sum that DirectSum does not contain.
struct DirectSetup {
    MassSums masses; ///< in any unit
    bool scaled;     ///< whether masses may be folded into coordinates
    bool with_potential;
    const Index* active = nullptr; ///< the caller's indices of targets, ascending; null: all
    const Index* order = nullptr;  ///< of all particles along a curve; null: computed here
    TargetPart part = {};          ///< of the blocks of targets
};

/// The targets of a sum.
struct DirectTargets {
    const Index* number; ///< the caller's indices, on the device until the next sum
    Index count, blocks;
};

/// A DirectSummer sums sources along a Hilbert curve in any caller's order. For few targets all
/// tiles are near and use coordinates in two floats; for many targets nearly all pairs pass the
/// force loop. Buffers are kept between sums. Its many members are these buffers.
class DirectSummer {
public:
    DirectSummer(const Softening& softening, Precision precision)
        : softening_(softening), precision_(precision)
    {}

    /// Queues the sum of all sources for the targets, or for a part of the targets with bitwise
    /// equal results, and returns the targets. The caller sets in `job`: particles, counts of
    /// sources and of all targets, softening length or lengths (null: one common length), units,
    /// and the outputs for sums and for the count of cancelling targets.
    DirectTargets sum(DirectSum job, const DirectSetup& setup, cudaStream_t stream);

private:
    void gather(DirectSum& job);
    void make_room_for_clumps(DirectSum& job, Index count);
    const Index* sort_along_curve(const DirectSum& job, const Index* numbers, Index n,
                                  DeviceBuffer<Index>& order);
    const Index* sort_by_length(const DirectSum& job);
    template <class Rule>
    DirectTargets choose_law(const DirectSum& job);
    template <class Law>
    DirectTargets choose(DirectSum job);
    template <class Law, class T, class Shape>
    DirectTargets launch(DirectSum job, Index wanted);
    Index keep_part(DirectSum& job, Index blocks, Index targets_of_block) const;
    template <class Law, class Shape>
    void sum_again(const DirectSum& job);

    Softening softening_;
    Precision precision_;
    DirectSetup setup_{};
    cudaStream_t stream_ = nullptr; // of the present sum
    RowOrder curve_;
    DeviceBuffer<Index> order_, target_order_, order_by_length_;
    DeviceBuffer<std::uint64_t> length_keys_;
    CachingAllocator scratch_;
    DeviceBuffer<SortedSource> sources_;
    DeviceBuffer<TileBox<float>> boxes_;
    PartMemory parts_;
    DeviceBuffer<PseudoParticle> clumps_;
    DeviceBuffer<float> sizes_;
    DeviceBuffer<Index> found_;
    bool counters_are_clear_ = false;
    DeviceBuffer<unsigned> counters_; // counts of cancelling targets and of blocks, zero between
                                      // sums
};

} // namespace chamomile
