/// \file  Returns sums and work of a rank's domain on its GPU to the ranks of the rows.
#pragma once

#include <vector>

#include "chamomile/gpu/ranks/arriving_rows.cuh"
#include "chamomile/tree/domain/domain_part.hpp"

namespace chamomile {

/// A RowWork keeps the work of each row in the last evaluation; domains are cut by work.
class RowWork {
public:
    /// Sets the number of rows, and RowsOfRank::arrangement.
    void begin(std::size_t rows, std::uint64_t arrangement);
    /// Returns the work of each row; null: unknown.
    const float* data() { return rows_ > 0 && is_known_ ? work_.data() : nullptr; }
    /// Return arrays to fill: for rows, received rows after them, and for the domain's targets in
    /// tree order. The former work is lost.
    float* of_rows(std::size_t count)
    {
        is_known_ = false;
        return work_.reserve(count);
    }
    float* of_targets(std::size_t count) { return placed_.reserve(count); }
    /// Ends filling. `arrivals`: particles of the domain; 0 if some are no targets.
    void finish(std::size_t rows, std::size_t arrivals)
    {
        rows_ = rows;
        placed_rows_ = arrivals;
        is_known_ = true;
    }

private:
    std::size_t rows_ = 0, placed_rows_ = 0;
    bool is_known_ = false;
    std::uint64_t arrangement_ = 0;
    DeviceBuffer<float> work_, placed_; // placed_: work by domain, valid after particles move there
};

/// ReturnedSums holds the sums of rows, followed by the sums of received particles.
class ReturnedSums {
public:
    ReturnedSums(DeviceTree& tree, ArrivingRows& rows) : tree_(tree), rows_(rows) {}

    /// Returns the arrays that an evaluator fills. They are the caller's arrays for local rows if
    /// all particles are targets and the arrays are on the device. `work` must stay until send().
    ArrivalSums begin(const SumArrays& to, bool are_all, std::size_t targets, bool with_potentials,
                      RowWork& work);
    std::span<float> work_of_targets() { return {of_targets_, target_count_}; }
    /// Returns the sums and work of received particles to their ranks, and fills the caller's
    /// arrays. If `is_target` is set, stores targets only. Returns the total work of this rank.
    std::uint64_t send(const std::uint8_t* is_target, std::span<const Index> targets,
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
    RowWork* row_work_ = nullptr;
    float *work_ = nullptr, *of_targets_ = nullptr; // arrays of row_work_
    DeviceBuffer<Index> list_;
    DeviceBuffer<unsigned long long> all_work_;
    PinnedBuffer<unsigned long long> host_work_;
};

} // namespace chamomile
