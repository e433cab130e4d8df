/// \file  What a solver with a goal measures: errors and times of options on one state of the
/// particles.
#pragma once

#include "chamomile/force/accuracy/direct_sample.hpp"
#include "chamomile/force/list_solver.hpp"

namespace chamomile {

/// A tree whose options change, a direct solver where one is asked for, and the sample by which
/// both are measured.
class AccuracyTrials {
public:
    /// `settled` options of a tree; law, device and precision stay.
    AccuracyTrials(const SolverOptions& settled, const AccuracyGoal& goal);

    /// Begins with other positions, of the evaluation of that number.
    void begin(std::uint64_t number);

    struct Outcome {
        double error;   ///< at the goal's percentile of the sample
        double seconds; ///< of the evaluation; of a processor's time, if that is less
        double pairs;   ///< with particles and cells, per particle
    };
    /// Evaluates all particles with those options and measures them.
    Outcome try_out(const SolverOptions& options, Particles& particles);

    /// The error of the accelerations that the particles hold.
    double error(Particles& particles);

    /// An evaluation that is no trial.
    ForceStatistics evaluate(const SolverOptions& options, Particles& particles,
                             Quantities quantities, std::span<const Index> active);

    void keep_tree(bool kept) { tree_->keep_tree(kept); }

    int count() const { return count_; } ///< trials since begin()
    double seconds() const { return wall_clock_seconds() - begun_; }
    std::string device() const { return tree_->device(); }

private:
    Solver& solver_for(const SolverOptions& options);

    std::unique_ptr<AdjustableSolver> tree_;
    std::unique_ptr<Solver> direct_;
    DirectSample sample_;
    std::size_t targets_;
    double percentile_;
    bool is_measured_ = false;
    std::uint64_t number_ = 0;
    int count_ = 0;
    double begun_ = 0;
};

} // namespace chamomile
