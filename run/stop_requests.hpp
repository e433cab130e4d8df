/// \file  Early stop of a run: by signals, files in its folder, or a wall-clock limit.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "chamomile/core/profile.hpp"

namespace chamomile {

/// During its lifetime, StopRequests records the first SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM,
/// SIGHUP or SIGXCPU. A second signal more than a second later ends the process. Signals with an
/// existing handler keep it. Query after each step.
class StopRequests {
public:
    /// Watches for the files `stop` and `checkpoint-now` in `folder`. `limit`: seconds since
    /// program start.
    StopRequests(const std::filesystem::path& folder, std::optional<double> limit);
    ~StopRequests();
    StopRequests(const StopRequests&) = delete;
    StopRequests& operator=(const StopRequests&) = delete;

    void record_step(); ///< records the end of a step
    void begin_step();  ///< restarts the clock of a step, after a pause
    /// Records the longest checkpoint in seconds.
    void record_checkpoint(double seconds) { checkpoint_seconds_ = seconds; }

    /// Returns why the run must end now, such as "SIGTERM", or an empty text. The time limit
    /// applies if the time left is shorter than twice the longest step plus twice a checkpoint, but
    /// not before a first step, so that each restart makes progress.
    std::string reason(bool has_moved);

    /// Returns whether a checkpoint without stop was requested.
    bool wants_checkpoint();

    /// Request a stop (like the file `stop`) or a checkpoint. Must be called from the thread of the
    /// run.
    void ask_stop(const std::string& by) { stop_asked_ = by; }
    void ask_checkpoint() { checkpoint_seen_ = true; }

    bool has_limit() const { return limit_.has_value(); }
    /// Returns whether the time left is already too short for one step.
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
    bool obeyed_ = false; ///< reason() has returned a signal
    double step_begun_ = wall_clock_seconds();
    double longest_step_ = 0, checkpoint_seconds_ = 0;
    double last_look_ = 0;
    bool stop_seen_ = false, checkpoint_seen_ = false;
    std::string stop_asked_; ///< name of the requester; empty: none
};

} // namespace chamomile
