/// \file  A report of the individual steps that were taken and of their cost.
#pragma once

#include <cstdint>
#include <map>

#include "chamomile/core/profile.hpp"

namespace chamomile {

class Archive;

/// A BlockReport counts the individual steps so far.
struct BlockReport {
    struct Rung {
        std::uint64_t particle_steps = 0; ///< kicks over a whole step of this length
        double particle_time = 0;         ///< the sum of these steps
        std::uint64_t evaluations = 0;    ///< of this rung and all below, the longest due
        std::uint64_t targets = 0;        ///< of these evaluations
        // Since the start or restart:
        std::uint64_t timed = 0;         ///< of these evaluations
        std::uint64_t timed_targets = 0; ///< of theirs
        std::uint64_t pairs = 0;         ///< of these targets with particles and cells
        double seconds = 0;              ///< that they took
        double moving = 0;               ///< that drifts and kicks before and after them took
        Profile phases;                  ///< of `seconds`
    };
    std::map<int, Rung> rungs;        ///< k: steps of 2^k up to 2^(k+1)
    std::uint64_t below_shortest = 0; ///< particle steps that should have been shorter
    std::uint64_t deepest = 0;        ///< rung below the whole step that was reached
};

/// Keeps or restores the report, but for what is timed. Throws Error(restart) if it is damaged.
void exchange(Archive& archive, BlockReport& report);

} // namespace chamomile
