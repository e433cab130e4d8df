/// \file  What may end a run before its time: signals, files in its folder, a limit of wall-clock
/// time.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "chamomile/core/profile.hpp"

namespace chamomile {

/// While it lives, the first SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGHUP or SIGXCPU is
/// noted, and the next one that comes more than a second later ends the process as if nobody cared.
/// Signals that have a handler already keep it. Ask after each step.
class StopRequests {
public:
    /// `stop` and `checkpoint-now` are files of the folder; `limit`: seconds since the program
    /// began.
    StopRequests(const std::filesystem::path& folder, std::optional<double> limit);
    ~StopRequests();
    StopRequests(const StopRequests&) = delete;
    StopRequests& operator=(const StopRequests&) = delete;

    void note_step(); ///< that one has ended
    /// What one takes at most.
    void note_checkpoint(double seconds) { checkpoint_seconds_ = seconds; }

    /// Why the run is to end now, such as "SIGTERM"; empty if it may go on. Of the limit, when
    /// twice the longest step and twice a checkpoint no longer fit into what is left; not before a
    /// first step, so that each restart gets on.
    std::string reason(bool has_moved);

    /// Whether somebody asks for a checkpoint without an end.
    bool wants_checkpoint();

    bool has_limit() const { return limit_.has_value(); }
    /// Whether the limit leaves no room for one step, as far as is known.
    bool is_hopeless() const { return limit_ && elapsed() + needed() > *limit_; }

    static constexpr const char* stop_name = "stop";
    static constexpr const char* checkpoint_name = "checkpoint-now";

private:
    double elapsed() const;
    double needed() const { return 2 * longest_step_ + 2 * checkpoint_seconds_; }
    bool take(const std::filesystem::path& file) const;
    bool is_time_to_look();

    std::filesystem::path stop_file_, checkpoint_file_;
    std::optional<double> limit_;
    bool obeyed_ = false; ///< a signal has been told as the reason
    double step_begun_ = wall_clock_seconds();
    double longest_step_ = 0, checkpoint_seconds_ = 0;
    double last_look_ = 0;
    bool stop_seen_ = false, checkpoint_seen_ = false;
};

} // namespace chamomile
