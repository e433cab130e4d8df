/// \file  What errors are worth, in words: goals, excesses and cancelling forces.
#pragma once

#include <string>
#include <vector>

#include "chamomile/force/solver.hpp"

namespace chamomile {

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

} // namespace chamomile
