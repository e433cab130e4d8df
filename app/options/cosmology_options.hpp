/// \file  The options of cosmological runs and of the background.
#pragma once

#include <optional>
#include <vector>

#include "app/options/options.hpp"

namespace chamomile::app {

/// Of adaptive steps of a cosmological run: sqrt(2 * 0.02), GADGET-4's usual accuracy.
inline constexpr double comoving_eta = 0.2;

struct CosmologyRequest {
    bool asked = false; ///< by --cosmology or any of the others
    std::optional<double> omega_matter, omega_lambda, omega_radiation, w0, wa, hubble;
    std::optional<double> end_scale_factor, end_redshift;
    std::vector<double> output_scale_factors, output_redshifts;
    double longest_step = 0.025; ///< in ln a
    std::optional<double> physical_softening;
};

/// Adds --cosmology, --z-end, --a-end, --outputs-z, --outputs-a, --dlna-max, --eps-max, --omega-m,
/// --omega-l, --omega-r, --w0, --wa and --hubble.
void add_cosmology_options(Options& options, CosmologyRequest& request);

/// Whether the run is cosmological; then its end in ln a, today unless given. Throws Error(usage)
/// for options that contradict each other or belong to plain time.
void settle_cosmology(const Options& options, CosmologyRequest& request,
                      std::optional<double>& end_time);

/// Throws Error(usage) for an end or outputs before the start, a time in ln a.
void require_later(const CosmologyRequest& request, double start, bool restarted);

/// Times of outputs in ln a; none: at intervals.
std::vector<double> listed_outputs(const CosmologyRequest& request);

} // namespace chamomile::app
