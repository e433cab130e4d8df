#include "chamomile/run/stop_requests.hpp"

#include <algorithm>
#include <csignal>
#include <ctime>
#include <iterator>
#include <utility>

#include "chamomile/core/number_text.hpp"

namespace chamomile {

namespace fs = std::filesystem;

namespace {

constexpr double seconds_between_looks = 0.5;
constexpr std::pair<int, const char*> signals[] = {
    {SIGINT, "SIGINT"},   {SIGTERM, "SIGTERM"}, {SIGUSR1, "SIGUSR1"}, {SIGUSR2, "SIGUSR2"},
    {SIGALRM, "SIGALRM"}, {SIGHUP, "SIGHUP"},   {SIGXCPU, "SIGXCPU"}};

/// Signals within this time count as one request: `timeout` and batch systems signal a process
/// first and then its process group.
constexpr long long one_request = 1'000'000'000; // ns

volatile std::sig_atomic_t caught = 0;
volatile long long caught_at = 0;

long long now_in_ns()
{
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

extern "C" void record_signal(int signal)
{
    if (caught == 0) {
        caught_at = now_in_ns();
        caught = signal;
    } else if (now_in_ns() - caught_at > one_request) {
        std::signal(signal, SIG_DFL);
        raise(signal);
    }
}

const char* name_of(int signal)
{
    return std::find_if(std::begin(signals), std::end(signals),
                        [&](const auto& each) { return each.first == signal; })
        ->second;
}

/// Program start. The time limit includes reading and tuning.
const double program_begun = wall_clock_seconds();

} // namespace

StopRequests::StopRequests(const fs::path& folder, std::optional<double> limit)
    : stop_file_(folder / stop_name), checkpoint_file_(folder / checkpoint_name), limit_(limit)
{
    struct sigaction action = {};
    action.sa_handler = record_signal;
    action.sa_flags = SA_RESTART;
    for (const auto& [signal, name] : signals) {
        struct sigaction before = {};
        sigaction(signal, nullptr, &before);
        const bool is_ignored = before.sa_handler == SIG_IGN;
        const bool is_handled = !is_ignored && before.sa_handler != SIG_DFL;
        if (!is_handled && !(is_ignored && signal == SIGHUP)) // nohup ignores SIGHUP
            sigaction(signal, &action, nullptr);
    }
}

StopRequests::~StopRequests()
{
    for (const auto& [signal, name] : signals) {
        struct sigaction now = {};
        sigaction(signal, nullptr, &now);
        if (now.sa_handler == record_signal)
            std::signal(signal, SIG_DFL);
    }
    if (obeyed_) // for the next run in this process
        caught = 0;
}

double StopRequests::elapsed() const
{
    return wall_clock_seconds() - program_begun;
}

void StopRequests::record_step()
{
    const double now = wall_clock_seconds();
    longest_step_ = std::max(longest_step_, now - step_begun_);
    step_begun_ = now;
}

void StopRequests::begin_step()
{
    step_begun_ = wall_clock_seconds();
}

std::string StopRequests::reason(bool has_moved)
{
    if (caught != 0) {
        obeyed_ = true;
        return name_of(caught);
    }
    if (has_moved && limit_ && elapsed() + needed() > *limit_)
        return "the limit of " + number_text(*limit_) + " s";
    if (is_time_to_look()) {
        std::error_code none;
        // A stop file that cannot be removed counts too.
        stop_seen_ = take(stop_file_) || fs::exists(stop_file_, none);
        checkpoint_seen_ = checkpoint_seen_ || take(checkpoint_file_);
    }
    return stop_seen_ ? stop_file_.string() : stop_asked_;
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

/// Removes the file. Returns whether it existed.
bool StopRequests::take(const fs::path& file) const
{
    std::error_code none;
    return fs::remove(file, none);
}

} // namespace chamomile
