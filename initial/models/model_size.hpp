/// \file  Mass and size of a model as asked.
#pragma once

#include <functional>
#include <optional>

#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// A ModelSize scales a model that is made with G = 1.
struct ModelSize {
    std::optional<double> mass, half_mass_radius;
    bool physical = false; ///< kpc, 1e10 Msun and km/s; false: G = 1

    /// Scales a model with this half-mass radius.
    void apply(double half_mass_radius_now, Snapshot& snapshot) const;
};

/// Returns the radius below which `mass_within` is half of `mass`.
double half_mass_radius_of(double mass, const std::function<double(double r)>& mass_within);

} // namespace chamomile
