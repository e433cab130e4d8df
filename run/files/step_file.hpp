/// \file  steps.csv: the cost of each step of a run, one line each.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "chamomile/core/units.hpp"
#include "chamomile/integrate/simulation.hpp"
#include "chamomile/run/files/line_file.hpp"

namespace chamomile {

/// A StepFile writes steps.csv and keeps the errors that the solver measures.
class StepFile {
public:
    /// Writes the line of every `interval`-th step.
    explicit StepFile(std::uint64_t interval) : interval_(interval) {}

    /// Creates the file with a column for each phase of the first evaluation, and its line, or
    /// continues it after exchange(): see LineFile::open(). Throws Error(output).
    std::string open(const std::filesystem::path& file, const Simulation& simulation,
                     const Units& units);

    /// Writes the line of the last force evaluation through to the file, if it is due. Throws
    /// Error(output).
    void add(const Simulation& simulation);

    void sync() { file_.sync(); }
    void exchange(Archive& archive);

    /// Returns the last error that the solver measured itself; 0 if there is none.
    double measured_error() const { return measured_error_; }
    double largest_error() const { return largest_error_; }
    /// Returns in one line how the solver kept its AccuracyGoal.
    std::string accuracy_summary() const;

private:
    void note(const Simulation& simulation);

    std::uint64_t interval_;
    LineFile file_;
    std::vector<std::string> phases_;
    bool has_goal_ = false;
    double measured_error_ = 0, largest_error_ = 0;
    int measurements_ = 0;
};

} // namespace chamomile
