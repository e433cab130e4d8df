/// \file  What ranks report of an evaluation: sums over all of them, and the largest of one.
#pragma once

#include <cstdint>

#include "chamomile/force/solver.hpp"
#include "chamomile/parallel/communicator.hpp"

namespace chamomile {

/// RankFigures are what one rank did beside its ForceStatistics.
struct RankFigures {
    std::uint64_t not_finite = 0;                             ///< sums
    std::uint64_t imported_particles = 0, imported_cells = 0; ///< from other ranks
    std::uint64_t work = 0;                                   ///< by which domains are cut
    std::uint64_t partners = 0;                               ///< ranks that it imports from
    std::uint64_t import_bytes = 0;                           ///< that it has sent for imports
    std::uint64_t memory = 0;                                 ///< bytes of tree and sums
};

/// Makes the statistics of this rank those of all, who call this together. `before` is the traffic
/// of this rank when the evaluation began.
void share_figures(ForceStatistics& statistics, const RankFigures& mine, const Traffic& before,
                   Communicator& ranks);

} // namespace chamomile
