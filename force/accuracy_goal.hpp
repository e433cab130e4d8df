/// \file  Accuracy as something to ask for: a solver that chooses its options by its own error.
#pragma once

#include <functional>

#include "force/solver.hpp"

namespace chamomile {

/// What a solver with a goal did about it.
struct AccuracyReport {
    enum class Event {
        chosen,  ///< by the first evaluation
        kept,    ///< the error lies where it may
        adjusted ///< it did not, and the limit of the criterion was changed
    };
    Event event;
    std::uint64_t evaluation; ///< its number (Solver::number_next)
    SolverOptions options;    ///< now in force
    double error;             ///< at the goal's percentile of the sample, measured with them
    double error_before;      ///< where it was adjusted: with those before
    int trials;               ///< evaluations that choosing or adjusting took
    double seconds;           ///< of trials and direct sums
};

/// |da| / |a| against the direct sum is to be at most `error` for `percentile` % of the particles.
///
/// The solver measures itself on `sample` particles spread over all indices (more where the
/// percentile needs them), by direct sums on its own device: in float where their error of up to
/// 5e-7 is below a twentieth of the goal, else in double. The tolerance or opening angle is where
/// 0.68 to 0.82 of the goal is reached, so that a sample of other particles keeps the goal; it
/// depends on errors alone. Criterion, orders and sizes are the fastest of a few, by the time that
/// they take here and now; options that fix them repeat the forces bit for bit. A direct sum is
/// taken where that is faster or nothing else is exact enough; goals below 2e-6 are met in double
/// precision.
///
/// Every `check_every` evaluations the error is measured anew, and the limit adjusted if it left
/// 0.5 to 1 of the goal.
struct AccuracyGoal {
    double error = 1e-3; ///< 1e-12 to 0.5
    double percentile = 99; ///< up to 99.9
    std::size_t sample = 2000;
    int check_every = 50; ///< 0: never
    /// What is not to be chosen. Sizes are fixed by SolverOptions that are not 0.
    std::optional<Criterion> criterion;
    std::optional<int> order, local_order;
    /// The options are what a solver of this goal had in force: it goes on from there instead of
    /// choosing, as a restart does.
    bool chosen_already = false;
    std::function<void(const AccuracyReport&)> report; ///< called within solve()
};

/// The options apart from criterion, tolerance, theta and orders are kept, and sizes that are not
/// 0; options() has what is in force. Throws Error(usage), as solve() does where even the direct
/// sum misses the goal.
std::unique_ptr<Solver> make_accurate_solver(const SolverOptions& options,
                                             const AccuracyGoal& goal);

} // namespace chamomile
