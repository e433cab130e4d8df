/// \file  Accuracy in words: goals, excesses and canceling forces.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "chamomile/force/solver.hpp"

namespace chamomile {

/// Returns a line if more sampled errors exceed the promised error than chance explains (three
/// standard deviations of the number); otherwise an empty text.
std::string excess_text(const SolverOptions& setting, std::vector<double> errors);

/// Returns whether the accelerations of more than 1 % of the particles nearly cancel, and so are
/// smaller than the reference of the tolerance (ForceStatistics::cancelling_part).
bool may_cancel(const ForceStatistics& statistics);

/// Returns excess_text() for a sample of targets if may_cancel(), otherwise an empty text.
/// `errors(targets)` returns the errors of the accelerations described by `statistics` at a sample
/// of the `count` particles. If device or memory have no room for the sample, the text says so.
std::string
cancellation_text(const ForceStatistics& statistics, const SolverOptions& setting,
                  std::size_t count,
                  const std::function<std::vector<double>(std::size_t targets)>& errors);

/// Returns a text such as "99 % error at most 0.001".
std::string goal_text(const AccuracyGoal& goal);

/// Returns one line on the solver's choices and errors.
std::string report_text(const AccuracyReport& report);

/// Returns the options that reproduce a choice, as marks that spelled() replaces: "{accuracy} 0.001
/// {criterion} moments ...".
std::string repeating_options(const SolverOptions& chosen);

} // namespace chamomile
