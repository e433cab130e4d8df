/// \file  `chamomile run`: evolves particles and writes snapshots, energies, pictures and a log.
#include <atomic>
#include <csignal>
#include <ctime>
#include <map>
#include <optional>

#include "app/command.hpp"
#include "app/energy_file.hpp"
#include "app/force_cost.hpp"
#include "app/force_file.hpp"
#include "app/journal.hpp"
#include "app/progress.hpp"
#include "app/run_folder.hpp"
#include "app/run_options.hpp"
#include "app/solver_options.hpp"
#include "app/step_file.hpp"
#include "app/table.hpp"
#include "app/tuning.hpp"
#include "core/error.hpp"
#include "force/threads.hpp"
#include "io/pictures/render.hpp"
#include "version.hpp"

namespace chamomile::app {
namespace {

/// While it lives, the first interrupt ends the simulation after the present step; a second one
/// ends the process.
class InterruptGuard {
public:
    explicit InterruptGuard(Simulation& simulation)
    {
        running = &simulation;
        struct sigaction action = {};
        action.sa_handler = [](int signal) {
            caught = signal;
            running.load()->stop();
        };
        action.sa_flags = SA_RESETHAND | SA_RESTART;
        sigaction(SIGINT, &action, nullptr);
        sigaction(SIGTERM, &action, nullptr);
    }
    ~InterruptGuard()
    {
        std::signal(SIGINT, SIG_DFL);
        std::signal(SIGTERM, SIG_DFL);
        running = nullptr;
    }
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;

    /// The signal that came, or 0.
    int signal() const { return caught; }

private:
    static inline std::atomic<Simulation*> running = nullptr;
    static inline std::atomic<int> caught = 0;
};

/// The view that all frames of a run share, wide enough for what will leave the first picture.
RenderOptions first_view(const Snapshot& state, std::optional<double> width)
{
    RenderOptions view;
    view.field_of_view = width ? *width : 1.5 * *settle_view(state, view).field_of_view;
    return settle_view(state, view);
}

/// Everything that one run writes, and when.
class Run {
public:
    Run(const RunOptions& run, RunFolder& folder, Snapshot& state, Mover& mover,
        const SimulationOptions& time, Journal& journal)
        : run_(run), folder_(folder), state_(state), mover_(mover), journal_(journal),
          simulation_(state.particles, mover.integrator(), time.start_time, time.end_time),
          steps_(run.steps_every), forces_(run.check_forces), progress_(journal)
    {
        constexpr auto potentials = Quantities::acceleration_potential;
        const auto energies = [this](Simulation&) { energies_.add(simulation_); };
        // The first observer is called when the first forces are known, so that nothing is created
        // for particles that have none.
        simulation_.at_intervals(snapshot_interval(run, time), potentials,
                                 [this](Simulation&) { write_outputs(); });
        if (run.frames)
            simulation_.at_intervals(run.frames_every.value_or(snapshot_interval(run, time)),
                                     Quantities::acceleration,
                                     [this](Simulation&) { write_frame(); });
        if (run.energy_every)
            simulation_.at_intervals(*run.energy_every, potentials, energies);
        else
            simulation_.every_steps(10, potentials, energies);
        if (run.check_forces > 0)
            simulation_.every_steps(
                run.check_forces_every.value_or(50), potentials,
                [this](Simulation& now) { forces_.add(now, state_.particles); });
        simulation_.after_each_step([this](Simulation& now) {
            steps_.add(now);
            progress_.update(now, energies_.energy_error());
        });
    }

