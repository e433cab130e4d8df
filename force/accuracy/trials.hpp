/// \file  What a solver with a goal measures: errors and times of options on one state of the
/// particles.
#pragma once

#include "chamomile/force/accuracy/direct_sample.hpp"
#include "chamomile/force/lists/list_solver.hpp"

namespace chamomile {

/// A tree whose options change, a direct solver where one is asked for, and the sample by which
/// both are measured.
class AccuracyTrials {
public:
    /// `resolved` options of a tree; law, device and precision stay. Where the platform has ranks,
    /// the device is that of the first, and all is computed by them.
    AccuracyTrials(const SolverOptions& resolved, const AccuracyGoal& goal,
                   const Platform& platform);

    /// Begins with the positions of a request, whose arrays stay.
    void begin(const Request& request);

    struct Outcome {
        double error;   ///< at the goal's percentile of the sample
        double seconds; ///< of the evaluation; of a processor's time, if that is less
        double pairs;   ///< with particles and cells, per particle
    };
    /// Evaluates all particles with those options, to memory of its own, and measures them.
    Outcome try_out(const SolverOptions& options);

    /// The error of these accelerations of all particles.
    double error(const ArrayView& acceleration);

    /// An evaluation that is no trial.
    ForceStatistics evaluate(const SolverOptions& options, const Request& request);

    std::size_t size() const { return request_.count; }
    std::uint64_t number() const { return request_.number; }
    int count() const { return count_; } ///< trials since begin()
    double seconds() const { return wall_clock_seconds() - begun_; }
    std::string device() const { return tree_->device(); }

private:
    Platform platform_;
    std::unique_ptr<AdjustableSolver> tree_;
    std::unique_ptr<Solver> direct_;
    DirectSample sample_;
    std::size_t targets_;
    double percentile_;
    bool is_measured_ = false;
    Request request_;
    std::vector<Vec3<double>> acceleration_; // of trials
    int count_ = 0;
    double begun_ = 0;
};

} // namespace chamomile
