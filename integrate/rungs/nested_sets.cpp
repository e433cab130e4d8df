#include "chamomile/integrate/rungs/nested_sets.hpp"

#include <algorithm>
#include <cassert>

#include "chamomile/core/ranks/communicator.hpp"

namespace chamomile {

std::size_t NestedSets::first_due(int level) const
{
    std::size_t set = 0;
    while (set + 1 < heads_.size() && heads_[set].level < level)
        ++set;
    return set;
}

void NestedSets::open(std::size_t first, std::span<const int> levels)
{
    assert(first < heads_.size() && !levels.empty());
    heads_.resize(first + 1);
    heads_[first].level = levels.front();
    end_sets(first + 1);
    for (const int level : levels.subspan(1)) {
        std::vector<std::uint64_t> differing = select(level);
        if (ranks_)
            ranks_->sum(differing);
        const auto same = std::ranges::find(differing, 0u);
        const bool is_known = same != differing.end();
        const std::size_t size =
            append(is_known ? std::optional<std::size_t>(same - differing.begin()) : std::nullopt);
        heads_.push_back({level, size, is_known});
    }
    drop_ended();
}

void NestedSets::hold(std::size_t set)
{
    heads_[set].is_known = true;
    hold_others(set);
}

void NestedSets::add_held(std::size_t set, bool potentials)
{
    if (!is_whole(set)) // the whole set is evaluated in place, with nothing held
        add_others(set, potentials);
}

bool NestedSets::drift(std::size_t set, const LevelDrifts& drifts)
{
    std::uint64_t faults = !drift_members(set, drifts);
    if (ranks_)
        ranks_->sum(std::span(&faults, 1));
    return faults == 0;
}

bool NestedSets::kick(std::size_t first, const LevelFactors& factors)
{
    bool is_finite = true;
    for (std::size_t set = first; set < count(); ++set) {
        double factor = factors[std::size_t(level(set))];
        if (set > first)
            factor -= factors[std::size_t(level(set - 1))];
        is_finite = kick_members(set, factor) && is_finite;
    }
    return is_finite;
}

} // namespace chamomile
