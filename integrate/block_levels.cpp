#include "integrate/block_levels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace chamomile {

void BlockLevels::begin(std::size_t particles, double whole, double floor)
{
    whole_ = whole;
    now_ = 0;
    lowest_ = 0;
    while (lowest_ < deepest && length(lowest_ + 1) >= floor)
        ++lowest_;
    level_.assign(particles, 0);
    std::fill(std::begin(count_), std::end(count_), 0);
}

double BlockLevels::length(int level) const
{
    return std::ldexp(whole_, -level);
}

int BlockLevels::level_for(double wish) const
{
    if (!(wish < whole_))
        return 0;
    if (wish < length(lowest_))
        return lowest_;
    int level = std::max(0, std::ilogb(whole_) - std::ilogb(wish) - 1);
    while (length(level) > wish)
        ++level;
    return level;
}

void BlockLevels::place(Index i, int level)
{
    level_[i] = std::uint8_t(level);
    ++count_[level];
}

void BlockLevels::advance(std::vector<Index>& due)
{
    int smallest = lowest_;
    while (smallest > 0 && count_[smallest] == 0)
        --smallest;
    now_ += ticks(smallest);
    for (int level = 0; level <= lowest_; ++level) {
        const std::uint64_t past = now_ % ticks(level);
        since_[level] = std::ldexp(double(past == 0 ? ticks(level) : past), -deepest) * whole_;
    }
    // Due are the levels whose steps divide the time.
    const int first = deepest - std::min(std::countr_zero(now_), deepest);
    due.clear();
    for (std::size_t i = 0; i < level_.size(); ++i)
        if (level_[i] >= first)
            due.push_back(Index(i));
}

void BlockLevels::change(Index i, double wish)
{
    const int old = level_[i];
    int level = level_for(wish);
    if (level < old) {
        const bool commensurate = now_ % ticks(old - 1) == 0;
        level = commensurate ? old - 1 : old;
    }
    --count_[old];
    ++count_[level];
    level_[i] = std::uint8_t(level);
}

double BlockLevels::elapsed() const
{
    return std::ldexp(double(now_), -deepest) * whole_;
}

} // namespace chamomile
