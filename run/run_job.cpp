#include "chamomile/run/run_job.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "chamomile/core/error.hpp"
#include "chamomile/core/number_text.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/core/version.hpp"
#include "chamomile/integrate/ranks/led_particles.hpp"
#include "chamomile/run/structures/analysed.hpp"
#include "chamomile/run/structures/comoving_run.hpp"
#include "chamomile/run/texts/method_text.hpp"

namespace chamomile {
namespace {

using LooksAt = Simulation::LooksAt;

constexpr auto potentials = Quantities::acceleration_potential;

/// Bytes per particle: position, velocity, acceleration, potential, mass and id.
constexpr std::int64_t snapshot_bytes = 12 * 8;

} // namespace

double snapshot_interval(const RunSettings& settings, double start, double end)
{
    if (settings.snapshot_every)
        return *settings.snapshot_every;
    return end > start ? (end - start) / 10 : std::max(1.0, std::abs(end));
}

RunJob::RunJob(const RunSettings& settings, const RunOrigin& origin, RunFolder& folder,
               Snapshot& state, Simulation& simulation, Journal& journal)
    : run_(settings), origin_(origin), folder_(folder), state_(state), simulation_(simulation),
      journal_(journal), energies_(state.comoving.has_value(), simulation.integrator().field()),
      steps_(settings.steps_every), forces_(settings.check_forces), track_(settings.track_every),
      tables_(settings.cluster, state, simulation), progress_(journal, state.units),
      checkpoints_(folder.name()), frames_(settings)
{
    origin_.version = version;
    origin_.start_time = simulation.start_time();
    origin_.forces = simulation.integrator().forces();
    simulation_.leave_particles();
    if (run_.light_cone.is_asked())
        light_cone_.emplace(run_.light_cone, state_, simulation_);
    register_observers();
}

void RunJob::register_observers()
{
    const double interval =
        snapshot_interval(run_, simulation_.start_time(), simulation_.end_time());
    const auto energies = [this](Simulation&) { record_energies(); };
    // The first observer runs after the first force evaluation, so that no files are created if
    // forces fail.
    const auto outputs = [this](Simulation&) { write_outputs(); };
    const LooksAt looks = run_.analysis.needs_particles(simulation_.led() != nullptr)
                              ? LooksAt::particles
                              : LooksAt::rows;
    if (const auto times = listed_outputs(run_); !times.empty())
        simulation_.at_times(times, potentials, outputs, looks);
    else
        simulation_.at_intervals(interval, potentials, outputs, looks);
    const auto frames = [this](Simulation&) { write_frame(); };
    const LooksAt frames_look = simulation_.led() ? LooksAt::rows : LooksAt::particles;
    const Quantities of_frames =
        run_.frame_view.quantity == Pictured::potential ? potentials : Quantities::acceleration;
    if (run_.frames && !run_.frames_every && !listed_outputs(run_).empty())
        simulation_.at_times(listed_outputs(run_), of_frames, frames, frames_look);
    else if (run_.frames)
        simulation_.at_intervals(run_.frames_every.value_or(interval), of_frames, frames,
                                 frames_look);
    if (run_.energy_every)
        simulation_.at_intervals(*run_.energy_every, potentials, energies, LooksAt::rows);
    else
        simulation_.every_steps(10, potentials, energies, LooksAt::rows);
    if (run_.check_forces > 0)
        simulation_.every_steps(
            run_.check_forces_every.value_or(50), potentials,
            [this](Simulation&) { record_forces(); }, LooksAt::rows);
    if (run_.track_blocks)
        if (const Refusal line = refused_by([this] {
                simulation_.after_blocks(*run_.track_blocks,
                                         [this](double time) { track_.note(simulation_, time); });
            }))
            throw Error(Fault::usage, "{track-blocks}: " + *line);
    tables_.register_observers();
    simulation_.after_each_step([this](Simulation& now) {
        steps_.add(now);
        if (tracks())
            track_.add(now);
        if (light_cone_)
            light_cone_->add();
        warn_of_forces();
        progress_.update(now, energies_.latest(now));
    });
}

void RunJob::introduce(const RunDescription& description, const std::vector<std::string>& lines,
                       const std::string& checked)
{
    if (tracks())
        track_.choose(run_.track, state_.particles);
    tables_.begin();
    record_provenance(description, origin_.command, simulation_.integrator(), state_);
    print_introduction(description, lines, checked);
}

void RunJob::print_introduction(const RunDescription& description,
                                const std::vector<std::string>& lines, const std::string& checked)
{
    chamomile::introduce(description, simulation_, state_, journal_);
    if (light_cone_)
        journal_.print("light cone   " + light_cone_->description());
    for (const std::string& line : lines)
        journal_.print(line);
    record_start(origin_.command, journal_);
    if (!checked.empty())
        journal_.record(checked);
}

void RunJob::continue_run(const RestartPoint& point, const RunOrigin& earlier,
                          const RunDescription& description, const std::vector<std::string>& notes,
                          const std::string& checked)
{
    origin_.start_time = earlier.start_time;
    restore(*point.archive);
    if (origin_.forces.device != earlier.forces.device)
        state_.provenance["device"] = simulation_.integrator().device();
    for (const std::string& line : point.rejected)
        journal_.print("rejected     " + line);
    journal_.print(formatted("restarted    from %s: t = %.9g, step %llu",
                             point.archive->path().c_str(), simulation_.file_time(),
                             (unsigned long long)simulation_.step()));
    std::vector<std::string> lines;
    for (const std::string& note : notes)
        lines.push_back("note         " + note);
    print_introduction(description, lines, checked);
    folder_.create();
    set_aside_newer(point.archive->path());
    reopen_files();
    if (simulation_.at_end())
        journal_.print(
            "the run had ended at t = " +
            number_text(simulation_.integrator().clock().file_time(simulation_.end_time())) +
            (state_.comoving ? "; give a lower {z-end} to continue"
                             : "; give a later {t-end} to continue"));
}

void RunJob::restore(Archive& archive)
{
    exchange(archive);
    restored_ = has_checkpoint_ = true;
    first_step_ = checkpoint_step_ = simulation_.step();
}

void RunJob::reopen_files()
{
    journal_.open(folder_.log(), true);
    std::vector<std::string> notes{energies_.open(folder_.energies(), state_.units),
                                   steps_.open(folder_.steps(), simulation_, state_.units)};
    if (run_.check_forces > 0)
        notes.push_back(forces_.open(folder_.forces(), state_.comoving.has_value(), state_.units));
    if (tracks())
        notes.push_back(track_.open(folder_.track(), state_.comoving.has_value(), state_.units));
    for (const std::string& note : tables_.open(folder_))
        notes.push_back(note);
    if (light_cone_)
        light_cone_->open(folder_);
    for (const std::string& note : notes)
        if (!note.empty())
            journal_.print("note         " + note);
}

void RunJob::show_in(LiveView& view, const std::string& name, std::function<void()> between)
{
    between_ = std::move(between);
    live_view_ = &view;
    name_in_view_ = name;
}

void RunJob::begin_viewing(StopRequests& requests)
{
    viewing_.emplace(*live_view_, state_, name_in_view_, simulation_,
                     ViewedRun{.stop = [&requests] { requests.ask_stop("the view"); },
                               .checkpoint = [&requests] { requests.ask_checkpoint(); },
                               .tell =
                                   [this](ViewStatus& status) {
                                       if (const std::string rate =
                                               progress_.rate_text(simulation_);
                                           !rate.empty())
                                           status.progress = rate;
                                       if (energies_.is_open())
                                           status.energy = energies_.latest(simulation_);
                                   },
                               .between = between_});
}

void RunJob::execute()
{
    const double start = wall_clock_seconds();
    StopRequests requests(folder_.name(), run_.max_walltime);
    if (live_view_)
        begin_viewing(requests);
    simulation_.when_done([&](Simulation&) { after_step(requests); });
    if (restored_)
        check_energies();
    if (!inaccuracy_.empty()) // stored in the checkpoint
        simulation_.stop();
    try {
        simulation_.run();
        finish_snapshot();
    } catch (const std::exception& error) {
        journal_.record(std::string("error: ") + line_of(error));
        rescue();
        throw;
    }
    if (viewing_)
        viewing_->finish();
    summarize(wall_clock_seconds() - start);
    if (inaccuracy_.empty())
        return;
    journal_.record("error: " + inaccuracy_);
    throw Inaccurate(inaccuracy_);
}

void RunJob::open_files()
{
    if (run_.max_energy_error) {
        const Diagnostics& first = simulation_.diagnostics();
        if (first.kinetic == 0 && first.potential == 0 && first.external == 0)
            throw Error(Fault::usage, "{max-energy-error}: " + number_text(*run_.max_energy_error) +
                                          ": cannot be measured: all energies are 0 at the start");
    }
    folder_.create(std::int64_t(state_.particles.size()) * snapshot_bytes);
    journal_.open(folder_.log());
    energies_.open(folder_.energies(), state_.units);
    steps_.open(folder_.steps(), simulation_, state_.units);
    warn_of_forces();
    if (run_.check_forces > 0)
        forces_.open(folder_.forces(), state_.comoving.has_value(), state_.units);
    tables_.open(folder_);
    if (light_cone_)
        light_cone_->open(folder_);
    if (!tracks())
        return;
    track_.open(folder_.track(), state_.comoving.has_value(), state_.units);
    track_.add(simulation_);
}

void RunJob::write_outputs()
{
    if (outputs_ == 0 && !energies_.is_open()) {
        if (run_.frames) { // refuses an empty picture before creating files
            state_.has_potentials = simulation_.has_potentials();
            frames_.choose(state_, simulation_.led());
        }
        open_files();
    }
    folder_.require_same();
    record_energies();
    ParticleReader& rows = simulation_.rows(); // before velocities are scaled in place
    set_time();
    state_.has_accelerations = true;
    state_.has_potentials = simulation_.has_potentials();
    if (simulation_.integrator().forces().accuracy)
        record_choice();
    state_.provenance["step"] = std::to_string(simulation_.step());
    finish_snapshot();
    const PeculiarVelocities in_file(state_);
    const std::filesystem::path file = folder_.snapshot(outputs_);
    PeculiarRows peculiar(rows, state_);
    if (LedParticles* led = simulation_.led(); led && !rows.is_on_host())
        led->write(state_, peculiar, peculiar.factor(), file, run_.files);
    else
        snapshots_.write(state_, peculiar, file, run_.files);
    if (!run_.writes_beside)
        snapshots_.finish();
    const auto tables =
        write_analysis(run_.analysis, state_, folder_, outputs_, origin_.forces, simulation_.led());
    written_ = "wrote " + file.string() + tables + " at " + time_text(simulation_, state_.units);
    ++outputs_;
}

void RunJob::finish_snapshot()
{
    snapshots_.finish();
    if (!written_.empty())
        journal_.detail(std::exchange(written_, {}));
}

/// Updates the solver's present choices in the provenance.
void RunJob::record_choice()
{
    for (const char* name : {"criterion", "tolerance", "theta", "order", "local_order"})
        state_.provenance.erase(name);
    for (const auto& [name, value] : describe(simulation_.integrator().forces()))
        if (name != "device")
            state_.provenance[name] = value;
    state_.provenance["measured_error"] = number_text(steps_.measured_error());
}

void RunJob::set_time()
{
    state_.time = simulation_.file_time();
    if (state_.comoving)
        state_.comoving->scale_factor = state_.time;
}

void RunJob::write_frame()
{
    folder_.require_same();
    set_time();
    state_.has_potentials = simulation_.has_potentials();
    frames_.write(state_, simulation_.led(), folder_);
}

void RunJob::after_step(StopRequests& requests)
{
    requests.record_step();
    const bool has_moved = simulation_.step() > first_step_;
    if (!has_moved && requests.is_hopeless())
        journal_.print("note         {max-walltime} " + number_text(*run_.max_walltime) +
                       ": too short for two steps; takes one step");
    while (!ends_by(requests) && viewing_ && viewing_->holds())
        finish_snapshot();
    if (viewing_) {
        progress_.leave_out(viewing_->paused_seconds());
        requests.begin_step();
    }
}

/// Writes a checkpoint if due. Returns whether the run ends here.
bool RunJob::ends_by(StopRequests& requests)
{
    // A time limit also ends a pause.
    const bool has_moved = simulation_.step() > first_step_ || (viewing_ && viewing_->is_paused());
    std::string reason;
    if (!simulation_.at_end())
        reason = inaccuracy_.empty() ? requests.reason(has_moved) : "the energy error";
    if (reason.empty() && !is_checkpoint_due(requests))
        return false;
    const std::filesystem::path checkpoint = write_checkpoint();
    requests.record_checkpoint(checkpoints_.longest_seconds());
    if (reason.empty() && !simulation_.at_end()) // the checkpoint may have used up the time
        reason = requests.reason(has_moved);
    if (reason.empty())
        return false;
    simulation_.stop();
    print_how_to_continue("stopped by " + reason, checkpoint);
    return true;
}

bool RunJob::is_checkpoint_due(StopRequests& requests) const
{
    const std::uint64_t step = simulation_.step();
    if (requests.wants_checkpoint())
        return true;
    if (has_checkpoint_ && checkpoint_step_ == step)
        return false;
    if (simulation_.at_end()) // allows to continue to a later end
        return true;
    if (run_.checkpoint_every && step % *run_.checkpoint_every == 0)
        return true;
    if (step == first_step_)
        return false;
    // A time limit requires the duration of a checkpoint.
    if (requests.has_limit() && checkpoints_.longest_seconds() == 0)
        return true;
    return run_.checkpoint_walltime > 0 &&
           wall_clock_seconds() - checkpoint_time_ >= run_.checkpoint_walltime;
}

/// Stores or restores all changing state of the run.
void RunJob::exchange(Archive& archive)
{
    if (light_cone_) // before the particles are restored
        light_cone_->exchange(archive);
    simulation_.exchange(archive);
    energies_.exchange(archive);
    steps_.exchange(archive);
    if (run_.check_forces > 0)
        forces_.exchange(archive);
    if (tracks())
        track_.exchange(archive);
    tables_.exchange(archive);
    archive("run/outputs", outputs_);
    frames_.exchange(archive);
}

std::filesystem::path RunJob::write_checkpoint()
{
    folder_.require_same();
    // Snapshots and tables must be on disk before the checkpoint refers to them.
    finish_snapshot();
    energies_.sync();
    steps_.sync();
    forces_.sync();
    track_.sync();
    tables_.sync();
    if (light_cone_)
        light_cone_->sync();
    std::filesystem::path file;
    try {
        const auto write_parts = [this](const std::filesystem::path& checkpoint) {
            LedParticles* const led = simulation_.led();
            return led ? led->write_checkpoint_parts(state_.particles.type, checkpoint)
                       : CheckpointParts();
        };
        const auto exchange_all = [this](Archive& archive) {
            origin_.exchange(archive);
            exchange_properties(archive, state_);
            exchange(archive);
        };
        file = checkpoints_.write(simulation_.step(), exchange_all, write_parts);
    } catch (const Error&) {
        folder_.require_same(); // it may have been renamed during the write
        throw;
    }
    has_checkpoint_ = true;
    checkpoint_step_ = simulation_.step();
    checkpoint_time_ = wall_clock_seconds();
    journal_.detail("wrote " + file.string());
    if (viewing_)
        viewing_->note("wrote " + file.string());
    journal_.sync();
    return file;
}

/// After an error, writes a checkpoint of the state before the failed step.
void RunJob::rescue()
{
    if (!simulation_.has_begun() || !energies_.is_open())
        return;
    try {
        print_how_to_continue("the state before the error", write_checkpoint());
    } catch (const std::exception& error) {
        journal_.print(std::string("cannot write a checkpoint: ") + line_of(error));
    }
}

void RunJob::print_how_to_continue(const std::string& what, const std::filesystem::path& checkpoint)
{
    journal_.print(formatted("%s: %s, step %llu, in %s", what.c_str(),
                             time_text(simulation_, state_.units).c_str(),
                             (unsigned long long)simulation_.step(), checkpoint.c_str()));
    journal_.print("continue with 'chamomile run {restart} " + folder_.name() + "'");
}

} // namespace chamomile
