/// \file  A snapshot's power spectrum as a table.
#pragma once

#include <optional>
#include <string>

#include "chamomile/cosmology/power_spectrum.hpp"
#include "chamomile/io/snapshot.hpp"
#include "chamomile/run/structures/linear_theory.hpp"

namespace chamomile {

struct PowerRequest {
    PowerSpectrumOptions measurement{.foldings = 1};
    std::optional<int> mesh; ///< empty: the power of two at twice the cube root of the particles
};

/// Throws Error(usage) if the box is not periodic or the mesh does not fit.
PowerSpectrum measured_power(const Snapshot& snapshot, const PowerRequest& power);

/// Lines of k, P, P and shot noise, error, modes, the limits of k and how often the box was folded,
/// under a heading. `theory`, which may be null, adds columns of linear theory and of Halofit.
std::string power_table(const Snapshot& snapshot, const PowerSpectrum& spectrum,
                        const Theory* theory, const std::string& title);

} // namespace chamomile
