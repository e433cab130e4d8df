/// \file  Options for trees distributed over ranks.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "app/options/options.hpp"
#include "chamomile/force/settings.hpp"

namespace chamomile::app {

/// Gives the solver, which is for one of these devices and has rank_options(), the ranks that a
/// launcher has started. Throws Error(usage) where they contradict each other, or an option has no
/// effect on any device.
void resolve_ranks(const Options& options, SolverOptions& solver,
                   std::span<const std::string> devices);

} // namespace chamomile::app
