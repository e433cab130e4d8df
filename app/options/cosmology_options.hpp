/// \file  Command-line options for cosmological runs.
#pragma once

#include <optional>

#include "app/options/options.hpp"
#include "chamomile/run/structures/cosmology_options.hpp"

namespace chamomile::app {

/// Adds --cosmology and all of cosmology_options().
void add_cosmology_options(Options& options, CosmologyRequest& request);

/// Completes the steps of a cosmological run and sets its end in ln a (default: today). Throws
/// Error(usage) for conflicting options and for options valid in plain time only.
void resolve_cosmology(const Options& options, CosmologyRequest& request, Scheme& scheme,
                       std::optional<double>& end_time);

} // namespace chamomile::app
