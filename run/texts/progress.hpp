/// \file  The progress of a run.
#pragma once

#include <string>

#include "chamomile/core/units.hpp"
#include "chamomile/integrate/simulation.hpp"
#include "chamomile/run/journal.hpp"

namespace chamomile {

/// Returns "t = 1.5" with the time unit, or "a = 0.25, z = 3" for a comoving simulation.
std::string time_text(const Simulation& simulation, const Units& units, int digits = 9);

/// A Progress shows a line with step, time, rate, time left and energy error. On a terminal it is
/// updated several times a second, elsewhere printed every few seconds.
class Progress {
public:
    Progress(Journal& journal, const Units& units) : journal_(journal), units_(units) {}

    /// Updates the line. Call after each step. `energy_error` is in words.
    void update(const Simulation& simulation, const std::string& energy_error);

    /// Returns "43 %  12 steps/s  2 min left", or an empty text before the first step.
    std::string rate_text(const Simulation& simulation) const;

    /// Excludes `seconds` of waiting from rate and time left.
    void leave_out(double seconds) { start_ += seconds; }

private:
    Journal& journal_;
    Units units_;
    double start_ = wall_clock_seconds();
    bool begun_ = false;
    std::uint64_t first_step_ = 0; ///< at start or restart
    double first_time_ = 0;
    double last_shown_ = start_, last_told_ = start_;
};

} // namespace chamomile
