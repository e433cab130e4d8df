/// \file  Ranks that are threads of one process.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "chamomile/parallel/communicator.hpp"

namespace chamomile {

inline constexpr int most_thread_ranks = 1024;

/// RankOptions say how ranks wait for each other.
struct RankOptions {
    double time_limit = 600; ///< seconds after which a rank that is silent counts as failed
    /// This is the seed by which each message is held back for a random while, at most a
    /// millisecond, so that tests see other orders of arrival.
    std::optional<std::uint64_t> held_back = {};
};

/// Runs body(communicator) on `ranks` ranks, that of rank 0 by the calling thread, and returns when
/// all have ended. The first failure is thrown here. The threads of a rank that stays silent are
/// left behind: they touch nothing but what `body` holds by value.
void run_ranks(int ranks, const std::function<void(Communicator&)>& body, RankOptions options = {});

} // namespace chamomile
