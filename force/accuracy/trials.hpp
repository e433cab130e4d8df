/// \file  Measurements for a solver with a goal: error and time by options, on one state of the
/// particles.
#pragma once

#include "chamomile/force/accuracy/direct_sample.hpp"
#include "chamomile/force/lists/list_solver.hpp"

namespace chamomile {

/// A tree with changing options, a direct solver if needed, and the sample that measures both.
class AccuracyTrials {
public:
    /// `resolved`: options for a tree; law, device and precision stay. If the platform has ranks,
    /// the device is for rank 0, and all ranks compute.
    AccuracyTrials(const SolverOptions& resolved, const AccuracyGoal& goal,
                   const Platform& platform);

    /// Begins with a request's positions; its arrays must stay valid.
    void begin(const Request& request);

    struct Outcome {
        double error;   ///< at the goal's percentile of the sample
        double seconds; ///< of the evaluation; on a CPU, CPU time per thread if less
        double pairs;   ///< with particles and cells, per particle
    };
    /// Evaluates all particles with `options`, into internal memory, and measures the error.
    Outcome try_out(const SolverOptions& options);

    /// Returns the error of `acceleration` for all particles.
    double error(const ArrayView& acceleration);

    /// Evaluates a request without measuring.
    ForceStatistics evaluate(const SolverOptions& options, const Request& request);

    /// Returns the softening of the request's most softened pairs.
    Softening softening(const SolverOptions& options) const;

    /// Saves or restores the state of a tree with these options.
    void exchange(Archive& archive, const SolverOptions& options);

    std::size_t size() const { return request_.count; }
    bool adds_long_range() const { return request_.long_range == LongRangePart::added; }
    std::uint64_t number() const { return request_.number; }
    int count() const { return count_; } ///< trials since begin()
    double seconds() const { return wall_clock_seconds() - begun_; }
    std::string device() const { return tree_->device(); }

private:
    std::size_t sample_size() const;

    Platform platform_;
    bool is_periodic_;
    std::unique_ptr<AdjustableSolver> tree_;
    std::unique_ptr<Solver> direct_;
    DirectSample sample_;
    std::size_t targets_;
    double percentile_;
    bool is_measured_ = false;
    Request request_;
    std::vector<Vec3<double>> acceleration_; // from trials
    int count_ = 0;
    double begun_ = 0;
};

} // namespace chamomile
