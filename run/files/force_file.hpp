/// \file  forces.csv: errors of sampled forces relative to direct sums during a run.
#pragma once

#include <filesystem>
#include <string>

#include "chamomile/core/units.hpp"
#include "chamomile/integrate/simulation.hpp"
#include "chamomile/run/files/line_file.hpp"

namespace chamomile {

/// A ForceFile writes forces.csv and keeps the largest errors.
class ForceFile {
public:
    /// `targets`: number of particles to measure, spread evenly over all.
    explicit ForceFile(std::size_t targets) : targets_(targets) {}

    /// Creates or continues the file, see LineFile::open(). Throws Error(output).
    std::string open(const std::filesystem::path& file, bool is_comoving, const Units& units);

    /// Writes a line to the file with the errors of the present forces and potentials
    /// (Simulation::sample_errors()). Throws Error(output).
    void add(Simulation& simulation);

    void sync() { file_.sync(); }
    void exchange(Archive& archive);

    /// Returns excess_text() of the first forces since start or restart with errors above the
    /// promised ones; empty if none.
    const std::string& excess() const { return excess_; }

    /// Returns the largest and the last errors, in one line.
    std::string summary() const;

private:
    std::size_t targets_;
    LineFile file_;
    double largest_p99_ = -1, last_p99_ = 0, last_median_ = 0;
    std::uint64_t largest_step_ = 0, last_step_ = 0;
    int checks_ = 0;
    std::string excess_;
};

} // namespace chamomile
