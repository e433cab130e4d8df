#include "app/options/run_options.hpp"

#include <algorithm>
#include <cmath>

#include "app/command_files.hpp"
#include "app/measure/tuning.hpp"
#include "app/models/built_in_model.hpp"
#include "app/options/field_options.hpp"
#include "app/options/option_uses.hpp"
#include "app/options/solver_options.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/force/ranks/domain_solver.hpp"
#include "chamomile/initial/transform.hpp"
#include "chamomile/integrate/suggested_softening.hpp"
#include "chamomile/integrate/timeline.hpp"
#include "chamomile/io/particle_check.hpp"
#include "chamomile/io/unit_conversion.hpp"
#include "chamomile/run/begin.hpp"
#include "chamomile/run/run_job.hpp"

namespace chamomile::app {
namespace {

constexpr double max_outputs = 1e6;

constexpr const char* potential_group = "External potentials and tracers";

/// A redshift typed with six digits may end the run this fraction of its length before a step ends.
/// That step is then shortened.
constexpr double typed_digits = 1e-4;

/// Reads particles. Leaves them in a file with ranks, if nothing needs all on one rank.
Snapshot particles_of(const RunOptions& run, const std::string& file, Masses masses)
{
    const bool may_stay = asks_ranks(run.solver) && !run.solver.accuracy && !run.cluster.is_asked();
    return may_stay ? open_particles(file, masses) : read_particles(file, masses);
}

/// Returns the tracers: particles from the --tracers file with mass 0.
Snapshot tracers_of(const RunOptions& run)
{
    Snapshot snapshot = particles_of(run, run.tracers, Masses::may_lack);
    require_particles(snapshot.particles, run.tracers);
    set_file_units(run.units, snapshot);
    std::fill(snapshot.particles.mass.begin(), snapshot.particles.mass.end(), 0.0);
    snapshot.has_accelerations = snapshot.has_potentials = false;
    return snapshot;
}

/// Adds tracers to the snapshot and keeps the snapshot's provenance.
void add_tracers(Snapshot& snapshot, const RunOptions& run)
{
    Snapshot tracers = tracers_of(run);
    share_units(snapshot, tracers, run.tracers);
    const std::size_t count = tracers.particles.size();
    tracers.softening = snapshot.softening;
    std::map<std::string, std::string> provenance = snapshot.provenance;
    std::vector<Snapshot> parts;
    parts.push_back(std::move(snapshot));
    parts.push_back(std::move(tracers));
    snapshot = joined(std::move(parts), {source_of(run), run.tracers});
    provenance.merge(snapshot.provenance);
    snapshot.provenance = std::move(provenance);
    snapshot.notes.push_back(counted(count, "tracer") + " from " + run.tracers);
}

/// Adds the settings in this group.
std::string marked(const std::string& name)
{
    return "{" + name + "}";
}

using R = RunOptions;

std::vector<OptionRow<R>> start_rows(const char* group)
{
    OptionRows<R> t;
    t.group(group);
    t.text("model", &R::model, "MODEL",
           "a built-in model with its defaults: " + built_in_model_names() +
               "; 'chamomile model' makes others");
    t.number("particles,n", &R::particles, ranges::between(1, 4294967040),
             "number of particles of the model");
    t.number("seed", &R::seed, ranges::not_negative, "of its random numbers");
    t.text("parameters", &R::parameter_file, "FILE",
           "options from a parameter file of GADGET-2, 3 or 4, SWIFT, ChaNGa or Bonsai (its "
           "command line in a file); the log lists what is understood. Options on the command "
           "line win");
    t.flag("collisionless-gas", &R::collisionless_gas,
           "move gas (type 0) by gravity alone; files with gas are refused without");
    return t.take();
}

std::vector<OptionRow<R>> time_rows()
{
    OptionRows<R> t;
    t.group("Time");
    t.number("t-end", &R::end_time, ranges::any, "when the run ends").in(dimensions::time);
    t.number("duration", &R::duration, ranges::not_negative,
             "how long the run lasts, instead of {t-end}")
        .in(dimensions::time);
    t.number("t-start", &R::start_time, ranges::any,
             "start time; default: time of the file. Comoving files: scale factor, which must "
             "equal the file's")
        .in(dimensions::time);
    return t.take();
}

std::vector<OptionRow<R>> other_rows()
{
    OptionRows<R> t;
    t.group(potential_group);
    t.text("tracers", &R::tracers, "FILE",
           "add the particles of this file as massless tracers; without other initial conditions "
           "the run has only tracers");
    t.group("Checkpoints, stops and faults");
    t.text("restart", &R::restart, "FOLDER|FILE",
           "go on from the newest whole checkpoint of the run in FOLDER, or from that file, with "
           "the options that it began with");
    t.group("Output");
    t.text("output,o", &R::folder, "FOLDER",
           "for energy.csv, steps.csv, forces.csv, snapshot_NNN.hdf5, frame_NNN.png, "
           "run.log and "
           "checkpoint_NNNNNNNNN.chk");
    t.flag("overwrite", &R::overwrite, "replace the results of a run in the folder");
    return t.take();
}

std::vector<OptionRow<R>> last_rows()
{
    OptionRows<R> t;
    t.group("Checkpoints, stops and faults");
    t.choice("on-device-error", &R::on_device_error,
             {{"stop", DeviceErrorAction::stop}, {"cpu", DeviceErrorAction::cpu}},
             "what to do when a GPU fails, after a checkpoint: stop, or go on without it");
    t.group("Output");
    t.flag("frame-movie", &R::movie,
           "also frames.mp4 at the end, a movie of them by the program ffmpeg; without ffmpeg the "
           "command that makes it is printed")
        .as_setting("frames.movie");
    t.port("view", &R::view,
           "show the running particles in a browser, at http://127.0.0.1:PORT, which may hold and "
           "stop the run; at any free port unless given");
    return t.take();
}

} // namespace

void add_run_options(Options& options, RunOptions& run)
{
    options.positional("FILE", run.input, "initial conditions: HDF5, GADGET-2, NEMO, Tipsy or text",
                       Need::optional);
    options.translate("parameters", [&run](const std::string& file, const GivenOptions& given) {
        run.parameters = read_parameters(file, given);
        return run.parameters.options;
    });
    const char* begin = "Initial conditions without a FILE";
    options.add(start_rows(begin), run);
    add_file_units(options, run.units, begin);
    options.add(time_rows(), run);
    options.add(scheme_options(), run.scheme);
    add_cosmology_options(options, run.cosmology);
    add_force_options(options, run.solver, ForceUse::run);
    options.add(tune_row(), run.tune);
    options.add(rank_options(), run.solver);
    options.add(potential_row(potential_group), run.potentials);
    options.add(other_rows(), run);
    options.add(run_options(), run);
    options.add(last_rows(), run);
}

void require_complete(const Options& options, const RunOptions& run)
{
    std::string missing;
    const auto need = [&](bool given, const char* option) {
        if (!given)
            missing += (missing.empty() ? "" : ", ") + std::string(option);
    };
    need(!run.input.empty() || !run.model.empty() || !run.tracers.empty(),
         "FILE, --model MODEL or --tracers FILE");
    if (!run.cosmology.asked) {
        need(run.end_time || run.duration, "--t-end X");
        need(run.scheme.fixed_length || run.scheme.adaptive || run.scheme.individual ||
                 run.scheme.kind == SchemeKind::hermite,
             "--dt X, --adaptive or --block-steps");
    }
    need(!run.folder.empty(), "--output FOLDER");
    if (!missing.empty() && !run.input.empty() && !run.cosmology.asked)
        missing += "; a comoving file takes --cosmology or --z-end Z";
    if (!missing.empty())
        throw Error(Fault::usage, "run: missing: " + missing);
    if (run.end_time && run.duration && !run.cosmology.asked)
        throw Error(Fault::usage, "--duration: contradicts --t-end; give one");
    if (!run.input.empty() && !run.model.empty())
        throw Error(Fault::usage, "--model: contradicts the file " + run.input + "; give one");
    check_potentials(run.potentials);
    if (run.cosmology.asked && !run.potentials.empty())
        throw Error(Fault::usage, "--potential: is for isolated particles in plain time");
    refuse_idle(
        options,
        {{run.model.empty(), "particles seed", "needs --model: a FILE already contains particles"},
         {!run.model.empty(), "collisionless-gas", "needs a FILE; the models have no gas"},
         {!run.frames, "frame-movie", "needs --frames"},
         {run.scheme.resident, "tune", "contradicts --resident"},
         {run.scheme.resident && run.on_device_error == DeviceErrorAction::cpu, "on-device-error",
          "contradicts --resident, which keeps particles on the GPU"}});
    require(options, refuse_idle_settings(run, options.asked()));
}

Snapshot initial_conditions(const RunOptions& run)
{
    const bool has_tracers_alone = run.input.empty() && run.model.empty();
    Snapshot snapshot = has_tracers_alone ? tracers_of(run)
                        : run.input.empty()
                            ? make_built_in_model(run.model, run.particles, run.seed)
                            : particles_of(run, run.input, Masses::needed);
    if (!has_tracers_alone)
        set_file_units(run.units, snapshot);
    if (!run.tracers.empty() && !has_tracers_alone) {
        require_particles(snapshot.particles, source_of(run));
        add_tracers(snapshot, run);
    }
    if (run.input.empty() && run.tracers.empty())
        return snapshot;
    require_particles(snapshot.particles, source_of(run));
    if (snapshot.comoving && !run.cosmology.asked)
        throw Error(Fault::input, source_of(run) +
                                      ": comoving coordinates: cannot be evolved in plain "
                                      "time; give --cosmology, or --z-end Z");
    const auto gas = std::count(snapshot.particles.type.begin(), snapshot.particles.type.end(), 0);
    if (gas > 0 && !run.collisionless_gas)
        throw Error(Fault::input, source_of(run) + ": gas: " + std::to_string(gas) +
                                      " particles of type 0: their pressure cannot be computed; "
                                      "give --collisionless-gas to move them by gravity alone");
    if (gas > 0)
        snapshot.notes.push_back(std::to_string(gas) + " gas particles are moved by gravity alone");
    return snapshot;
}

void set_potentials(RunOptions& run, const UnitFrame& frame, const SimulationOptions& time,
                    PotentialFiles& files)
{
    begin_field(run.scheme,
                read_external_field("--potential", run.potentials, frame,
                                    run.solver.gravitational_constant, files),
                time);
    chamomile::require(refuse_energy_limit(run, run.scheme.field.get()));
}

void set_times(const Options& options, RunOptions& run, Snapshot& snapshot)
{
    if (run.start_time && snapshot.comoving) {
        const double a = snapshot.comoving->scale_factor;
        if (std::abs(*run.start_time - a) > typed_digits * a)
            throw Error(Fault::usage,
                        options.command() + ": --t-start: " + number_text(*run.start_time) +
                            ": the comoving file is of scale factor " + number_text(a));
    } else if (run.start_time) {
        snapshot.time = *run.start_time;
    }
    if (run.duration && !run.cosmology.asked)
        run.end_time = snapshot.time + *run.duration;
}

void set_softenings(Options& options, RunOptions& run, const Particles& particles)
{
    const auto count = [&](int type) {
        return std::count(particles.type.begin(), particles.type.end(), std::uint8_t(type));
    };
    for (ConfigLine& line : run.parameters.options) {
        const bool by_type = line.key == "eps-type";
        if ((line.key != "eps" && !by_type) ||
            options.given_values().at(line.key) != line.value) // options given in addition to the
                                                               // file override it
            continue;
        for (const auto& [type, key] : run.parameters.unsoftened)
            if (count(type) > 0)
                throw Error(Fault::usage, run.parameters.file + ": " + key + ": 0: there are " +
                                              std::to_string(count(type)) + " particles of type " +
                                              std::to_string(type) + "; give --eps for all");
        std::string kept;
        for (std::size_t start = 0; by_type && start < line.value.size();) {
            const std::size_t end = std::min(line.value.find(',', start), line.value.size());
            if (count(line.value[start] - '0') > 0)
                kept.append(kept.empty() ? "" : ",").append(line.value, start, end - start);
            start = end + 1;
        }
        if (by_type)
            options.replace(line.key, line.value = kept);
    }
}

UnitFrame unit_frame(const RunOptions& run, const Snapshot& snapshot)
{
    UnitFrame frame = unit_frame_of(snapshot);
    frame.hubble = run.cosmology.hubble.value_or(frame.hubble);
    return frame;
}

std::string source_of(const RunOptions& run)
{
    return !run.input.empty() ? run.input : !run.model.empty() ? "model " + run.model : run.tracers;
}

std::string TimesAsTyped::text(const std::string& option, double value) const
{
    const auto typed = quantities.find(option);
    return typed != quantities.end() ? typed->second : time_quantity(value, units);
}

SimulationOptions simulation_options(const RunOptions& run, double start, const TimesAsTyped& typed)
{
    SimulationOptions time;
    time.start_time = start;
    time.end_time = *run.end_time;
    time.step = time_step_of(run.scheme);
    const std::optional<double>&fixed = run.scheme.fixed_length, &longest = run.scheme.longest;
    if (run.cosmology.asked)
        chamomile::require(refuse_epochs(run.cosmology, start, !run.restart.empty()));
    if (time.end_time < start)
        throw Error(Fault::usage,
                    "--t-end: " + typed.text("t-end", time.end_time) +
                        ": lies before the start at t = " + time_quantity(start, typed.units));
    const double span = time.end_time - start,
                 rounding = Timeline::min_interval(start, *run.end_time);
    if (fixed && span > 0 && *fixed > span + std::max(typed_digits * span, rounding))
        throw Error(Fault::usage, "--dt: " + typed.text("dt", *fixed) +
                                      ": is longer than the whole run of " +
                                      time_quantity(time.end_time - start, typed.units));
    for (const auto& [option, length] :
         {std::pair("dt", fixed), std::pair("dt-max", longest),
          std::pair("dlna-max", run.cosmology.asked && !fixed
                                    ? std::optional(run.cosmology.longest_step)
                                    : std::nullopt)})
        if (length && (time.end_time - start) / *length > max_steps)
            throw Error(Fault::usage, marked(option) + ": " + typed.text(option, *length) +
                                          ": makes " +
                                          formatted("%.3g", (time.end_time - start) / *length) +
                                          " steps; at most 1e12 are allowed");
    for (const auto& [option, length] :
         {std::pair("dt", fixed), std::pair("snapshot-every", run.snapshot_every),
          std::pair("frames-every", run.frames_every), std::pair("energy-every", run.energy_every),
          std::pair("t-end", std::optional(snapshot_interval(run, start, time.end_time)))})
        if (length && !(*length > Timeline::min_interval(start, time.end_time)))
            throw Error(Fault::usage,
                        marked(option) + ": " +
                            (option == std::string("t-end")
                                 ? number_text(time.end_time) + ": a tenth of the run, " +
                                       number_text(*length)
                                 : number_text(*length)) +
                            ": is lost in the digits of t = " + number_text(time.end_time));
    if (time.step.shortest > time.step.longest)
        throw Error(Fault::usage, "--dt-min: " + typed.text("dt-min", time.step.shortest) +
                                      ": is larger than --dt-max " +
                                      typed.text("dt-max", time.step.longest));
    if (run.restart.empty())
        if (const Refusal line = refuse_outputs(run, start, time.end_time))
            throw Error(Fault::usage, *line);
    for (const auto& [option, interval] :
         {std::pair("snapshot-every", run.snapshot_every),
          std::pair("frames-every", run.frames_every), std::pair("energy-every", run.energy_every)})
        if (interval && span / *interval > max_outputs)
            throw Error(Fault::usage, marked(option) + ": " + typed.text(option, *interval) +
                                          ": makes " + formatted("%.3g", span / *interval) +
                                          " outputs; at most 1e6 are allowed");
    return time;
}

std::vector<std::string> interval_notes(const RunOptions& run, const SimulationOptions& time,
                                        const TimesAsTyped& typed)
{
    std::vector<std::string> notes;
    const double span = time.end_time - time.start_time;
    if (!(span > 0) || run.cosmology.asked)
        return notes;
    if (run.snapshot_every && *run.snapshot_every > span * (1 + typed_digits))
        notes.push_back("--snapshot-every " + typed.text("snapshot-every", *run.snapshot_every) +
                        ": is longer than the whole run of " + time_quantity(span, typed.units));
    const double between = snapshot_interval(run, time.start_time, time.end_time);
    if (run.scheme.fixed_length && listed_outputs(run).empty() &&
        *run.scheme.fixed_length > between * (1 + typed_digits))
        notes.push_back("--dt " + typed.text("dt", *run.scheme.fixed_length) +
                        ": snapshots every " + time_quantity(between, typed.units) +
                        " shorten the steps");
    return notes;
}

void refuse_without_softening(const Snapshot& snapshot, const std::string& source)
{
    const double spacing = suggested_softening(snapshot.particles, *rows_of(snapshot));
    std::string unit = unit_name(dimensions::length, snapshot.units);
    if (unit.find_first_of(" 0123456789") != unit.npos) // unit without a number
        unit.clear();
    const std::string suggestion = spacing > 0
                                       ? formatted("for its %zu particles --eps %.2g%s would do, ",
                                                   snapshot.particles.size(), spacing, unit.c_str())
                                       : "";
    throw Error(Fault::usage, "--eps: not given, and " + source + " states no softening; " +
                                  suggestion + "--eps 0 leaves the pairs unsoftened");
}

} // namespace chamomile::app
