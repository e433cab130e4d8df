/// \file  The options of cosmological runs, which the command line and Python read.
///
/// A new option is a member of CosmologyRequest and a row in cosmology_options.cpp.
#pragma once

#include <vector>

#include "chamomile/core/options/option_row.hpp"
#include "chamomile/integrate/scheme.hpp"
#include "chamomile/run/structures/comoving_run.hpp"

namespace chamomile {

/// The default of adaptive steps in a cosmological run: sqrt(2 * 0.02), GADGET-4's usual accuracy.
inline constexpr double comoving_eta = 0.2;

/// Returns the options of a CosmologyRequest but for `asked`: end, outputs, steps, softening and
/// background.
const std::vector<OptionRow<CosmologyRequest>>& cosmology_options();

/// Returns the end in ln a, which is today unless the request states another.
double end_of(const CosmologyRequest& request);

/// Chooses steps of eta sqrt(eps/|a|) unless a length or individual ones are given, and refuses the
/// first option that contradicts another or holds in plain time alone.
Refusal resolve_cosmology(const CosmologyRequest& request, Scheme& scheme,
                          const GivenOptions& given);

/// Returns a refusal of an end or of outputs before the start, a time in ln a.
Refusal refuse_epochs(const CosmologyRequest& request, double start, bool restarted);

} // namespace chamomile