    /// Returns the signal that ended the run, or 0.
    int execute()
    {
        const double start = wall_clock_seconds();
        InterruptGuard interrupts(simulation_);
        try {
            simulation_.run();
            if (!simulation_.at_end()) {
                write_outputs();
                journal_.tell(formatted("interrupted: the state at t = %.9g, step %llu, is in %s",
                                        simulation_.time(), (unsigned long long)simulation_.step(),
                                        folder_.snapshot(outputs_ - 1).c_str()));
            }
        } catch (const Error& error) {
            journal_.record(std::string("error: ") + error.what());
            throw;
        }
        summarize(wall_clock_seconds() - start);
        return simulation_.at_end() ? 0 : interrupts.signal();
    }

private:
    void write_outputs()
    {
        if (outputs_ == 0) {
            folder_.create();
            journal_.open(folder_.log());
            energies_.open(folder_.energies());
            steps_.open(folder_.steps(), simulation_);
            if (run_.check_forces > 0)
                forces_.open(folder_.forces());
        }
        energies_.add(simulation_);
        state_.time = simulation_.time();
        state_.has_accelerations = true;
        state_.has_potentials = simulation_.has_potentials();
        if (simulation_.integrator().forces().accuracy)
            record_choice();
        state_.provenance["step"] = std::to_string(simulation_.step());
        write_snapshot(state_, folder_.snapshot(outputs_));
        journal_.detail(formatted("wrote %s at t = %.9g", folder_.snapshot(outputs_).c_str(),
                                  simulation_.time()));
        ++outputs_;
    }

    /// What the solver has chosen by now goes into the snapshots.
    void record_choice()
    {
        for (const char* name : {"criterion", "tolerance", "theta", "order", "local_order"})
            state_.provenance.erase(name);
        for (const auto& [name, value] : describe(simulation_.integrator().forces()))
            if (name != "device")
                state_.provenance[name] = value;
        state_.provenance["measured_error"] = shortest(steps_.measured_error());
    }

    void write_frame()
    {
        state_.time = simulation_.time();
        if (frames_ == 0)
            view_ = first_view(state_, run_.frame_width);
        write_png(render_snapshot(state_, view_), folder_.frame(frames_++));
    }

    void summarize(double seconds)
    {
        const ForceStatistics& total = simulation_.total_statistics();
        const double evaluations = double(total.targets) / double(state_.particles.size());
        const ForceCost cost(total, evaluations);
        journal_.tell(
            formatted("%llu steps in %s, %.3g steps/s, %.3g pairs/s",
                      (unsigned long long)simulation_.step(), duration_text(seconds).c_str(),
                      double(simulation_.step()) / seconds, evaluations * cost.pairs / seconds));
        if (const auto lines = mover_.summary(state_.particles); !lines.empty()) {
            journal_.tell("in all: " + phases_text(total.profile));
            for (const std::string& line : lines)
                journal_.tell(line);
        } else {
            journal_.tell("a step: " + phases_text(total.profile, evaluations));
            journal_.tell("        " + cost.text());
        }
        journal_.tell(formatted("energy error %.2e at the end, %.2e at most; momentum drift %.1e",
                                energies_.energy_error(), energies_.largest_error(),
                                energies_.momentum_drift()));
        if (simulation_.integrator().forces().accuracy)
            journal_.tell(steps_.accuracy_summary());
        if (run_.check_forces > 0)
            journal_.tell(forces_.summary());
        const std::string frames = run_.frames ? formatted(", %d frames", frames_) : "";
        journal_.tell(formatted(
            "wrote %d snapshots%s, energy.csv, steps.csv%s and run.log to %s", outputs_,
            frames.c_str(), run_.check_forces > 0 ? ", forces.csv" : "", folder_.name().c_str()));
    }

