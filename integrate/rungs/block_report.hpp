/// \file  Statistics of individual steps and their cost.
#pragma once

#include <cstdint>
#include <map>

#include "chamomile/core/profile.hpp"

namespace chamomile {

class Archive;

/// Counts of individual steps since the start.
struct BlockReport {
    struct Rung {
        std::uint64_t particle_steps = 0; ///< kicks over a whole step of this length
        double particle_time = 0;         ///< the sum of these steps
        std::uint64_t evaluations = 0;    ///< with this rung as the longest due
        std::uint64_t targets = 0;        ///< of these evaluations
        // Since the start or restart:
        std::uint64_t timed = 0;         ///< evaluations with times
        std::uint64_t timed_targets = 0; ///< of timed evaluations
        std::uint64_t pairs = 0;         ///< of timed targets with particles and cells
        double seconds = 0;              ///< of timed evaluations
        double moving = 0;               ///< in drifts and kicks before and after them
        Profile phases;                  ///< of `seconds`
    };
    std::map<int, Rung> rungs;        ///< k: steps of 2^k up to 2^(k+1)
    std::uint64_t below_shortest = 0; ///< steps that the criterion would make shorter
    std::uint64_t deepest = 0;        ///< deepest rung reached below the whole step
};

/// Keeps or restores the report, except its timings. Throws Error(restart) if it is damaged.
void exchange(Archive& archive, BlockReport& report);

} // namespace chamomile
