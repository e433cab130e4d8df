/// \file  Reuses interaction lists, so that a step allocates nothing.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "chamomile/tree/interaction_lists.hpp"

namespace chamomile {

/// Keeps idle lists with their memory. Thread-safe.
class ListPool {
public:
    std::unique_ptr<InteractionLists> take()
    {
        {
            const std::lock_guard lock(mutex_);
            if (!idle_.empty()) {
                auto lists = std::move(idle_.back());
                idle_.pop_back();
                return lists;
            }
        }
        return std::make_unique<InteractionLists>();
    }

    void give_back(std::unique_ptr<InteractionLists> lists)
    {
        if (!lists)
            return;
        lists->clear();
        const std::lock_guard lock(mutex_);
        idle_.push_back(std::move(lists));
    }

private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<InteractionLists>> idle_;
};

} // namespace chamomile
