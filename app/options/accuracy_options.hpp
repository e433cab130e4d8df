/// \file  `--accuracy`: an error to keep, instead of a tolerance or an opening angle.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/options/options.hpp"
#include "chamomile/force/solver.hpp"

namespace chamomile::app {

/// What the options ask for.
struct AccuracyRequest {
    std::optional<double> error;
    std::vector<double> errors; ///< where options take lists
    double percentile = AccuracyGoal().percentile;
    int check_every = AccuracyGoal().check_every;
};

/// Adds --accuracy, --accuracy-percentile and, for runs, --accuracy-every.
enum class AccuracyUse { one_evaluation, list, run };
void add_accuracy_options(Options& options, AccuracyRequest& request, AccuracyUse use);

/// Puts the goal into `solver`, if there is one; what --criterion, --order, --local-order,
/// --group-size and --leaf-size give is not chosen. Throws Error(usage) for options that the goal
/// chooses or that contradict it.
void settle_accuracy(const Options& options, const AccuracyRequest& request, double error,
                     SolverOptions& solver);
void settle_accuracy(const Options& options, const AccuracyRequest& request, SolverOptions& solver);

/// The error |da|/|a| that a setting stands for, and of what part of the particles, in %: that of
/// its AccuracyGoal; or three times a tolerance, which is of the accelerations of isolated
/// particles (docs/accuracy.md). Sums and opening angles stand for none.
struct AskedError {
    double error, percentile;
};
std::optional<AskedError> asked_error(const SolverOptions& setting);

/// A line if more of the sampled errors are larger than the one asked for than chance explains, by
/// three standard deviations of their number; else empty.
std::string excess_text(const SolverOptions& setting, std::vector<double> errors);

/// A line where forces cancel below what the tolerance is taken of for more than 1 % of the
/// particles (ForceStatistics::cancelling_part); else nothing.
std::string cancellation_text(const ForceStatistics& statistics);

/// Such as "99 % error at most 0.001".
std::string goal_text(const AccuracyGoal& goal);

/// What the solver did, in one line.
std::string report_text(const AccuracyReport& report);

/// The options that repeat a choice: "--accuracy 0.001 --criterion moments ...".
std::string repeating_options(const SolverOptions& chosen);

} // namespace chamomile::app
