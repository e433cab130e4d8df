/// \file  The options of a tree that several ranks share.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "app/options/options.hpp"
#include "chamomile/force/settings.hpp"

namespace chamomile::app {

/// RankSettings holds these options.
struct RankSettings {
    std::optional<int> ranks; ///< threads of this process
    bool share_gpu = false;
    double peer_timeout = 600; ///< seconds for which a rank may be silent
};

void add_rank_options(Options& options, RankSettings& settings);

/// Gives the solver, which is for one of these devices, the ranks that are asked for, or that a
/// launcher has started. Throws Error(usage) where they contradict each other, or an option has no
/// effect on any device.
void resolve_ranks(const Options& options, const RankSettings& settings, SolverOptions& solver,
                   std::span<const std::string> devices);

} // namespace chamomile::app
