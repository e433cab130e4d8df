/// \file  The cost of a force evaluation, as printed by `bench`, `force` and `run`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "chamomile/force/solver.hpp"

namespace chamomile {

/// A ForceCost is the cost of one evaluation, or the mean of `evaluations` added statistics.
struct ForceCost {
    explicit ForceCost(const ForceStatistics& statistics, double evaluations = 1);

    double particles = 0, cells = 0; ///< pairs per target
    double far_cells = 0;            ///< cells expanded per target
    double pairs = 0;                ///< both kinds, all targets
    /// device_busy: fraction of the time between first and last kernel with a running kernel.
    /// overlap: the same fraction of the walk. Empty on the host.
    std::optional<double> device_busy, overlap;
    std::optional<double> megabytes_up, megabytes_down; ///< copied to and from the device

    /// Returns "492 particles + 114 cells + 0.31 far cells per particle", on a GPU with its busy
    /// fraction.
    std::string text() const;
};

/// Columns of a table about the device. Each word is `absent` for a solver on the host.
extern const std::vector<std::string> device_headings;
std::vector<std::string> device_words(const ForceStatistics& statistics, const char* absent);

/// Returns "build 5.1 ms, walk 33 ms": the mean over `evaluations`.
std::string phases_text(const Profile& profile, double evaluations = 1);

} // namespace chamomile
