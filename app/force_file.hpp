/// \file  forces.csv: errors of sampled forces against direct sums, as a run goes on.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "force/accuracy/direct_sample.hpp"
#include "integrate/simulation.hpp"

namespace chamomile::app {

class ForceFile {
public:
    /// For that many particles, spread evenly over all.
    explicit ForceFile(std::size_t targets) : targets_(targets) {}
    ~ForceFile();
    ForceFile(const ForceFile&) = delete;
    ForceFile& operator=(const ForceFile&) = delete;

    /// Throws Error(output).
    void open(const std::filesystem::path& file);

    /// Writes the errors of the present forces and potentials through to the file, against direct
    /// sums in double on the simulation's device. `particles` are those of the simulation, and are
    /// as they were afterwards. Throws Error(output).
    void add(const Simulation& simulation, Particles& particles);

    /// The largest and the last errors, in one line.
    std::string summary() const;

private:
    std::size_t targets_;
    std::filesystem::path path_;
    std::FILE* file_ = nullptr;
    std::unique_ptr<DirectSample> sample_;
    double largest_p99_ = -1, last_p99_ = 0, last_median_ = 0;
    std::uint64_t largest_step_ = 0, last_step_ = 0;
    int checks_ = 0;
};

} // namespace chamomile::app
