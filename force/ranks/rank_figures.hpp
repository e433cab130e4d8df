/// \file  Statistics of ranks: sums over ranks, and the max of a rank.
#pragma once

#include <cstdint>

#include "chamomile/core/ranks/communicator.hpp"
#include "chamomile/force/solver.hpp"

namespace chamomile {

/// RankFigures are counts of one rank in addition to ForceStatistics.
struct RankFigures {
    std::uint64_t not_finite = 0;                             ///< sums
    std::uint64_t imported_particles = 0, imported_cells = 0; ///< from other ranks
    std::uint64_t work = 0;                                   ///< by which domains are balanced
    std::uint64_t partners = 0;                               ///< number of ranks imported from
    std::uint64_t import_bytes = 0;                           ///< sent for imports
    std::uint64_t memory = 0;                                 ///< bytes of tree and sums
};

/// Replaces this rank's statistics by global ones. A collective call. `before`: this rank's traffic
/// at the start of the evaluation.
void share_figures(ForceStatistics& statistics, const RankFigures& mine, const Traffic& before,
                   Communicator& ranks);

} // namespace chamomile
