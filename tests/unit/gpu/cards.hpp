/// \file  Numbers of ranks, and the GPUs that they use or share.
#pragma once

#include <vector>

#include "chamomile/force/gpu.hpp"
#include "chamomile/force/solver.hpp"

namespace chamomile::tests {

/// A Cards sets the number of ranks and their GPUs.
struct Cards {
    const char* device;
    int ranks; ///< 0: one per GPU, if several
    bool share;

    SolverOptions given(SolverOptions options) const
    {
        options.device = device;
        options.own_ranks = ranks;
        options.share_gpu = share;
        options.peer_timeout = 120;
        return options;
    }
};

inline std::vector<Cards> all_cards()
{
    std::vector<Cards> cards{
        {"gpu:0", 1, true}, {"gpu:0", 2, true}, {"gpu:0", 3, true}, {"gpu:0", 5, true}};
    if (list_gpus().size() > 1) {
        cards.push_back({"gpu:all", 0, false});
        cards.push_back({"gpu:1,0", 0, false});
        cards.push_back({"gpu", 2, false});
        cards.push_back({"gpu:0,1", 5, true});
    }
    return cards;
}

} // namespace chamomile::tests
