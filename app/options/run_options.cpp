#include "app/options/run_options.hpp"

#include <algorithm>
#include <cmath>

#include "app/command_files.hpp"
#include "app/measure/tuning.hpp"
#include "app/models/built_in_model.hpp"
#include "app/options/option_uses.hpp"
#include "app/options/solver_options.hpp"
#include "app/options/unit_options.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/integrate/timeline.hpp"
#include "chamomile/io/particle_check.hpp"
#include "chamomile/io/unit_conversion.hpp"
#include "chamomile/parallel/thread_ranks.hpp"
#include "chamomile/run/run_job.hpp"

namespace chamomile::app {
namespace {

constexpr double most_outputs = 1e6;

/// An end that is typed as a redshift of six digits may lie so much of the run before the end of a
/// step, which is then shortened.
constexpr double typed_digits = 1e-4;

void require_outputs(const char* option, double interval, const SimulationOptions& time)
{
    const double outputs = (time.end_time - time.start_time) / interval;
    if (outputs > most_outputs)
        throw Error(Fault::usage, std::string(option) + ": " + shortest(interval) + ": makes " +
                                      formatted("%.3g", outputs) +
                                      " outputs; at most 1e6 are allowed");
}

/// Adds the settings of that group.
void add_settings(Options& options, RunSettings& settings, const std::string& group)
{
    for (const auto& row : run_options())
        if (row.group == group)
            options.option(row, settings);
}

} // namespace

void add_run_options(Options& options, RunOptions& run)
{
    options.group("Initial conditions without a FILE");
    options.text("model", "MODEL", run.model,
                 "a built-in model with its defaults: " + built_in_model_names() +
                     "; 'chamomile model' makes others");
    options.number("particles,n", run.particles, between(1, 4294967040),
                   "number of particles of the model");
    options.number("seed", run.seed, not_negative, "of its random numbers");
    options.positional("FILE", run.input, "initial conditions: HDF5, GADGET-2, Tipsy or text",
                       Need::optional);
    add_unit_system(options, run.units);
    options.flag("collisionless-gas", run.collisionless_gas,
                 "move gas (type 0) by gravity alone; files with gas are refused without");
    options.group("Time");
    options.number("t-end", run.end_time, any_number,
                   "when the run ends (it starts at the time of the file)", dimensions::time);
    for (const auto& row : scheme_options())
        options.option(row, run.scheme);
    add_cosmology_options(options, run.cosmology);
    add_force_options(options, run.solver, ForceUse::run);
    options.group("Forces");
    add_tune(options, run.tune);
    options.number("ranks", run.ranks, between(1, most_thread_ranks),
                   "share the tree among so many ranks on processors, which have the threads in "
                   "equal parts; processes that mpirun launches are ranks without it");
    options.number("peer-timeout", run.peer_timeout, positive,
                   "seconds for which a rank may be silent before the run ends");
    options.group("Checkpoints, stops and faults");
    options.text("restart", "FOLDER|FILE", run.restart,
                 "go on from the newest whole checkpoint of the run in FOLDER, or from that file, "
                 "with the options that it began with");
    add_settings(options, run, "Checkpoints, stops and faults");
    options.choice("on-device-error", run.on_device_error,
                   {{"stop", DeviceErrorAction::stop}, {"cpu", DeviceErrorAction::cpu}},
                   "what to do when a GPU fails, after a checkpoint: stop, or go on without it");
    options.group("Output");
    options.text(
        "output,o", "FOLDER", run.folder,
        "for energy.csv, steps.csv, forces.csv, snapshot_NNN.hdf5, frame_NNN.png, run.log and "
        "checkpoint_NNNNNNNNN.chk");
    options.flag("overwrite", run.overwrite, "replace the results of a run in the folder");
    add_settings(options, run, "Output");
    options.port(
        "view", run.view,
        "show the running particles in a browser, at http://127.0.0.1:PORT, which may hold "
        "and stop the run; at any free port unless given");
}

void require_complete(const Options& options, const RunOptions& run)
{
    std::string missing;
    const auto need = [&](bool given, const char* option) {
        if (!given)
            missing += (missing.empty() ? "" : ", ") + std::string(option);
    };
    need(!run.input.empty() || !run.model.empty(), "FILE or --model MODEL");
    if (!run.cosmology.asked) {
        need(run.end_time.has_value(), "--t-end X");
        need(run.scheme.fixed_length || run.scheme.adaptive || run.scheme.individual ||
                 run.scheme.kind == SchemeKind::hermite,
             "--dt X, --adaptive or --block-steps");
    }
    need(!run.folder.empty(), "--output FOLDER");
    if (!missing.empty() && !run.input.empty() && !run.cosmology.asked)
        missing += "; a comoving file takes --cosmology or --z-end Z";
    if (!missing.empty())
        throw Error(Fault::usage, "run: missing: " + missing);
    if (!run.input.empty() && !run.model.empty())
        throw Error(Fault::usage, "--model: contradicts the file " + run.input + "; give one");
    refuse_idle(
        options,
        {{run.model.empty(), "particles seed", "needs --model; a FILE has its own particles"},
         {!run.model.empty(), "collisionless-gas", "needs a FILE; the models have no gas"},
         {run.scheme.resident, "tune", "contradicts --resident"},
         {run.scheme.resident && run.on_device_error == DeviceErrorAction::cpu, "on-device-error",
          "contradicts --resident, whose particles are on the GPU"}});
    require(options, refuse_idle_settings(run, options.asked()));
}

Snapshot initial_conditions(const RunOptions& run)
{
    Snapshot snapshot = run.input.empty() ? make_built_in_model(run.model, run.particles, run.seed)
                                          : read_particles(run.input);
    take_unit_system(run.units, snapshot);
    if (run.input.empty())
        return snapshot;
    require_particles(snapshot.particles, run.input);
    if (snapshot.comoving && !run.cosmology.asked)
        throw Error(Fault::input, run.input + ": comoving coordinates: cannot be evolved in plain "
                                              "time; give --cosmology, or --z-end Z");
    const auto gas = std::count(snapshot.particles.type.begin(), snapshot.particles.type.end(), 0);
    if (gas > 0 && !run.collisionless_gas)
        throw Error(Fault::input, run.input + ": gas: " + std::to_string(gas) +
                                      " particles of type 0: their pressure cannot be computed; "
                                      "give --collisionless-gas to move them by gravity alone");
    if (gas > 0)
        snapshot.notes.push_back(std::to_string(gas) + " gas particles are moved by gravity alone");
    return snapshot;
}

UnitFrame unit_frame(const RunOptions& run, const Snapshot& snapshot)
{
    UnitFrame frame = unit_frame_of(snapshot);
    frame.hubble = run.cosmology.hubble.value_or(frame.hubble);
    return frame;
}

std::string source_of(const RunOptions& run)
{
    return run.input.empty() ? "model " + run.model : run.input;
}

SimulationOptions simulation_options(const RunOptions& run, double start)
{
    SimulationOptions time;
    time.start_time = start;
    time.end_time = *run.end_time;
    time.step = time_step_of(run.scheme);
    const std::optional<double>&fixed = run.scheme.fixed_length, &longest = run.scheme.longest;
    if (run.cosmology.asked)
        chamomile::require(refuse_epochs(run.cosmology, start, !run.restart.empty()), {});
    if (time.end_time < start)
        throw Error(Fault::usage, "--t-end: " + shortest(time.end_time) +
                                      ": lies before the start at t = " + shortest(start));
    const double span = time.end_time - start,
                 rounding = Timeline::least_interval(start, *run.end_time);
    if (fixed && span > 0 && *fixed > span + std::max(typed_digits * span, rounding))
        throw Error(Fault::usage, "--dt: " + shortest(*fixed) +
                                      ": is longer than the whole run of " +
                                      shortest(time.end_time - start));
    for (const auto& [option, length] :
         {std::pair("--dt", fixed), std::pair("--dt-max", longest),
          std::pair("--dlna-max", run.cosmology.asked && !fixed
                                      ? std::optional(run.cosmology.longest_step)
                                      : std::nullopt)})
        if (length && (time.end_time - start) / *length > most_steps)
            throw Error(Fault::usage, std::string(option) + ": " + shortest(*length) + ": makes " +
                                          formatted("%.3g", (time.end_time - start) / *length) +
                                          " steps; at most 1e12 are allowed");
    for (const auto& [option, length] :
         {std::pair("--dt", fixed), std::pair("--snapshot-every", run.snapshot_every),
          std::pair("--frames-every", run.frames_every),
          std::pair("--energy-every", run.energy_every),
          std::pair("--t-end", std::optional(snapshot_interval(run, start, time.end_time)))})
        if (length && !(*length > Timeline::least_interval(start, time.end_time)))
            throw Error(
                Fault::usage,
                std::string(option) + ": " +
                    (option == std::string("--t-end")
                         ? shortest(time.end_time) + ": a tenth of the run, " + shortest(*length)
                         : shortest(*length)) +
                    ": is lost in the digits of t = " + shortest(time.end_time));
    if (time.step.shortest > time.step.longest)
        throw Error(Fault::usage, "--dt-min: " + shortest(time.step.shortest) +
                                      ": is larger than --dt-max " + shortest(time.step.longest));
    if (run.restart.empty())
        if (const Refusal line = refuse_outputs(run, start, time.end_time))
            throw Error(Fault::usage, *line);
    if (run.snapshot_every)
        require_outputs("--snapshot-every", *run.snapshot_every, time);
    if (run.frames_every)
        require_outputs("--frames-every", *run.frames_every, time);
    if (run.energy_every)
        require_outputs("--energy-every", *run.energy_every, time);
    return time;
}

void refuse_without_softening(const Particles& particles, const std::string& source)
{
    const double tenth[] = {0.1};
    const double radius = lagrangian_radii(particles, density_center(particles), tenth).front();
    const double spacing = radius / std::cbrt(0.1 * double(particles.size()));
    const std::string suggestion =
        spacing > 0
            ? formatted("for its %zu particles --eps %.2g would do, ", particles.size(), spacing)
            : "";
    throw Error(Fault::usage, "--eps: not given, and " + source + " states no softening; " +
                                  suggestion + "--eps 0 leaves the pairs unsoftened");
}

} // namespace chamomile::app
