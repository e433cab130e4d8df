/// \file  steps.csv: what each step of a run cost, one line for each.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "chamomile/integrate/simulation.hpp"
#include "chamomile/run/line_file.hpp"

namespace chamomile {

class StepFile {
public:
    /// Writes the line of every `interval`-th step.
    explicit StepFile(std::uint64_t interval) : interval_(interval) {}

    /// Creates the file with a column for each phase of the first evaluation, and its line; or goes
    /// on after exchange(): LineFile::open(). Throws Error(output).
    std::string open(const std::filesystem::path& file, const Simulation& simulation);

    /// Writes the line of the last force evaluation through to the file, if it is due. Throws
    /// Error(output).
    void add(const Simulation& simulation);

    void sync() { file_.sync(); }
    void exchange(Archive& archive);

    /// The last error that the solver measured of itself; 0 if none.
    double measured_error() const { return measured_error_; }
    double largest_error() const { return largest_error_; }
    /// How it kept its AccuracyGoal, in one line.
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
