/// \file  What `chamomile run` can be told.
#pragma once

#include <optional>
#include <string>

#include "app/options/accuracy_options.hpp"
#include "app/options/cosmology_options.hpp"
#include "app/options/options.hpp"
#include "chamomile/run/structures/run_analysis.hpp"
#include "app/run/scheme.hpp"
#include "chamomile/force/solver.hpp"
#include "chamomile/integrate/simulation.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile::app {

enum class EnergyErrorAction { stop, warn };
enum class DeviceErrorAction { stop, cpu };

struct RunOptions {
    std::string input;                          ///< a file; or empty, and
    std::string model;                          ///< the name of a built-in model
    std::uint64_t particles = 100000, seed = 1; ///< of the model
    SolverOptions solver;
    bool tune = false;
    AccuracyRequest accuracy;
    std::uint64_t check_forces = 0;
    std::optional<std::uint64_t> check_forces_every;
    std::optional<double> end_time;
    std::optional<double> fixed_step;
    bool adaptive = false;
    SchemeRequest scheme;
    CosmologyRequest cosmology;
    RunAnalysis analysis;
    TimeStep step;
    std::optional<double> longest_step;
    std::string folder;
    bool overwrite = false, frames = false;
    bool collisionless_gas = false;
    std::optional<double> frame_width;
    std::optional<double> snapshot_every, energy_every, frames_every;
    std::uint64_t steps_every = 1;
    std::string restart; ///< the folder or checkpoint to go on from; or empty
    std::optional<std::uint64_t> checkpoint_every;
    double checkpoint_walltime = 900;
    std::optional<double> max_walltime, max_energy_error;
    EnergyErrorAction on_energy_error = EnergyErrorAction::stop;
    DeviceErrorAction on_device_error = DeviceErrorAction::stop;
};

/// Binds all options of the command.
void add_run_options(Options& options, RunOptions& run);

/// Throws Error(usage) naming all options that are missing, or one that nothing would use.
void require_complete(const Options& options, const RunOptions& run);

/// The initial conditions: the file or the model. Throws Error(usage) or Error(input).
Snapshot initial_conditions(const RunOptions& run);

/// The name of where they come from, for messages.
std::string source_of(const RunOptions& run);

/// The time loop's options for a run from `start`. Throws Error(usage) for options that do not fit
/// the start.
SimulationOptions simulation_options(const RunOptions& run, double start);

/// The interval between snapshots: the one given or a tenth of the run.
double snapshot_interval(const RunOptions& run, const SimulationOptions& time);

/// Throws Error(usage) with a softening length that would suit the particles: their mean spacing in
/// the densest tenth of the mass, to two digits.
[[noreturn]] void refuse_without_softening(const Particles& particles, const std::string& source);

} // namespace chamomile::app
