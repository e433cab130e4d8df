/// \file  The options of `chamomile run`.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "app/options/cosmology_options.hpp"
#include "app/options/options.hpp"
#include "app/options/unit_options.hpp"
#include "app/parameters/parameter_file.hpp"
#include "chamomile/integrate/external/external_field.hpp"
#include "chamomile/integrate/scheme.hpp"
#include "chamomile/integrate/simulation.hpp"
#include "chamomile/io/snapshot.hpp"
#include "chamomile/run/run_settings.hpp"

namespace chamomile::app {

enum class DeviceErrorAction { stop, cpu };

/// RunOptions holds all options of the command.
struct RunOptions : RunSettings {
    std::string input;                          ///< a file; or empty, and
    std::string model;                          ///< the name of a built-in model
    std::uint64_t particles = 100000, seed = 1; ///< of the model
    SolverOptions solver;
    bool tune = false;
    std::optional<double> start_time; ///< that of the file unless given
    std::optional<double> end_time, duration;
    std::string parameter_file; ///< of another code, or empty
    Translation parameters;     ///< of that file
    Scheme scheme;
    FileUnits units;
    std::string folder;
    bool overwrite = false, collisionless_gas = false;
    bool movie = false;                  ///< of the pictures
    std::vector<std::string> potentials; ///< external ones, such as nfw,M=1e12Msun,c=12
    std::string tracers;                 ///< a file of particles that get no mass; or empty
    std::string restart;                 ///< the folder or checkpoint to continue from; or empty
    std::optional<int> view;             ///< port of the live view; 0: any that is free
    DeviceErrorAction on_device_error = DeviceErrorAction::stop;
};

/// Binds all options of the command.
void add_run_options(Options& options, RunOptions& run);

/// Throws Error(usage) naming all options that are missing, or one that would have no effect.
void require_complete(const Options& options, const RunOptions& run);

/// Returns the initial conditions: the file or the model. Throws Error(usage) or Error(input).
Snapshot initial_conditions(const RunOptions& run);

/// Reads --potential into the scheme, once G and softening are known, for a run of these particles
/// between these times; `files` holds what a checkpoint kept and takes what is read. Throws
/// Error(usage) and Error(input).
void take_potentials(RunOptions& run, const UnitFrame& frame, const SimulationOptions& time,
                     const Particles& particles, PotentialFiles& files);

/// Sets the start of the run, in plain time, and its end where a duration is given; in comoving
/// coordinates the start must be the scale factor of the file. Throws Error(usage).
void take_times(const Options& options, RunOptions& run, Snapshot& snapshot);

/// Keeps the softenings that the file of --parameters states for types that there are. Throws
/// Error(usage) if it states 0 for one of these.
void take_softenings(Options& options, RunOptions& run, const Particles& particles);

/// Returns what quantities with units are brought to in a run of these particles.
UnitFrame unit_frame(const RunOptions& run, const Snapshot& snapshot);

/// Returns the name of their source, for messages.
std::string source_of(const RunOptions& run);

/// A TimesAsTyped shows times as they were typed, or with their unit.
struct TimesAsTyped {
    std::map<std::string, std::string> quantities; ///< Options::typed_quantities()
    Units units;                                   ///< of a run in plain time

    /// Returns the text of an option such as "dt".
    std::string text(const std::string& option, double value) const;
};

/// Returns the time loop's options for a run from `start`. Throws Error(usage) for options that
/// contradict the start.
SimulationOptions simulation_options(const RunOptions& run, double start,
                                     const TimesAsTyped& typed);

/// Returns a line each where --snapshot-every is longer than the run, or --dt than what lies
/// between two snapshots, in plain time.
std::vector<std::string> interval_notes(const RunOptions& run, const SimulationOptions& time,
                                        const TimesAsTyped& typed);

/// Throws Error(usage) with a softening length that would suit the particles
/// (suggested_softening()).
[[noreturn]] void refuse_without_softening(const Snapshot& snapshot, const std::string& source);

} // namespace chamomile::app
