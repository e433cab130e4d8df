/// \file  Copies the sums of targets to the caller's arrays.
#pragma once

#include <optional>
#include <span>

#include "chamomile/core/array_view.hpp"
#include "chamomile/force/evaluator.hpp"
#include "chamomile/gpu/tree/device_tree.cuh"

namespace chamomile {

/// Count of sums that are not finite in the caller's units. not_float: 1 if a sum does not fit
/// float, else 0.
struct SumCounts {
    unsigned not_finite, not_float;
};

struct SumUnit;

class SumStorage {
public:
    explicit SumStorage(DeviceTree& tree) : tree_(tree) {}

    /// Sums of an evaluation: in the caller's order if all particles are targets, else in the
    /// order of the tree's targets.
    struct Sums {
        const TargetSum* sums;
        std::size_t count, particles;
        std::span<const Index> active; ///< in the caller's numbering
        bool are_of_all;
        bool are_of_floats;        ///< pairs were summed in float
        ArrivalSums received = {}; ///< particles of other ranks, with sums behind `count`
    };

    /// Stores the sums in the caller's units and waits. Returns the number of sums not finite
    /// there.
    std::size_t store(const Sums& sums, const ForceOutput& output);

    std::uint64_t bytes_down() const { return bytes_down_; } ///< of the last call

private:
    std::optional<std::size_t> store_floats(const Sums& sums, const SumUnit& unit,
                                            const ForceOutput& output);
    std::size_t store_doubles(const Sums& sums, const SumUnit& unit, const ForceOutput& output);
    std::size_t store_on_device(const Sums& sums, const SumUnit& unit, const ForceOutput& output);
    std::size_t store_active(const Sums& sums, const SumUnit& unit, const ForceOutput& output);
    template <class Number>
    void copy(const Number* from, std::size_t items, std::size_t components, double in_units,
              const ArrayView& to);
    SumCounts* begin_counts(const SumUnit& unit);
    SumCounts wait_for_counts();

    /// Sums of particles received from other ranks.
    struct Received {
        const TargetSum* sums = nullptr;
        std::size_t count = 0;
        SumArrays to = {};
    };

    DeviceTree& tree_;
    Received received_;                   // of the present call
    DeviceBuffer<Index> active_, number_; // number_: a particle's target index
    DeviceBuffer<TargetSum> sorted_;
    DeviceBuffer<Vec3<double>> accelerations_; // in the caller's order
    DeviceBuffer<double> potentials_;
    DeviceBuffer<Vec3<float>> short_accelerations_;
    DeviceBuffer<float> short_potentials_;
    DeviceBuffer<SumCounts> counts_;
    PinnedBuffer<SumCounts> host_counts_;
    PinnedBuffer<TargetSum> host_sums_;
    std::uint64_t bytes_down_ = 0;
};

} // namespace chamomile
