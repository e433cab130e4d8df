/// \file  A live view: particles in motion, for those who look from a browser.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "chamomile/view/sample.hpp"
#include "chamomile/view/scene.hpp"
#include "chamomile/view/server.hpp"

namespace chamomile {

/// A LiveView serves a page at 127.0.0.1 that shows samples of particles. One thread, that of the
/// run, calls it; the page's requests are answered by another, for which the run never waits.
/// While nobody looks a run pays for one load of is_asked() in each step.
class LiveView {
public:
    /// Throws Error(usage) for a port that is in use.
    explicit LiveView(const ViewPlace& place);

    /// Returns the address of the page, with the token that opens it.
    std::string url() const;
    int port() const { return server_.port(); }

    /// Shows these particles from now on.
    void begin(const ViewScene& scene, const Particles& particles);

    /// Returns whether a viewer waits for a sample or has sent a command.
    bool is_asked() const { return asked_.load(std::memory_order_relaxed); }

    struct Command {
        ViewCommand command;
        double number;
    };
    std::vector<Command> take_commands();

    /// Returns whether a viewer waits and the last samples took no more than a fiftieth of the time
    /// since then.
    bool may_sample() const;
    /// Returns whether a viewer waits for more points or types than the last sample has.
    bool is_insufficient() const;
    bool has_waiting() const;
    /// Returns whether anybody has ever looked.
    bool has_viewers() const;

    /// Hands over a sample of the particles, whose points `source` makes, to all who wait, or keeps
    /// it for who comes later.
    void show(const PointSource& source, const ViewStatus& status);

    /// Waits so many seconds, or until a viewer asks for something.
    void wait(double seconds);

private:
    std::string scene_text();
    std::optional<std::string> frame(const FrameWish& wish);
    void command(ViewCommand command, double number);
    void note_wish(const FrameWish& wish);
    std::shared_ptr<ViewSample> unused_sample();

    std::optional<ViewSampler> sampler_;
    std::array<std::shared_ptr<ViewSample>, 3> samples_; ///< that exist: shown, sent, and next
    double may_sample_at_ = 0;

    std::atomic<bool> asked_ = false;
    mutable std::mutex mutex_; ///< of what follows
    std::condition_variable changed_;
    std::string scene_;
    std::shared_ptr<const ViewSample> latest_;
    std::uint64_t sequence_ = 0;
    bool has_viewers_ = false;
    bool waiting_ = false;   ///< a viewer, for a sample
    std::size_t points_ = 0; ///< the most that a viewer who waits has asked for
    unsigned types_ = 0;     ///< all that they have asked for
    std::vector<Command> commands_;

    ViewServer server_; ///< is the first to end
};

} // namespace chamomile
