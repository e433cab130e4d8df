#include "app/stop_requests.hpp"

#include <algorithm>
#include <csignal>

#include "app/numbers.hpp"

namespace chamomile::app {

namespace fs = std::filesystem;

namespace {

constexpr double seconds_between_looks = 0.5;
constexpr int signals[] = {SIGINT, SIGTERM, SIGUSR1};

volatile std::sig_atomic_t caught = 0;

extern "C" void note_signal(int signal)
{
    caught = signal;
    for (int each : signals)
        std::signal(each, SIG_DFL);
}

const char* name_of(int signal)
{
    return signal == SIGINT ? "SIGINT" : signal == SIGTERM ? "SIGTERM" : "SIGUSR1";
}

} // namespace

StopRequests::StopRequests(const fs::path& folder, std::optional<double> limit)
    : stop_file_(folder / stop_name), checkpoint_file_(folder / checkpoint_name), limit_(limit)
{
    caught = 0;
    struct sigaction action = {};
    action.sa_handler = note_signal;
    action.sa_flags = SA_RESTART;
    for (int signal : signals)
        sigaction(signal, &action, nullptr);
}

StopRequests::~StopRequests()
{
    for (int signal : signals)
        std::signal(signal, SIG_DFL);
}

void StopRequests::note_step()
{
    const double now = wall_clock_seconds();
    longest_step_ = std::max(longest_step_, now - step_begun_);
    step_begun_ = now;
}

std::string StopRequests::reason(bool has_moved)
{
    if (caught != 0)
        return name_of(caught);
    if (has_moved && limit_ && elapsed() + needed() > *limit_)
        return "the limit of " + shortest(*limit_) + " s";
    if (is_time_to_look()) {
        stop_seen_ = take(stop_file_);
        checkpoint_seen_ = checkpoint_seen_ || take(checkpoint_file_);
    }
    return stop_seen_ ? stop_file_.string() : "";
}

bool StopRequests::wants_checkpoint()
{
    const bool wanted = checkpoint_seen_;
    checkpoint_seen_ = false;
    return wanted;
}

bool StopRequests::is_time_to_look()
{
    const double now = wall_clock_seconds();
    if (now - last_look_ < seconds_between_looks)
        return false;
    last_look_ = now;
    return true;
}

/// Whether the file was there; it is not any more.
bool StopRequests::take(const fs::path& file) const
{
    std::error_code none;
    return fs::remove(file, none);
}

} // namespace chamomile::app
