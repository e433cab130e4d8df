/// \file  Options for trees distributed over ranks.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "app/options/options.hpp"
#include "chamomile/force/settings.hpp"

namespace chamomile::app {

struct RankSettings {
    std::optional<int> ranks; ///< threads in this process
    bool share_gpu = false;
    double peer_timeout = 600; ///< max seconds without a message from a rank
};

void add_rank_options(Options& options, RankSettings& settings);

/// Sets the solver's ranks from options or launcher, for one of `devices`. Throws Error(usage) if
/// both conflict, or if an option has no effect on any device.
void resolve_ranks(const Options& options, const RankSettings& settings, SolverOptions& solver,
                   std::span<const std::string> devices);

} // namespace chamomile::app
