/// \file  Accuracy in words: goals, excesses and cancelling forces.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "chamomile/force/solver.hpp"

namespace chamomile {

/// Returns a line if more of the sampled errors exceed the promised one than chance explains, by
/// three standard deviations of their number; else an empty text.
std::string excess_text(const SolverOptions& setting, std::vector<double> errors);

/// Returns whether the accelerations of more than 1 % of the particles nearly cancel, so that they
/// are below what the tolerance refers to (ForceStatistics::cancelling_part).
bool may_cancel(const ForceStatistics& statistics);

/// Returns excess_text() of a sample of targets if may_cancel(); else an empty text. `forces`
/// returns the accelerations that `statistics` describe. Where a device or the memory has no room
/// for the sample, the text says so.
std::string cancellation_text(const ForceStatistics& statistics, const SolverOptions& setting,
                              const std::function<Request()>& forces);

/// Returns a text such as "99 % error at most 0.001".
std::string goal_text(const AccuracyGoal& goal);

/// Returns in one line what the solver did.
std::string report_text(const AccuracyReport& report);

/// Returns the options that repeat a choice: "--accuracy 0.001 --criterion moments ...".
std::string repeating_options(const SolverOptions& chosen);

} // namespace chamomile
