#include "chamomile/run/viewing.hpp"

#include <algorithm>
#include <utility>

#include "chamomile/core/text/table.hpp"

namespace chamomile {
namespace {

constexpr double seconds_between_polls = 0.05;

ViewScene scene_of_run(const Snapshot& state, const std::string& name, const ViewedRun& run)
{
    ViewScene scene = scene_of(state, name);
    scene.can_stop = true;
    scene.can_checkpoint = bool(run.checkpoint);
    return scene;
}

} // namespace

Viewing::Viewing(LiveView& view, const Snapshot& state, const std::string& name,
                 Simulation& simulation, ViewedRun run)
    : view_(view), simulation_(simulation), run_(std::move(run)),
      scene_(scene_of_run(state, name, run_))
{
    view_.begin(scene_, state.particles);
}

bool Viewing::holds()
{
    if (seen_step_ != simulation_.step()) {
        seen_step_ = simulation_.step();
        step_ended_ = wall_clock_seconds();
        paused_seconds_ = 0;
        changed_ = true;
    }
    if (view_.is_asked())
        obey();
    if (std::exchange(has_asked_, false)) // let the run handle this first
        return true;
    // Samples are free during a pause, but limited by a budget while the run advances.
    if (view_.is_asked() && view_.has_waiting() &&
        (paused_ ? changed_ || view_.is_insufficient() : view_.may_sample()))
        show(false);
    if (simulation_.at_end())
        return false;
    if (paused_ && steps_ > 0) {
        --steps_;
        return false;
    }
    if (run_.between && (paused_ || waits_for_pace()))
        run_.between();
    if (paused_) {
        const double start = wall_clock_seconds();
        view_.wait(seconds_between_polls);
        paused_seconds_ += wall_clock_seconds() - start;
        return true;
    }
    if (!waits_for_pace())
        return false;
    view_.wait(std::min(seconds_between_polls, step_ended_ + 1 / pace_ - wall_clock_seconds()));
    return true;
}

bool Viewing::waits_for_pace() const
{
    return pace_ > 0 && wall_clock_seconds() < step_ended_ + 1 / pace_;
}

void Viewing::obey()
{
    for (const LiveView::Command& command : view_.consume_commands())
        obey(command);
}

void Viewing::obey(const LiveView::Command& command)
{
    changed_ = true;
    switch (command.command) {
    case ViewCommand::pause:
        paused_ = true;
        steps_ = 0;
        break;
    case ViewCommand::go:
        paused_ = false;
        break;
    case ViewCommand::step:
        steps_ += paused_;
        paused_ = true;
        break;
    case ViewCommand::pace:
        pace_ = command.number;
        break;
    case ViewCommand::checkpoint:
        if (run_.checkpoint) {
            run_.checkpoint();
            has_asked_ = true;
        }
        break;
    case ViewCommand::stop:
        run_.stop();
        has_asked_ = true;
        paused_ = false;
        break;
    case ViewCommand::show:
        break; // no files to show in a run
    }
}

void Viewing::show(bool ended)
{
    ViewStatus status;
    status.step = simulation_.step();
    status.time = scene_.time_text(simulation_.file_time());
    const double begin = simulation_.start_time(), end = simulation_.end_time();
    if (end > begin)
        status.progress = formatted("%.0f %%", 100 * (simulation_.time() - begin) / (end - begin));
    if (run_.tell)
        run_.tell(status);
    status.note = note_;
    status.paused = paused_;
    status.ended = ended;
    status.pace = pace_;
    // Velocities of comoving runs are canonical momenta, a^2 dx/dt.
    status.speed_unit = scene_.speed_unit / (scene_.comoving ? simulation_.file_time() : 1);
    const double start = wall_clock_seconds();
    view_.show([this](auto... asked) { simulation_.gather(asked...); }, status);
    changed_ = false;
    if (paused_)
        return;
    const double seconds = wall_clock_seconds() - start;
    cost_ = {cost_.samples + 1, cost_.seconds + seconds, std::max(cost_.longest, seconds)};
}

void Viewing::note(const std::string& line)
{
    note_ = line;
    changed_ = true;
}

void Viewing::finish()
{
    paused_ = false;
    if (view_.has_viewers())
        show(true);
}

} // namespace chamomile
