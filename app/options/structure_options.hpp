/// \file  Options for snapshot analysis: matter, spectra, halos, linear theory.
#pragma once

#include <array>
#include <cstdint>

#include "app/options/options.hpp"
#include "chamomile/run/structures/analysed.hpp"
#include "chamomile/run/structures/halo_file.hpp"
#include "chamomile/run/structures/linear_theory.hpp"
#include "chamomile/run/structures/power_file.hpp"

namespace chamomile::app {

/// Adds --types, described by `looked_at`, and --box.
void add_analysed_matter(Options& options, AnalysedMatter& matter, const std::string& looked_at);

/// Adds --mesh, --assignment, --interlacing, --fold, --fold-factor and --bins.
void add_power_options(Options& options, PowerRequest& power);

/// Adds --linking-length, --length, --min-members, --overdensity and --device.
void add_halo_options(Options& options, HaloRequest& request);

/// Adds --fits, --sigma8, --n-s, --omega-b, --linear-power and --transfer-table.
void add_theory_options(Options& options, TheoryRequest& theory);

/// Throws Error(usage) if a theory option is given without --fits, or if such options conflict.
void require_theory(const Options& options, const TheoryRequest& theory);

} // namespace chamomile::app
