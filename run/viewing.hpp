/// \file  A run that is looked at: what it shows, and what viewers may ask of it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "chamomile/integrate/simulation.hpp"
#include "chamomile/view/live_view.hpp"

namespace chamomile {

/// ViewedRun states what a view does with the run that it shows.
struct ViewedRun {
    std::function<void()> stop;                 ///< after the present step
    std::function<void()> checkpoint = {};      ///< none: the run has no checkpoints
    std::function<void(ViewStatus&)> tell = {}; ///< fills progress and energy
    std::function<void()> between = {};         ///< is called again and again while the run is held
};

/// A Viewing shows a simulation after its steps and lets viewers hold it. It changes no bit of it.
class Viewing {
public:
    /// Keeps references. `state` has the particles of the simulation.
    Viewing(LiveView& view, const Snapshot& state, const std::string& name, Simulation& simulation,
            ViewedRun run);

    /// Must be called after each step, and again as long as it returns true: the run is held, and
    /// the call has waited a moment. What else the run has to look at may be looked at between.
    bool holds();

    /// Returns the seconds of pauses since the last step ended.
    double paused_seconds() const { return paused_seconds_; }

    /// A Cost is what viewers took of a run, apart from pauses.
    struct Cost {
        std::uint64_t samples = 0;
        double seconds = 0, longest = 0; ///< of all samples, and of one
    };
    const Cost& cost() const { return cost_; }

    bool is_paused() const { return paused_; }
    void note(const std::string& line); ///< shows it
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
    std::uint64_t steps_ = 0; ///< that are allowed in a pause
    double pace_ = 0;         ///< the most steps a second; 0: no limit
    double step_ended_ = 0, paused_seconds_ = 0;
    Cost cost_;
    bool paused_ = false;
    bool has_asked_ = false; ///< the run for a checkpoint or an end
    bool changed_ = true;    ///< since the last sample
};

} // namespace chamomile
