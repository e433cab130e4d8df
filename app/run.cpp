/// \file  `chamomile run`: evolves particles and writes snapshots, energies, pictures and a log.
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "app/command.hpp"
#include "app/command_files.hpp"
#include "app/measure/tuning.hpp"
#include "app/options/option_uses.hpp"
#include "app/options/periodic_options.hpp"
#include "app/options/rank_options.hpp"
#include "app/options/run_options.hpp"
#include "app/options/solver_options.hpp"
#include "app/options/unit_options.hpp"
#include "app/pictures/movie.hpp"
#include "app/pictures/viewing.hpp"
#include "app/program.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/force/ranks/domain_solver.hpp"
#include "chamomile/force/threads.hpp"
#include "chamomile/io/comoving.hpp"
#include "chamomile/io/file_rows.hpp"
#include "chamomile/run/begin.hpp"
#include "chamomile/run/run_job.hpp"
#include "chamomile/run/structures/comoving_run.hpp"
#include "chamomile/run/texts/introduction.hpp"
#include "chamomile/run/texts/particle_notes.hpp"
#include "chamomile/run/texts/scheme_text.hpp"

namespace chamomile::app {
namespace {

/// Returns the given options that a restart inherits.
std::map<std::string, std::string> lasting_options(const Options& options)
{
    std::map<std::string, std::string> lasting = options.given_values();
    for (const char* name :
         {"config", "parameters", "threads", "quiet", "verbose", "restart", "output", "overwrite",
          "tune", "view", "ranks", "share-gpu", "peer-timeout"})
        lasting.erase(name);
    return lasting;
}

/// Returns the description of this run.
RunDescription description_of(const Options& options, const RunOptions& run,
                              const Integrator& integrator, const Snapshot& state)
{
    std::vector<std::string> all;
    for (const auto& [key, value] : options.values())
        if (!value.empty() && key != "view")
            all.push_back(key + "=" + value);
    return {.source = source_of(run),
            .box = box_text(options, state, integrator.forces()),
            .steps = steps_text(run.scheme),
            .options = joined(all, ' ')};
}

RunOrigin origin_of(const RunOptions& run, const Options& options, const PotentialFiles& files)
{
    RunOrigin origin{.options = lasting_options(options),
                     .input = run.input,
                     .command = options.command_line(),
                     .files = files};
    return origin;
}

/// Returns the formatter for times in the run, which are ln a in comoving coordinates.
TimesAsTyped times_as_typed(const Options& options, const RunOptions& run, const Units& units)
{
    return {options.typed_quantities(), run.cosmology.asked ? Units() : units};
}

void resolve(const Options& options, RunOptions& run)
{
    resolve_ranks(options, run.solver, {&run.solver.device, 1});
    refuse_idle(options, {{asks_ranks(run.solver), "on-device-error", "is for one rank"}});
    resolve_forces(options, run.solver);
    resolve_cosmology(options, run.cosmology, run.scheme, run.end_time);
    require_complete(options, run);
    require(options, resolve_scheme(run.solver, run.scheme, options.asked(),
                                    run.cosmology.asked || run.solver.is_periodic()));
    require_tunable(options, run.tune, run.solver.solver == SolverKind::direct);
    run.scheme.on_host = run.on_device_error == DeviceErrorAction::cpu; // continues on the host
}

/// Resolves options that depend on the file's box again, unless --box is given. `asked` holds the
/// options as given.
RunOptions resolved_early(const Options& options, RunOptions run)
{
    resolve(options, run);
    return run;
}

/// Resolves the options of a run in this box, where no option gives another.
void resolve_in_box(const Options& options, double box, RunOptions& run)
{
    if (!options.given("box"))
        run.solver.box = box;
    resolve(options, run);
}

/// Files left behind by a failed run.
struct WrittenFiles {
    bool results = false, checkpoint = false;
};

/// Runs the job, with the view if present, and makes the requested movie.
void execute(RunJob& job, WrittenFiles& written, LiveView* view, const Options& options,
             const RunOptions& run)
{
    if (view) {
        announce(*view);
        job.show_in(*view, run.restart.empty() ? source_of(run) : run.folder);
    }
    try {
        job.execute();
    } catch (...) {
        written = {job.has_results(), job.has_checkpoint()};
        throw;
    }
    if (run.movie && job.frames() > 1)
        make_movie(
            {run.folder + "/frames.mp4", run.folder + "/frame.png", std::size_t(job.frames())},
            options.verbosity());
}

/// Returns log lines about the --parameters file.
std::vector<std::string> parameter_lines(const Options& options, const RunOptions& run)
{
    const Translation& parameters = run.parameters;
    if (parameters.file.empty())
        return {};
    GivenOptions replaced; // given with a value that differs from the file
    for (const ConfigLine& line : parameters.options) {
        const auto given = options.given_values().find(line.key);
        if (line.key == "FILE"
                ? run.input != line.value
                : given != options.given_values().end() && given->second != line.value)
            replaced.insert(line.key);
    }
    return parameters.lines(replaced);
}

void begin(Options& options, RunOptions& run, WrittenFiles& written, LiveView* view)
{
    record_input(run.cluster.ids);
    record_input(run.frame_view.path);
    Snapshot state = initial_conditions(resolved_early(options, run));
    if (options.has_units() || !run.parameters.file.empty()) {
        set_softenings(options, run, state.particles);
        options.set_units(unit_frame(run, state));
    }
    resolve_in_box(options, state.box_size, run);
    set_times(options, run, state);
    if (const std::string note = run.parameters.note(); !note.empty())
        state.notes.push_back(note);
    if (options.given("G")) // files state the G in use
        state.gravitational_constant = run.solver.gravitational_constant;
    const std::shared_ptr<const Clock> clock =
        begin_clock(run.cosmology, run.input, run.solver, options.asked(), state);
    if (run.cosmology.asked)
        make_canonical(state);
    const TimesAsTyped typed = times_as_typed(options, run, state.units);
    const SimulationOptions time = simulation_options(run, start_of(run.cosmology, state), typed);
    if (!set_from_file(run.solver, state, options, *clock, time.start_time))
        refuse_without_softening(state, source_of(run));
    for (const std::string& line : interval_notes(run, time, typed))
        add_note(state, line);
    PotentialFiles files;
    set_potentials(run, unit_frame(run, state), time, files);
    for (const auto& [file, content] : files)
        record_input(file);
    if (TrackFile::is_file(run.track))
        record_input(run.track);
    if (const Refusal line = refuse_analysis(run.analysis, state))
        throw Error(Fault::usage, *line);
    // Throws for values out of range before long work.
    make_integrator(run.solver, run.scheme, *clock);
    const std::string checked = check_device(run.scheme, run.solver);
    warn_of_suspicious_inputs(state, run.solver);
    record_analysis(run.analysis, state);
    if (run.scheme.field)
        warn_of_fast_potentials(state, *run.scheme.field);
    warn_of_idle_on_device(options, run.solver, state);
    const ThreadsInUse threads(threads_for(options, run.solver));
    RunFolder folder(run.folder, run.overwrite ? EarlierResults::replaced : EarlierResults::refused,
                     is_input);
    std::optional<Tuning> tuning;
    if (run.tune) {
        tuning = tuned(run.solver, state, Quantities::acceleration);
        run.solver = tuning->solver;
    }
    Journal journal({stdout, options.verbosity(), warn});
    report_choices(run.solver, journal);
    const TimeLoop loop = begin_loop(run.solver, run.scheme, clock, state, time);
    Simulation& simulation = *loop.simulation;
    RunJob job(run, origin_of(run, options, files), folder, state, simulation, journal);
    std::vector<std::string> lines = parameter_lines(options, run);
    for (const std::string& line : quantity_lines(options))
        lines.push_back(line);
    if (tuning)
        lines.push_back(
            formatted("tuned        %s; {group-size}=%d {cluster-size}=%d {leaf-size}=%d repeats "
                      "the run",
                      tuning->text().c_str(), run.solver.group_size, run.solver.cluster_size,
                      run.solver.leaf_size));
    job.introduce(description_of(options, run, simulation.integrator(), state), lines, checked);
    execute(job, written, view, options, run);
}

/// Resolves options for --restart, and the output folder.
void resolve_restart(Options& options, RunOptions& run, RunOrigin& origin,
                     const std::filesystem::path& folder)
{
    for (const auto& [one, other] :
         {std::pair{"a-end", "z-end"}, std::pair{"z-end", "a-end"}, std::pair{"t-end", "duration"},
          std::pair{"duration", "t-end"}})
        if (options.given(one)) // replaces the earlier end in either form
            origin.options.erase(other);
    for (const char* list : {"output-times", "outputs-a", "outputs-z"})
        if (options.given(list)) // replaces earlier times in any form
            for (const char* other : {"snapshot-every", "output-times", "outputs-a", "outputs-z"})
                origin.options.erase(other);
    for (const auto& row : cosmology_options())
        if (options.given("cosmology") && origin.options.contains(row.name))
            origin.options.emplace("cosmology", "true"); // implied by the row
    options.adopt(origin.options, changeable_options());
    std::error_code none;
    if (options.given("output") && !std::filesystem::equivalent(run.folder, folder, none))
        throw Error(Fault::restart, "--output: " + run.folder +
                                        ": cannot change when a run continues; it is in " +
                                        folder.string());
    run.folder = folder.string();
    run.input = origin.input;
}

void continue_run(Options& options, RunOptions& run, WrittenFiles& written, LiveView* view)
{
    if (options.given("parameters"))
        throw Error(Fault::usage, "--parameters: contradicts --restart, which goes on with the "
                                  "options that the run began with");
    if (!run.input.empty())
        throw Error(Fault::usage, "--restart: contradicts the file " + run.input +
                                      "; initial conditions are not read again");
    const std::filesystem::path place = restart_folder(run.restart);
    RunFolder folder(place, EarlierResults::continued,
                     is_input); // before another run writes a newer one
    const RestartPoint point = find_restart(run.restart);
    CheckpointReader& archive = *point.archive;
    RunOrigin earlier;
    earlier.exchange(archive);
    options.set_units(unit_frame_of(archive));
    resolve_restart(options, run, earlier, place);
    Snapshot state;
    if (resolved_early(options, run).cosmology.asked)
        state.comoving.emplace();
    exchange_properties(archive, state);
    resolve_in_box(options, state.box_size, run);
    state.time = earlier.start_time;
    if (run.duration && !run.cosmology.asked)
        run.end_time = state.time + *run.duration;
    const std::shared_ptr<const Clock> clock = clock_of(run.cosmology, state);
    double now = 0;
    bool has_ended = false;
    archive("timeline/time", now);
    archive("simulation/has_ended", has_ended);
    if (*run.end_time < now || (*run.end_time == now && !has_ended))
        throw Error(Fault::restart,
                    (run.cosmology.asked ? "--z-end or --a-end: a = " : "--t-end: ") +
                        number_text(clock->file_time(*run.end_time)) +
                        (*run.end_time < now ? ": lies before the time of the checkpoint, " +
                                                   number_text(clock->file_time(now))
                                             : ": is the time of the checkpoint; must be later"));
    const SimulationOptions time = simulation_options(
        run, earlier.start_time, times_as_typed(options, run, unit_frame_of(archive).units));
    set_from_file(run.solver, state, options, *clock, now);
    run.solver.softening = *state.softening; // softening of the checkpoint's particles
    if (!state.softening->per_particle)
        run.solver.type_softenings = {};
    SimulationOptions rest = time;
    rest.start_time = now;
    set_potentials(run, unit_frame_of(archive), rest, earlier.files);
    const ThreadsInUse threads(threads_for(options, run.solver));
    std::vector<std::string> notes =
        restore_choices(earlier, run.solver, !options.given("instruction-set"));
    for (const std::string& line : options.quantities())
        notes.push_back(line);
    const std::string checked = check_device(run.scheme, run.solver);
    Journal journal({stdout, options.verbosity(), warn});
    report_choices(run.solver, journal);
    const TimeLoop loop = begin_loop(run.solver, run.scheme, clock, state, time);
    Simulation& simulation = *loop.simulation;
    RunJob job(run, origin_of(run, options, earlier.files), folder, state, simulation, journal);
    job.continue_run(point, earlier, description_of(options, run, simulation.integrator(), state),
                     notes, checked);
    execute(job, written, view, options, run);
}

/// Returns arguments to continue a run from its checkpoint without a GPU.
std::vector<std::string> without_gpu(const std::vector<std::string>& arguments,
                                     const std::string& folder)
{
    std::vector<std::string> on{"--restart", folder, "--device", "cpu"};
    for (std::size_t k = 0; k < arguments.size(); ++k)
        for (const char* name : {"--threads", "--quiet", "-q", "--verbose", "-v"}) {
            if (arguments[k] == name || arguments[k].starts_with(std::string(name) + "="))
                on.push_back(arguments[k]);
            if (arguments[k] == "--threads" && arguments[k] == name && k + 1 < arguments.size())
                on.push_back(arguments[k + 1]);
        }
    return on;
}

/// Returns arguments to begin or restart a run without a GPU.
std::vector<std::string> without_gpu(const std::vector<std::string>& arguments)
{
    std::vector<std::string> on;
    for (std::size_t k = 0; k < arguments.size(); ++k) {
        if (arguments[k] == "--device" || arguments[k] == "--tree")
            ++k;
        else if (!arguments[k].starts_with("--device=") && !arguments[k].starts_with("--tree="))
            on.push_back(arguments[k]);
    }
    on.push_back("--device=cpu");
    return on;
}

/// Begins or restarts the run.
void carry_out(Options& options, RunOptions& run, WrittenFiles& written, LiveView* view)
{
    if (run.restart.empty())
        begin(options, run, written, view);
    else
        continue_run(options, run, written, view);
}

/// Runs with these arguments. After a GPU failure, continues without a GPU in the same view.
int run_viewed(const std::vector<std::string>& arguments, std::unique_ptr<LiveView>& view)
{
    RunOptions run;
    Options options("run", "Evolves particles under their gravity and writes snapshots, energies, "
                           "pictures and a log; goes on with a run that was ended.");
    add_run_options(options, run);
    options.common({"model", "particles", "t-end", "dt", "adaptive", "block-steps", "integrator",
                    "z-end", "eps", "accuracy", "device", "box", "restart", "max-walltime",
                    "output", "overwrite", "snapshot-every", "frames", "view"});
    options.expect_units();
    if (!options.parse(arguments))
        return 0;
    if (run.view && !view)
        view = make_view(*run.view, "--view");
    WrittenFiles written;
    try {
        carry_out(options, run, written, view.get());
        return 0;
    } catch (const Error& error) {
        if (error.fault() != Fault::device || run.on_device_error != DeviceErrorAction::cpu ||
            run.solver.device == "cpu" || asks_ranks(run.solver) || run.scheme.resident ||
            (written.results && !written.checkpoint)) // a new start would replace results
            throw;
        std::fprintf(stderr, "chamomile: %s; the run goes on without it\n",
                     spelled(error.line(), command_line_spelling()).c_str());
    }
    std::vector<std::string> on =
        written.checkpoint ? without_gpu(arguments, run.folder) : without_gpu(arguments);
    if (run.solver.tree_built_by == TreeBuiltBy::gpu)
        on.push_back("--tree=auto");
    return run_viewed(on, view);
}

} // namespace

int run(const std::vector<std::string>& arguments)
{
    std::unique_ptr<LiveView> view;
    return run_viewed(arguments, view);
}

} // namespace chamomile::app
