/// \file  Lists for all groups, in batches, by all threads.
#pragma once

#include <algorithm>
#include <functional>

#include "chamomile/core/error.hpp"
#include "chamomile/force/evaluator.hpp"

namespace chamomile {

/// Appends the lists for clusters first .. last, end excluded. Thread-safe.
using ListClusters =
    std::function<void(InteractionLists& lists, std::size_t first, std::size_t last)>;

/// Submits lists for all clusters to an evaluator after begin(), `batch_size` groups at a time (0:
/// the evaluator's choice), and counts pairs and expansions. Rethrows a thread's exception when no
/// work is pending.
void submit_batches(const TargetGroups& groups, Evaluator& evaluator, int batch_size,
                    const ListClusters& list, ForceStatistics& statistics);

/// Limits the batch size on a device that ran out of memory.
class BatchLimit {
public:
    /// Returns the number of groups per batch: `wanted` (0: the evaluator's choice), or less.
    int batch_size(int wanted, const Evaluator& evaluator)
    {
        size_ = wanted > 0 ? std::size_t(wanted) : evaluator.batch_size();
        if (max_ > 0)
            size_ = std::min(size_, max_);
        return int(size_);
    }

    /// Evaluates; repeats with half the batch size while memory does not suffice, down to 8 groups.
    /// Changes no bit. Throws OutOfDeviceMemory.
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

    /// Halves the size of later batches. Returns false at the minimum.
    bool shrink()
    {
        if (size_ <= 8)
            return false;
        size_ = max_ = size_ / 2;
        return true;
    }

private:
    std::size_t size_ = 0, max_ = 0; // max_: 0 for all
};

} // namespace chamomile
