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

/// The options of `run` that RunSettings does not hold, a member each.
struct RunOptions : RunSettings {
    std::string input;                          ///< a file; or empty, and
    std::string model;                          ///< name of a built-in model
    std::uint64_t particles = 100000, seed = 1; ///< for the model
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
    bool movie = false;                  ///< from pictures
    std::vector<std::string> potentials; ///< external potentials, such as nfw,M=1e12Msun,c=12
    std::string tracers;                 ///< file with massless particles, or empty
    std::string restart;                 ///< the folder or checkpoint to continue from; or empty
    std::optional<int> view;             ///< port for the live view; 0: any free port
    DeviceErrorAction on_device_error = DeviceErrorAction::stop;
};

void add_run_options(Options& options, RunOptions& run);

/// Throws Error(usage) naming all missing options, or an option without effect.
void require_complete(const Options& options, const RunOptions& run);

/// Returns the initial conditions: the file or the model. Throws Error(usage) or Error(input).
Snapshot initial_conditions(const RunOptions& run);

/// Parses --potential into the scheme, for this time range. Call it once G and
/// softening are known. `files` holds file contents from a checkpoint and receives newly read
/// files. Throws Error(usage) and Error(input).
void set_potentials(RunOptions& run, const UnitFrame& frame, const SimulationOptions& time,
                    PotentialFiles& files);

/// Sets the start time in plain time, and the end time from a duration. In comoving coordinates the
/// start must equal the file's scale factor. Throws Error(usage).
void set_times(const Options& options, RunOptions& run, Snapshot& snapshot);

/// Keeps softenings from the --parameters file for types present in the particles. Throws
/// Error(usage) if one of them is 0.
void set_softenings(Options& options, RunOptions& run, const Particles& particles);

/// Returns the frame for converting quantities with units in a run with these particles.
UnitFrame unit_frame(const RunOptions& run, const Snapshot& snapshot);

/// Returns the name of the particle source, for messages.
std::string source_of(const RunOptions& run);

/// A TimesAsTyped prints times as typed, or with their unit.
struct TimesAsTyped {
    std::map<std::string, std::string> quantities; ///< Options::typed_quantities()
    Units units;                                   ///< for a run in plain time

    /// Returns the time as text, for an option such as "--dt".
    std::string text(const std::string& option, double value) const;
};

/// Returns time loop options for a run from `start`. Throws Error(usage) for options that conflict
/// with the start.
SimulationOptions simulation_options(const RunOptions& run, double start,
                                     const TimesAsTyped& typed);

/// Returns a note if --snapshot-every exceeds the run's length, and one if --dt exceeds the
/// snapshot interval, in plain time.
std::vector<std::string> interval_notes(const RunOptions& run, const SimulationOptions& time,
                                        const TimesAsTyped& typed);

/// Throws Error(usage) and suggests a softening length for the particles (suggested_softening()).
[[noreturn]] void refuse_without_softening(const Snapshot& snapshot, const std::string& source);

} // namespace chamomile::app
