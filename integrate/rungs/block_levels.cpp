#include "chamomile/integrate/rungs/block_levels.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

#include "chamomile/core/filter_indices.hpp"
#include "chamomile/integrate/rungs/block_rule.hpp"

namespace chamomile {

void BlockLevels::begin(std::size_t particles, double whole, double floor)
{
    assert(whole > 0);
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

int BlockLevels::level_for(double time_step) const
{
    return level_of(time_step, whole_, lowest_);
}

void BlockLevels::place(Index i, int level)
{
    assert(level >= 0 && level <= lowest_);
    level_[i] = std::uint8_t(level);
    ++count_[level];
}

void BlockLevels::set_counts(std::span<const std::uint64_t> counts)
{
    assert(counts.size() <= std::size(count_));
    std::copy(counts.begin(), counts.end(), std::begin(count_));
}

void BlockLevels::advance()
{
    assert(!at_end());
    smallest_ = lowest_;
    while (smallest_ > 0 && count_[smallest_] == 0)
        --smallest_;
    now_ += ticks(smallest_);
    assert(now_ % ticks(smallest_) == 0 && now_ <= std::uint64_t(1) << deepest);
    for (int level = 0; level <= lowest_; ++level) {
        const std::uint64_t past = now_ % ticks(level);
        since_[level] = std::ldexp(double(past == 0 ? ticks(level) : past), -deepest) * whole_;
    }
}

void BlockLevels::advance(std::vector<Index>& due)
{
    advance();
    const int first = longest_due();
    list_where(
        level_.size(), [&](std::size_t i) { return level_[i] >= first; }, due);
}

/// A level is due when its step divides the time.
int BlockLevels::longest_due() const
{
    return deepest - std::min(std::countr_zero(now_), deepest);
}

std::uint64_t BlockLevels::due_count() const
{
    std::uint64_t sum = 0;
    for (int level = longest_due(); level <= lowest_; ++level)
        sum += count_[level];
    return sum;
}

std::uint64_t BlockLevels::may_rise() const
{
    std::uint64_t mask = 0;
    for (int level = 1; level <= lowest_; ++level)
        if (now_ % ticks(level - 1) == 0)
            mask |= std::uint64_t(1) << level;
    return mask;
}

int BlockLevels::level_after(Index i, double time_step) const
{
    const int level = level_[i];
    assert(level >= longest_due() && count_[level] > 0); // it is due
    return next_level(level, level_for(time_step), now_ % ticks(level - 1) == 0);
}

void BlockLevels::change(Index i, double time_step)
{
    const int level = level_after(i, time_step);
    --count_[level_[i]];
    ++count_[level];
    level_[i] = std::uint8_t(level);
}

double BlockLevels::elapsed() const
{
    return std::ldexp(double(now_), -deepest) * whole_;
}

} // namespace chamomile
