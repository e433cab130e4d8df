/// \file  Requests to end a run early: signals, files in its folder, a limit of wall-clock time.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "chamomile/core/profile.hpp"

namespace chamomile {

/// StopRequests records the first SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGHUP or SIGXCPU
/// while it lives. The next one, if it comes more than a second later, ends the process as by
/// default. Signals that have a handler already keep it. It must be queried after each step.
class StopRequests {
public:
    /// `stop` and `checkpoint-now` are files of the folder; `limit` counts seconds since the
    /// program began.
    StopRequests(const std::filesystem::path& folder, std::optional<double> limit);
    ~StopRequests();
    StopRequests(const StopRequests&) = delete;
    StopRequests& operator=(const StopRequests&) = delete;

    void note_step();  ///< records the end of a step
    void begin_step(); ///< a step begins later than the last one ended
    /// Records the largest time of a checkpoint.
    void note_checkpoint(double seconds) { checkpoint_seconds_ = seconds; }

    /// Returns why the run must end now, such as "SIGTERM", or an empty text. The limit is a reason
    /// when twice the longest step and twice a checkpoint exceed the time left, but not before a
    /// first step, so that each restart makes progress.
    std::string reason(bool has_moved);

    /// Returns whether a checkpoint is requested without an end.
    bool wants_checkpoint();

    /// Requests an end, as the file `stop` does, and a checkpoint. Both must come from the thread
    /// of the run.
    void ask_stop(const std::string& by) { stop_asked_ = by; }
    void ask_checkpoint() { checkpoint_seen_ = true; }

    bool has_limit() const { return limit_.has_value(); }
    /// Returns whether the limit leaves no room for one step, as far as is known.
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
    bool obeyed_ = false; ///< a signal was returned as the reason
    double step_begun_ = wall_clock_seconds();
    double longest_step_ = 0, checkpoint_seconds_ = 0;
    double last_look_ = 0;
    bool stop_seen_ = false, checkpoint_seen_ = false;
    std::string stop_asked_; ///< by whom; empty: by nobody
};

} // namespace chamomile
