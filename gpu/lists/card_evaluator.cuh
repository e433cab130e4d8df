/// \file  The evaluator of one card, which may be one of several that share the lists of a tree.
#pragma once

#include <memory>

#include "chamomile/force/evaluator.hpp"
#include "chamomile/force/lists/list_pool.hpp"
#include "chamomile/gpu/lists/sum_storage.cuh"

namespace chamomile {

/// TreeFrom says who has put the tree where the evaluator finds it.
enum class TreeFrom {
    builder,   ///< one on the device
    host,      ///< nobody: begin() copies it
    other_card ///< the owner of another card's evaluator
};

/// A CardEvaluator is an evaluator whose sums may be taken where they are.
class CardEvaluator : public Evaluator {
public:
    /// Says whether the lists of the next begin() are shared among cards.
    virtual void share_lists(bool are_shared) = 0;
    /// Waits for everything submitted, and returns the sums of all targets, in internal units.
    /// Where lists are shared all bits of those are set that no list came for.
    virtual TargetSum* wait_for_sums() = 0;
    /// Ends as finish() does, where other cards have parts of the sums.
    virtual std::size_t store(std::span<const SumStorage::Part> parts) = 0;
    virtual DeviceTree& tree() = 0;
    virtual SumStorage& storage() = 0;
};

/// Makes the evaluator of a tree's card; `target_tree` holds targets that are no sources, and is
/// null where there will be none. Several cards share a pool of lists.
std::unique_ptr<CardEvaluator> make_card_evaluator(std::shared_ptr<DeviceTree> tree,
                                                   std::shared_ptr<DeviceTree> target_tree,
                                                   Precision precision, TreeFrom from,
                                                   std::shared_ptr<ListPool> pool);

} // namespace chamomile
