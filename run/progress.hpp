/// \file  The progress of a run.
#pragma once

#include <string>

#include "chamomile/integrate/simulation.hpp"
#include "chamomile/run/journal.hpp"

namespace chamomile {

/// Returns "t = 1.5", or "a = 0.25, z = 3" for a comoving simulation.
std::string time_text(const Simulation& simulation, int digits = 9);

/// A Progress shows a line with step, time, rate, time left and energy error. It is rewritten
/// several times a second on a terminal, and printed every few seconds elsewhere.
class Progress {
public:
    explicit Progress(Journal& journal) : journal_(journal) {}

    /// Updates the line; must be called after each step, with the energy error in words.
    void update(const Simulation& simulation, const std::string& energy_error);

private:
    Journal& journal_;
    double start_ = wall_clock_seconds();
    bool begun_ = false;
    std::uint64_t first_step_ = 0; ///< at the start or restart
    double first_time_ = 0;
    double last_shown_ = start_, last_told_ = start_;
};

} // namespace chamomile
