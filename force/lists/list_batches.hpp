/// \file  Lists of all groups, in batches, by all threads.
#pragma once

#include <algorithm>
#include <functional>

#include "chamomile/core/error.hpp"
#include "chamomile/force/evaluator.hpp"

namespace chamomile {

/// Appends the lists of clusters first .. last. It is safe for several threads.
using ListClusters =
    std::function<void(InteractionLists& lists, std::size_t first, std::size_t last)>;

/// Submits the lists of all clusters to an evaluator that has begun, `batch_size` groups at a time
/// (0: as many as it wants), and counts pairs and expansions. Rethrows what a thread throws, when
/// nothing is under way.
void submit_batches(const TargetGroups& groups, Evaluator& evaluator, int batch_size,
                    const ListClusters& list, ForceStatistics& statistics);

/// Limits the size of batches on a device that had no room for some.
class BatchLimit {
public:
    /// Returns the number of groups in a batch: the number asked for (0: what the evaluator
    /// suggests), or less.
    int batch_size(int wanted, const Evaluator& evaluator)
    {
        size_ = wanted > 0 ? std::size_t(wanted) : evaluator.batch_size();
        if (most_ > 0)
            size_ = std::min(size_, most_);
        return int(size_);
    }

    /// Evaluates, and again in batches of half the size as long as there is no room, down to 8
    /// groups: that changes no bit. Throws OutOfDeviceMemory.
    template <class Evaluate>
    void try_until_it_fits(const Evaluate& evaluate)
    {
        for (;;)
            try {
                return evaluate();
            } catch (const OutOfDeviceMemory&) {
                if (!shrink())
                    throw;
            }
    }

    /// Tells whether batches can become smaller; if so, the next ones are.
    bool shrink()
    {
        if (size_ <= 8)
            return false;
        size_ = most_ = size_ / 2;
        return true;
    }

private:
    std::size_t size_ = 0, most_ = 0; // most_: 0 for all
};

} // namespace chamomile
