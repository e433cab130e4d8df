#include "chamomile/integrate/rungs/nested_sets.hpp"

#include <cassert>

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
    for (const int level : levels.subspan(1))
        heads_.push_back(append(level));
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
