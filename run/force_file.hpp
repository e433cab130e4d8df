/// \file  forces.csv: errors of sampled forces against direct sums, as a run goes on.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "chamomile/force/accuracy/direct_sample.hpp"
#include "chamomile/integrate/simulation.hpp"
#include "chamomile/run/line_file.hpp"

namespace chamomile {

class ForceFile {
public:
    /// For that many particles, spread evenly over all.
    explicit ForceFile(std::size_t targets) : targets_(targets) {}

    /// See LineFile::open(). Throws Error(output).
    std::string open(const std::filesystem::path& file);

    /// Writes the errors of the present forces and potentials through to the file, against direct
    /// sums in double on the simulation's device. `particles` are those of the simulation, and are
    /// as they were afterwards. Throws Error(output).
    void add(const Simulation& simulation, Particles& particles);

    void sync() { file_.sync(); }
    void exchange(Archive& archive);

    /// What excess_text() says of the first forces since the start or restart that are worse than
    /// asked; empty if none are.
    const std::string& excess() const { return excess_; }

    /// The largest and the last errors, in one line.
    std::string summary() const;

private:
    std::size_t targets_;
    LineFile file_;
    std::unique_ptr<DirectSample> sample_;
    double largest_p99_ = -1, last_p99_ = 0, last_median_ = 0;
    std::uint64_t largest_step_ = 0, last_step_ = 0;
    int checks_ = 0;
    std::string excess_;
};

} // namespace chamomile
