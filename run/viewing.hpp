/// \file  A run shown to viewers, with their commands.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "chamomile/integrate/simulation.hpp"
#include "chamomile/run/view/live_view.hpp"

namespace chamomile {

/// ViewedRun holds the callbacks from a view to its run.
struct ViewedRun {
    std::function<void()> stop;                 ///< stops after the present step
    std::function<void()> checkpoint = {};      ///< none: no checkpoints
    std::function<void(ViewStatus&)> tell = {}; ///< fills progress and energy
    std::function<void()> between = {};         ///< called repeatedly while paused
};

/// A Viewing shows a simulation after its steps and lets viewers pause it. Results do not change.
class Viewing {
public:
    /// Keeps references. `state` must hold the particles of the simulation.
    Viewing(LiveView& view, const Snapshot& state, const std::string& name, Simulation& simulation,
            ViewedRun run);

    /// Call after each step, and repeat while it returns true: the run is then paused, and the call
    /// has waited briefly. The run may do other checks between calls.
    bool holds();

    /// Returns the seconds of pauses since the last step ended.
    double paused_seconds() const { return paused_seconds_; }

    /// A Cost is the time spent on viewers, excluding pauses.
    struct Cost {
        std::uint64_t samples = 0;
        double seconds = 0, longest = 0; ///< of all samples; of the longest
    };
    const Cost& cost() const { return cost_; }

    bool is_paused() const { return paused_; }
    void note(const std::string& line); ///< shows a message to viewers
    void finish();                      ///< shows the last state

private:
    void obey();
    void obey(const LiveView::Command& command);
    void show(bool ended);
    bool waits_for_pace() const;

    LiveView& view_;
    Simulation& simulation_;
    ViewedRun run_;
    ViewScene scene_;
    std::string note_;
    std::optional<std::uint64_t> seen_step_;
    std::uint64_t steps_ = 0; ///< steps left to run during a pause
    double pace_ = 0;         ///< max steps per second; 0: no limit
    double step_ended_ = 0, paused_seconds_ = 0;
    Cost cost_;
    bool paused_ = false;
    bool has_asked_ = false; ///< stop or checkpoint requested
    bool changed_ = true;    ///< since the last sample
};

} // namespace chamomile
