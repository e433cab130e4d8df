/// \file  Options of stellar masses, and of mass and size of models in N-body units.
#pragma once

#include <optional>

#include "app/options/options.hpp"
#include "chamomile/initial/models/population.hpp"

namespace chamomile::app {

/// Adds the options of --imf and --binaries.
void add_population_options(Options& options, StellarPopulation& population);

/// Returns the number of stars: `particles`; with --imf and physical units the mass (1e10 Msun)
/// over the mean mass of a star. Throws Error(usage) for options that have no use or contradict.
std::uint64_t number_of_stars(const Options& options, const StellarPopulation& population,
                              bool physical, const std::optional<double>& mass,
                              std::uint64_t particles);

/// Mass and half-mass radius that a model in N-body units is scaled to.
struct ModelSize {
    std::optional<double> mass, half_mass_radius;
};

/// Adds --mass and --r-half.
void add_size_options(Options& options, ModelSize& size);

/// Scales a model with G = M = 1 and this half-mass radius; in kpc and 1e10 Msun if `physical`.
void scale_to(const ModelSize& size, double half_mass_radius, bool physical, Snapshot& snapshot);

} // namespace chamomile::app
