#include "chamomile/view/live_view.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "chamomile/core/profile.hpp"
#include "chamomile/view/frame.hpp"

namespace chamomile {
namespace {

/// Max fraction of the run's time for samples, and min seconds between samples.
constexpr double budget = 0.02, min_interval = 1. / 30;
constexpr std::size_t max_commands = 64;
/// Content of samples without a request, kept for later viewers.
constexpr std::size_t points_of_nobody = 100000;
constexpr unsigned all_types = 63;

} // namespace

LiveView::LiveView(const ViewPlace& place)
    : server_(place,
              {.scene = [this] { return scene_text(); },
               .frame = [this](const FrameWish& wish) { return frame(wish); },
               .command = [this](ViewCommand what, double number) { command(what, number); }})
{}

std::string LiveView::url() const
{
    return "http://127.0.0.1:" + std::to_string(port()) + "/#" + server_.token();
}

void LiveView::begin(const ViewScene& scene, const Particles& particles)
{
    sampler_.emplace(particles);
    const std::lock_guard lock(mutex_);
    scene_ = json_of(scene);
}

std::vector<LiveView::Command> LiveView::consume_commands()
{
    const std::lock_guard lock(mutex_);
    asked_ = waiting_;
    return std::exchange(commands_, {});
}

bool LiveView::has_waiting() const
{
    const std::lock_guard lock(mutex_);
    return waiting_;
}

bool LiveView::has_viewers() const
{
    const std::lock_guard lock(mutex_);
    return has_viewers_;
}

bool LiveView::may_sample() const
{
    return has_waiting() && wall_clock_seconds() >= may_sample_at_;
}

bool LiveView::is_insufficient() const
{
    const std::lock_guard lock(mutex_);
    return waiting_ && (!latest_ || !serves(*latest_, {.points = points_, .types = types_}));
}

/// Returns a sample no longer in use. Reusing its memory avoids page faults.
std::shared_ptr<ViewSample> LiveView::unused_sample()
{
    for (std::shared_ptr<ViewSample>& sample : samples_) {
        if (!sample)
            sample = std::make_shared<ViewSample>();
        if (sample.use_count() == 1)
            return sample;
    }
    return std::make_shared<ViewSample>();
}

void LiveView::show(const PointSource& source, const ViewStatus& status)
{
    const double start = wall_clock_seconds();
    std::size_t points;
    unsigned types;
    {
        const std::lock_guard lock(mutex_);
        points = waiting_ ? points_ : points_of_nobody;
        types = waiting_ ? types_ : all_types;
    }
    const std::shared_ptr<ViewSample> sample = unused_sample();
    sampler_->gather(source, points, types, *sample);
    sample->status = status;
    {
        const std::lock_guard lock(mutex_);
        sample->sequence = ++sequence_;
        latest_ = sample;
        waiting_ = false;
        points_ = 0;
        types_ = 0;
        asked_ = !commands_.empty();
    }
    server_.notify();
    const double now = wall_clock_seconds();
    may_sample_at_ = now + std::max(min_interval, (now - start) / budget);
}

void LiveView::wait(double seconds)
{
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::duration<double>(seconds));
}

std::string LiveView::scene_text()
{
    const std::lock_guard lock(mutex_);
    return scene_.empty() ? "{}" : scene_;
}

void LiveView::record_wish(const FrameWish& wish)
{
    points_ = std::max(points_, wish.points);
    types_ |= wish.types;
    waiting_ = true;
    asked_ = true;
}

std::optional<std::string> LiveView::frame(const FrameWish& wish)
{
    std::shared_ptr<const ViewSample> sample;
    {
        const std::lock_guard lock(mutex_);
        has_viewers_ = true;
        const bool is_new = latest_ && latest_->sequence > wish.after;
        if (!is_new || !serves(*latest_, wish)) {
            record_wish(wish);
            changed_.notify_all();
        }
        if (!is_new)
            return std::nullopt;
        sample = latest_;
    }
    return frame_of(*sample, wish);
}

void LiveView::command(ViewCommand what, double number)
{
    const std::lock_guard lock(mutex_);
    if (commands_.size() < max_commands)
        commands_.push_back({what, number});
    asked_ = true;
    changed_.notify_all();
}

} // namespace chamomile
