/// \file  steps.csv: the cost of each step of a run, one line per step.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "chamomile/core/units.hpp"
#include "chamomile/integrate/simulation.hpp"
#include "chamomile/run/files/line_file.hpp"

namespace chamomile {

/// A StepFile writes steps.csv and keeps the errors measured by the solver.
class StepFile {
public:
    /// Only every `interval`-th step gets a line.
    explicit StepFile(std::uint64_t interval) : interval_(interval) {}

    /// Creates the file with one column per phase of the first evaluation, and writes its line; or
    /// continues the file after exchange(), see LineFile::open(). Throws Error(output).
    std::string open(const std::filesystem::path& file, const Simulation& simulation,
                     const Units& units);

    /// Writes the line of the last force evaluation to the file, if due. Throws Error(output).
    void add(const Simulation& simulation);

    void sync() { file_.sync(); }
    void exchange(Archive& archive);

    /// Returns the last error measured by the solver; 0: none.
    double measured_error() const { return measured_error_; }
    double largest_error() const { return largest_error_; }
    /// Returns one line on how the solver met its AccuracyGoal.
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
