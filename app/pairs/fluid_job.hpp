/// \file  The steps of `chamomile fluid`: equilibration, measurement, checkpoints and stops.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "app/command_files.hpp"
#include "app/pairs/fluid_averages.hpp"
#include "chamomile/integrate/fluid.hpp"
#include "chamomile/io/checkpoint/checkpoint_file.hpp"
#include "chamomile/run/stop_requests.hpp"

namespace chamomile::app {

/// A FluidRun holds the options of a fluid run.
struct FluidRun {
    FluidOptions fluid;
    std::uint64_t steps = 10000, equilibrate = 5000, every = 10;
    bool argon = false;
    Output output;
    std::string restart, checkpoint; ///< files
    double checkpoint_walltime = 900;
    std::optional<double> max_walltime;
};

/// Returns the name of the previous checkpoint.
std::string earlier_checkpoint(const std::string& checkpoint);

/// A FluidJob runs a fluid with its checkpoints.
class FluidJob {
public:
    /// A restart inherits `options`.
    FluidJob(const FluidRun& run, const std::map<std::string, std::string>& options);

    /// Restores the state from a checkpoint. Throws Error(restart).
    void restore(CheckpointReader& archive);

    /// Makes all remaining steps and calls `after` for each. Returns the reason for an early stop,
    /// or "". Writes checkpoints, if a file is set, at intervals, at a stop and at the end.
    std::string execute(const std::function<void()>& after);

    const Fluid& fluid() const { return fluid_; }
    const FluidAverages& averages() const { return *averages_; }
    std::uint64_t step() const { return step_; } ///< equilibration and measurement

private:
    void take_step();
    void equilibrate();
    void exchange(Archive& archive);
    void keep_earlier();
    void write_checkpoint();

    const FluidRun& run_;
    std::map<std::string, std::string> options_;
    Fluid fluid_;
    std::optional<FluidAverages> averages_; ///< set after equilibration
    std::uint64_t step_ = 0, counted_ = 0;
    std::filesystem::path restored_; ///< empty: a new run
    bool is_ours_ = false;           ///< the existing checkpoint is complete and from this run
    double potential_ = 0;           ///< sum of `counted_` potential energies in equilibration
    double checkpoint_seconds_ = 0, checkpoint_time_ = wall_clock_seconds();
};

} // namespace chamomile::app