    const RunOptions& run_;
    RunFolder& folder_;
    Snapshot& state_;
    const Mover& mover_;
    Journal& journal_;
    Simulation simulation_;
    EnergyFile energies_;
    StepFile steps_;
    ForceFile forces_;
    Progress progress_;
    RenderOptions view_;
    int outputs_ = 0, frames_ = 0;
};

void introduce(const Snapshot& state, const RunOptions& run, const Mover& mover,
               const SimulationOptions& time, Journal& journal)
{
    const auto item = [&](const char* name, const std::string& text) {
        journal.tell(formatted("%-12s %s", name, text.c_str()));
    };
    const SolverOptions& forces = mover.integrator().forces();
    item("chamomile", version);
    item("particles", formatted("%zu from %s", state.particles.size(), source_of(run).c_str()));
    item("units", state.units.description());
    item("G", shortest(forces.gravitational_constant));
    item("forces", forces.accuracy ? goal_text(*forces.accuracy) : method_text(forces));
    item("softening", describe(forces.softening));
    item("device", mover.integrator().device());
    if (forces.solver == SolverKind::tree && !forces.accuracy)
        item("sizes", formatted("groups of %d, leaves of %d", forces.group_size, forces.leaf_size));
    if (const std::string scheme = mover.scheme_text(); !scheme.empty())
        item("hermite", scheme);
    item("time", "from " + shortest(time.start_time) + " to " + shortest(time.end_time) + " " +
                     mover.steps_text());
    for (const std::string& note : state.notes)
        item("note", note);
    if (state.box_size > 0)
        item("note", "the box of size " + shortest(state.box_size) +
                         " in the file is ignored: boundaries are open");
}

void tell_choice(const AccuracyReport& report, Journal& journal)
{
    const std::string line = "accuracy     " + report_text(report);
    if (report.event == AccuracyReport::Event::kept)
        return journal.record(line);
    journal.tell(line);
    if (report.event == AccuracyReport::Event::chosen)
        journal.tell("             " + repeating_options(report.after) + " repeats the run");
}

void record_provenance(Snapshot& state, const RunOptions& run, const Options& options,
                       const Mover& mover)
{
    const Integrator& integrator = mover.integrator();
    std::map<std::string, std::string> earlier;
    earlier.swap(state.provenance);
    state.provenance = describe(integrator.forces());
    for (const char* key : {"command", "version"}) // how the initial conditions were made
        if (const auto value = earlier.find(key); value != earlier.end())
            state.provenance[std::string("initial_") + key] = value->second;
    state.provenance["version"] = version;
    state.provenance["command"] = options.command_line();
    state.provenance["initial_conditions"] = source_of(run);
    state.provenance["device"] = integrator.device();
    if (const std::string scheme = mover.scheme_text(); !scheme.empty())
        state.provenance["hermite"] = scheme + ", " + mover.steps_text();
    std::string all;
    for (const auto& [name, value] : options.values())
        if (!value.empty())
            all += (all.empty() ? "" : " ") + name + "=" + value;
    state.provenance["options"] = all;
    state.softening = integrator.forces().softening;
    if (options.given("G"))
        state.gravitational_constant = integrator.forces().gravitational_constant;
}

} // namespace

int run(const std::vector<std::string>& arguments)
{
    RunOptions run;
    Options options("run", "Evolves particles under their gravity and writes snapshots, energies, "
                           "pictures and a log.");
    add_run_options(options, run);
    if (!options.parse(arguments))
        return 0;
    settle_criterion(options, run.solver);
    require_complete(run);
    settle_scheme(options, run.scheme, run.step, run.solver);
    settle_accuracy(options, run.accuracy, run.solver);
    require_tunable(options, run.tune, run.solver.solver == SolverKind::direct);
    Snapshot state = initial_conditions(run);
    const SimulationOptions time = simulation_options(run, state.time);
    if (!take_from_file(run.solver, state, options))
        refuse_without_softening(state.particles, source_of(run));
    Mover(run.scheme, run.solver, time.step); // refuses what is out of range before it takes long
    RunFolder folder(run.folder, run.overwrite, run.input);
    std::optional<Tuning> tuning;
    if (run.tune) {
        tuning = tuned(run.solver, state.particles, Quantities::acceleration);
        run.solver = tuning->solver;
    }
    Journal journal(options.verbosity());
    if (run.solver.accuracy)
        run.solver.accuracy->report = [&journal](const AccuracyReport& report) {
            tell_choice(report, journal);
        };
    Mover mover(run.scheme, run.solver, time.step);
    record_provenance(state, run, options, mover);

    Run job(run, folder, state, mover, time, journal);
    introduce(state, run, mover, time, journal);
    if (tuning)
        journal.tell(formatted("tuned        %s; --group-size %d --leaf-size %d repeats the run",
                               tuning->text().c_str(), run.solver.group_size,
                               run.solver.leaf_size));
    const std::time_t now = std::time(nullptr);
    char date[32];
    std::strftime(date, sizeof date, "%F %T %z", std::localtime(&now));
    journal.record(std::string("started      ") + date);
    journal.record("command      " + options.command_line());
    journal.record("threads      " + std::to_string(thread_count()));
    const int signal = job.execute();
    return signal ? 128 + signal : 0;
}

} // namespace chamomile::app
