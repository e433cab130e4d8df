/// \file  Sums and work of a rank's arrivals on its GPU, on their way to the rows.
#pragma once

#include <vector>

#include "chamomile/domain/domain_part.hpp"
#include "chamomile/gpu/ranks/arriving_rows.cuh"

namespace chamomile {

/// RowWork keeps the work of each row in the last evaluation, by which domains are cut.
class RowWork {
public:
    /// Says how many rows there are and how often ranks have exchanged particles (RowsOfRank).
    void begin(std::size_t rows, std::uint64_t exchanges);
    /// Returns the work of each row; null: not known.
    const float* data() { return rows_ > 0 && is_known_ ? work_.data() : nullptr; }
    /// Takes the work of rows, and that of arrivals in the order of the tree (null: not of all).
    void take(const float* of_rows, std::size_t rows, const float* of_arrivals,
              std::size_t arrivals, cudaStream_t stream);

private:
    std::size_t rows_ = 0, placed_rows_ = 0;
    bool is_known_ = false;
    std::uint64_t exchanges_ = 0;
    DeviceBuffer<float> work_, placed_; // placed: of rows if all ranks kept what they have got
};

/// HomeSums have sums of rows and, behind them, of guests.
class HomeSums {
public:
    HomeSums(DeviceTree& tree, ArrivingRows& rows) : tree_(tree), rows_(rows) {}

    /// Returns where an evaluator puts sums on their way to arrays of the rows: straight there,
    /// where all are targets and the arrays are on the device.
    ArrivalSums begin(const SumArrays& to, bool are_all, std::size_t targets, bool with_potentials);
    std::span<float> work_of_targets() { return {of_targets_.data(), target_count_}; }
    /// Brings all home: of targets alone if these are given, which are marked and listed. Returns
    /// the work of all.
    std::uint64_t send(const std::uint8_t* is_target, std::span<const Index> targets, RowWork& work,
                       Communicator& ranks);

private:
    void store_all();
    void store(const std::uint8_t* is_target, std::span<const Index> targets);

    DeviceTree& tree_;
    ArrivingRows& rows_;
    SumArrays to_; ///< of the rows, as the caller has them
    std::size_t target_count_ = 0;
    bool has_potentials_ = false;
    bool goes_straight_ = false; ///< sums of own rows go to the caller's arrays
    DeviceBuffer<Vec3<double>> acceleration_, some_accelerations_;
    DeviceBuffer<double> potential_, some_potentials_;
    DeviceBuffer<float> work_, of_targets_; // work: of rows and guests
    DeviceBuffer<Index> list_;
    DeviceBuffer<unsigned long long> all_work_;
    PinnedBuffer<unsigned long long> host_work_;
};

} // namespace chamomile
