/// \file  The power spectrum of a snapshot as a table.
#pragma once

#include <optional>
#include <string>

#include "chamomile/cosmology/power_spectrum.hpp"
#include "chamomile/io/snapshot.hpp"
#include "chamomile/run/structures/linear_theory.hpp"

namespace chamomile {

/// A PowerRequest states how a power spectrum is measured.
struct PowerRequest {
    PowerSpectrumOptions measurement{.foldings = 1};
    std::optional<int> mesh; ///< empty: the power of two at twice the cube root of the particles
};

/// Measures the power spectrum. Throws Error(usage) if the box is not periodic or the mesh does not
/// fit.
PowerSpectrum measured_power(const Snapshot& snapshot, const PowerRequest& power);

/// Returns lines of k, P, P with shot noise, error, modes, the limits of k and how often the box
/// was folded, under a heading. `theory`, which may be null, adds columns of linear theory and of
/// Halofit.
std::string power_table(const Snapshot& snapshot, const PowerSpectrum& spectrum,
                        const Theory* theory, const std::string& title);

} // namespace chamomile
