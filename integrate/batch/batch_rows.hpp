/// \file  The bodies of a batch as rows for sums over pairs, in memory of the host or a GPU.
#pragma once

#include <memory>
#include <vector>

#include "chamomile/force/pairs/pair_solver.hpp"
#include "chamomile/integrate/batch/batch.hpp"

namespace chamomile {

/// What the rows of a batch hold.
struct BatchShape {
    bool with_jerks = false; ///< rows hold velocities, and sums hold jerks
    bool per_particle = false;
    bool moves = false; ///< bodies are advanced
};

/// A part of a step.
enum class BatchMove {
    start,      ///< Hermite: keeps the motion at the start
    kick_drift, ///< leapfrog: half a kick, and a drift
    kick,       ///< leapfrog: half a kick
    predict,    ///< Hermite
    correct     ///< Hermite
};

/// Rows are position, [velocity,] mass [, eps^2]; sums are acceleration, [jerk,] potential.
class BatchRows {
public:
    virtual ~BatchRows() = default;

    /// Returns the largest |mass|; infinite if one is not finite.
    virtual double largest_mass(const Batch& batch) = 0;
    /// Makes rows, with masses in units of `unit`. Returns at least the longest side of a system;
    /// infinite if a value is not finite or a length negative.
    virtual double load(const Batch& batch, const BatchShape& shape, double unit) = 0;
    /// Returns the task of these rows, whose largest system is below `extent`.
    virtual PairTask task(double extent) = 0;
    virtual std::span<double> sums() = 0;
    /// Returns whether all sums are finite.
    virtual bool sums_are_finite() = 0;
    /// Writes the results, `unit` times the sums. Returns whether they are finite.
    virtual bool store(const FieldResults& results, double unit) = 0;

    /// Sets the steps, one for all systems or one per system, and the unit of sums.
    virtual void set_steps(std::span<const double> lengths, double unit) = 0;
    virtual void move(BatchMove part) = 0;
    /// Writes positions and velocities. Returns whether they are finite.
    virtual bool store_motion(const Batch& batch) = 0;

    /// Copies from and to these rows on the host.
    virtual std::vector<double> host_sources() = 0;
    virtual std::vector<double> host_sums() = 0;
    virtual void set_sums(const std::vector<double>& sums) = 0;
};

std::unique_ptr<BatchRows> make_host_batch_rows();
/// Throws Error(device).
std::unique_ptr<BatchRows> make_cuda_batch_rows(int device);

} // namespace chamomile
