/// \file  The power spectrum of a snapshot as a table.
#pragma once

#include <optional>
#include <string>

#include "chamomile/analysis/power_spectrum.hpp"
#include "chamomile/io/snapshot.hpp"
#include "chamomile/run/structures/linear_theory.hpp"

namespace chamomile {

struct MatterOnRanks;

/// A PowerRequest holds the parameters of a power spectrum measurement.
struct PowerRequest {
    PowerSpectrumOptions measurement{.foldings = 1};
    std::optional<int> mesh; ///< empty: power of two at 2 cbrt(N)
};

/// Measures the power spectrum of the snapshot's particles, or, with `ranks`, of the particles on
/// the ranks. Throws Error(usage) if the box is not periodic or the mesh is not allowed.
PowerSpectrum measured_power(const Snapshot& snapshot, const PowerRequest& power,
                             const MatterOnRanks* ranks = nullptr);

/// Returns a table with heading: k, P, P with shot noise, error, modes, limits of k and number of
/// foldings. If `theory` is not null, adds columns for linear theory and Halofit.
std::string power_table(const Snapshot& snapshot, const PowerSpectrum& spectrum,
                        const Theory* theory, const std::string& title);

} // namespace chamomile
