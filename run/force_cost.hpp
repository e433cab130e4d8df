/// \file  What a force evaluation cost, in the figures that `bench`, `force` and `run` tell.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "chamomile/force/solver.hpp"

namespace chamomile {

/// Of one evaluation, or the mean over several whose statistics were added.
struct ForceCost {
    explicit ForceCost(const ForceStatistics& statistics, double evaluations = 1);

    double particles = 0, cells = 0; ///< pairs per target
    double far_cells = 0;            ///< cells expanded per target
    double pairs = 0;                ///< of both kinds, all targets
    /// Parts of the time: in which the device ran kernels, between the first and the last; of the
    /// walk, in which the device ran kernels. None on the host.
    std::optional<double> device_busy, overlap;
    std::optional<double> megabytes_up, megabytes_down; ///< copied to and from the device

    /// "492 particles + 114 cells + 0.31 far cells per particle", and on a GPU its part.
    std::string text() const;
};

/// What a table tells of the device; each word is `absent` for a solver on the host.
extern const std::vector<std::string> device_headings;
std::vector<std::string> device_words(const ForceStatistics& statistics, const char* absent);

/// "build 5.1 ms, walk 33 ms", the mean over that many evaluations.
std::string phases_text(const Profile& profile, double evaluations = 1);

} // namespace chamomile
