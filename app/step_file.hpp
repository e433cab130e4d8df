/// \file  steps.csv: what each step of a run cost, one line for each.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "integrate/simulation.hpp"

namespace chamomile::app {

class StepFile {
public:
    /// Writes the line of every `interval`-th step.
    explicit StepFile(std::uint64_t interval) : interval_(interval) {}
    ~StepFile();
    StepFile(const StepFile&) = delete;
    StepFile& operator=(const StepFile&) = delete;

    /// Creates the file with a column for each phase of the first evaluation, and its line. Throws
    /// Error(output).
    void open(const std::filesystem::path& file, const Simulation& simulation);

    /// Writes the line of the last force evaluation through to the file, if it is due. Throws
    /// Error(output).
    void add(const Simulation& simulation);

    /// The last error that the solver measured of itself; 0 if none.
    double measured_error() const { return measured_error_; }
    /// How it kept its AccuracyGoal, in one line.
    std::string accuracy_summary() const;

private:
    void note(const Simulation& simulation);
    void write(const std::string& line);

    std::uint64_t interval_;
    std::filesystem::path path_;
    std::FILE* file_ = nullptr;
    std::vector<std::string> phases_;
    bool has_goal_ = false;
    double measured_error_ = 0, largest_error_ = 0;
    int measurements_ = 0;
};

} // namespace chamomile::app
