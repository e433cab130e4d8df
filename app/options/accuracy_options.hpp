/// \file  `--accuracy`: an error to keep, instead of a tolerance or an opening angle.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/options/options.hpp"
#include "chamomile/force/solver.hpp"
#include "chamomile/run/accuracy_text.hpp"

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

} // namespace chamomile::app
