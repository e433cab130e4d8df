/// \file  The cost of a force evaluation, in the figures that `bench`, `force` and `run` print.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "chamomile/force/solver.hpp"

namespace chamomile {

/// A ForceCost is that of one evaluation, or the mean over several whose statistics were added.
struct ForceCost {
    explicit ForceCost(const ForceStatistics& statistics, double evaluations = 1);

    double particles = 0, cells = 0; ///< pairs per target
    double far_cells = 0;            ///< cells expanded per target
    double pairs = 0;                ///< of both kinds, all targets
    /// Two parts of the time: device_busy is the part, between the first and the last kernel, in
    /// which the device ran kernels; overlap is the part of the walk in which it did. They are
    /// empty on the host.
    std::optional<double> device_busy, overlap;
    std::optional<double> megabytes_up, megabytes_down; ///< copied to and from the device

    /// Returns "492 particles + 114 cells + 0.31 far cells per particle", and on a GPU its busy
    /// part.
    std::string text() const;
};

/// These are the columns of a table on the device; each word is `absent` for a solver on the host.
extern const std::vector<std::string> device_headings;
std::vector<std::string> device_words(const ForceStatistics& statistics, const char* absent);

/// Returns "build 5.1 ms, walk 33 ms", the mean over that many evaluations.
std::string phases_text(const Profile& profile, double evaluations = 1);

} // namespace chamomile
