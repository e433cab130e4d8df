/// \file  The options of cosmological runs, for command line and Python.
///
/// A new option is a member of CosmologyRequest and a row in cosmology_options.cpp.
#pragma once

#include <vector>

#include "chamomile/core/options/option_row.hpp"
#include "chamomile/integrate/scheme.hpp"
#include "chamomile/run/structures/comoving_run.hpp"

namespace chamomile {

/// Default for adaptive steps in a cosmological run: sqrt(2 * 0.02), GADGET-4's usual accuracy.
inline constexpr double comoving_eta = 0.2;

/// Returns the options of CosmologyRequest except `asked`: end, outputs, steps, softening and
/// background.
const std::vector<OptionRow<CosmologyRequest>>& cosmology_options();

/// Returns the end in ln a; today by default.
double end_of(const CosmologyRequest& request);

/// Selects steps of eta sqrt(eps/|a|) unless a step length or individual steps are given. Refuses
/// the first option that contradicts another or applies only to plain time.
Refusal resolve_cosmology(const CosmologyRequest& request, Scheme& scheme,
                          const GivenOptions& given);

/// Refuses an end or outputs before `start` (in ln a).
Refusal refuse_epochs(const CosmologyRequest& request, double start, bool restarted);

} // namespace chamomile
