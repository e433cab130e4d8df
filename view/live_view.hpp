/// \file  A live view of moving particles in a browser.
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

/// A LiveView serves a page at 127.0.0.1 that shows samples of particles. Only the thread of the
/// run calls it. A second thread answers the requests of the page, and the run never waits for it.
/// Without viewers the cost is one load of is_asked() per step.
class LiveView {
public:
    /// Throws Error(usage) if the port is in use.
    explicit LiveView(const ViewPlace& place);

    /// Returns the URL of the page, including the access token.
    std::string url() const;
    int port() const { return server_.port(); }

    /// Starts showing these particles.
    void begin(const ViewScene& scene, const Particles& particles);

    /// Returns whether a viewer waits for a sample or has sent a command.
    bool is_asked() const { return asked_.load(std::memory_order_relaxed); }

    struct Command {
        ViewCommand command;
        double number;
    };
    std::vector<Command> consume_commands();

    /// Returns whether a viewer waits and the last samples took at most 2 % of the time since.
    bool may_sample() const;
    /// Returns whether a viewer waits for more points or types than in the last sample.
    bool is_insufficient() const;
    bool has_waiting() const;
    /// Returns whether any viewer has ever connected.
    bool has_viewers() const;

    /// Makes a sample of the particles with points from `source`, and sends it to all waiting
    /// viewers. Without waiting viewers it is kept for later ones.
    void show(const PointSource& source, const ViewStatus& status);

    /// Waits up to `seconds`, or until a viewer sends a request.
    void wait(double seconds);

private:
    std::string scene_text();
    std::optional<std::string> frame(const FrameWish& wish);
    void command(ViewCommand command, double number);
    void record_wish(const FrameWish& wish);
    std::shared_ptr<ViewSample> unused_sample();

    std::optional<ViewSampler> sampler_;
    std::array<std::shared_ptr<ViewSample>, 3> samples_; ///< reused in turn: shown, sent, next
    double may_sample_at_ = 0;

    std::atomic<bool> asked_ = false;
    mutable std::mutex mutex_; ///< guards the members below
    std::condition_variable changed_;
    std::string scene_;
    std::shared_ptr<const ViewSample> latest_;
    std::uint64_t sequence_ = 0;
    bool has_viewers_ = false;
    bool waiting_ = false;   ///< a viewer waits for a sample
    std::size_t points_ = 0; ///< max number requested by waiting viewers
    unsigned types_ = 0;     ///< all types requested by waiting viewers
    std::vector<Command> commands_;

    ViewServer server_; ///< destroyed first
};

} // namespace chamomile
