/// \file  The options of cosmological runs and of the background.
#pragma once

#include <optional>
#include <vector>

#include "app/options/options.hpp"
#include "chamomile/run/structures/comoving_run.hpp"

namespace chamomile::app {

/// The default of adaptive steps in a cosmological run: sqrt(2 * 0.02), GADGET-4's usual accuracy.
inline constexpr double comoving_eta = 0.2;

/// Adds --cosmology, --z-end, --a-end, --outputs-z, --outputs-a, --dlna-max, --eps-max, --omega-m,
/// --omega-l, --omega-r, --w0, --wa and --hubble.
void add_cosmology_options(Options& options, CosmologyRequest& request);

/// If the run is cosmological, sets its end in ln a, which is today unless given. Throws
/// Error(usage) for options that contradict each other or hold in plain time only.
void resolve_cosmology(const Options& options, CosmologyRequest& request,
                       std::optional<double>& end_time);

/// Throws Error(usage) for an end or outputs before the start, a time in ln a.
void require_later(const CosmologyRequest& request, double start, bool restarted);

} // namespace chamomile::app
