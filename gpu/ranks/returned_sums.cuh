/// \file  Returns sums and work of a rank's domain on its GPU to the ranks of the rows.
#pragma once

#include <vector>

#include "chamomile/gpu/ranks/arriving_rows.cuh"
#include "chamomile/tree/domain/domain_part.hpp"

namespace chamomile {

/// A RowWork keeps the work of each row in the last evaluation; domains are cut by work.
class RowWork {
public:
    /// Sets the number of rows, and how often ranks have exchanged particles (RowsOfRank).
    void begin(std::size_t rows, std::uint64_t exchanges);
    /// Returns the work of each row; null: unknown.
    const float* data() { return rows_ > 0 && is_known_ ? work_.data() : nullptr; }
    /// Copies the work of rows, and of the domain's particles in tree order. `of_arrivals` is null
    /// if some particle is no target.
    void take(const float* of_rows, std::size_t rows, const float* of_arrivals,
              std::size_t arrivals, cudaStream_t stream);

private:
    std::size_t rows_ = 0, placed_rows_ = 0;
    bool is_known_ = false;
    std::uint64_t exchanges_ = 0;
    DeviceBuffer<float> work_, placed_; // placed_: work by domain, valid after particles move there
};

/// ReturnedSums holds the sums of rows, followed by the sums of received particles.
class ReturnedSums {
public:
    ReturnedSums(DeviceTree& tree, ArrivingRows& rows) : tree_(tree), rows_(rows) {}

    /// Returns the arrays that an evaluator fills. They are the caller's arrays for local rows if
    /// all particles are targets and the arrays are on the device.
    ArrivalSums begin(const SumArrays& to, bool are_all, std::size_t targets, bool with_potentials);
    std::span<float> work_of_targets() { return {of_targets_.data(), target_count_}; }
    /// Returns the sums of received particles to their ranks and fills the caller's arrays. If
    /// `is_target` is set, stores targets only. Returns the total work of this rank.
    std::uint64_t send(const std::uint8_t* is_target, std::span<const Index> targets, RowWork& work,
                       Communicator& ranks);

private:
    void store_all();
    void store(const std::uint8_t* is_target, std::span<const Index> targets);

    DeviceTree& tree_;
    ArrivingRows& rows_;
    SumArrays to_; ///< the caller's arrays of the rows
    std::size_t target_count_ = 0;
    bool has_potentials_ = false;
    bool goes_straight_ = false; ///< sums of local rows go to the caller's arrays
    DeviceBuffer<Vec3<double>> acceleration_, some_accelerations_;
    DeviceBuffer<double> potential_, some_potentials_;
    DeviceBuffer<float> work_, of_targets_; // work_: of rows and received particles
    DeviceBuffer<Index> list_;
    DeviceBuffer<unsigned long long> all_work_;
    PinnedBuffer<unsigned long long> host_work_;
};

} // namespace chamomile
