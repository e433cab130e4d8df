/// \file  Lists of all groups, in batches, by all threads.
#pragma once

#include <functional>

#include "force/evaluator.hpp"

namespace chamomile {

/// Appends the lists of clusters first .. last. Safe for several threads.
using ListClusters =
    std::function<void(InteractionLists& lists, std::size_t first, std::size_t last)>;

/// Submits the lists of all clusters to an evaluator that has begun, `batch_size` groups at a time
/// (0: as many as it wants), and counts pairs and expansions. Rethrows what a thread throws, when
/// nothing is under way.
void submit_batches(const TargetGroups& groups, Evaluator& evaluator, int batch_size,
                    const ListClusters& list, ForceStatistics& statistics);

} // namespace chamomile
