/// \file  The options of cosmological runs on the command line.
#pragma once

#include <optional>

#include "app/options/options.hpp"
#include "chamomile/run/structures/cosmology_options.hpp"

namespace chamomile::app {

/// Adds --cosmology and all of cosmology_options().
void add_cosmology_options(Options& options, CosmologyRequest& request);

/// If the run is cosmological, completes its steps, and sets its end in ln a, which is today unless
/// given. Throws Error(usage) for options that contradict each other or hold in plain time only.
void resolve_cosmology(const Options& options, CosmologyRequest& request, Scheme& scheme,
                       std::optional<double>& end_time);

} // namespace chamomile::app
