/// \file  Blocked individual steps: each is the whole divided by a power of two.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "chamomile/core/particles.hpp"

namespace chamomile {

/// BlockLevels hold the steps of particles within one whole step, at whose ends all are at one time
/// (McMillan 1986, Makino 1991). Times are counted in ticks, 2^deepest to the whole, so that they
/// are exact. A particle of level k steps by the whole / 2^k and is due at each multiple of that.
class BlockLevels {
public:
    static constexpr int deepest = 52;

    /// Begins a whole step of that length. The shortest steps are `floor`, or the whole if shorter.
    void begin(std::size_t particles, double whole, double floor);

    /// Returns the level of the longest step that is not longer than `time_step`, or of the
    /// shortest.
    int level_for(double time_step) const;

    /// Gives a particle its first level.
    void place(Index i, int level);

    /// Sets how many particles have each level, where the levels are kept elsewhere.
    void set_counts(std::span<const std::uint64_t> counts);

    /// Goes to the nearest time at which particles are due.
    void advance();
    /// Goes there and lists the particles that are due, ascending.
    void advance(std::vector<Index>& due);
    /// Returns the level with the longest steps that is due now.
    int longest_due() const;
    /// Sets the level of a particle that is due to that of `time_step`: any number of levels down,
    /// or one up if the present time is a multiple of the longer step.
    void change(Index i, double time_step);

    /// Returns the number of particles that are due.
    std::uint64_t due_count() const;
    /// Returns a mask whose bit k says that a particle of level k that is due may rise by one.
    std::uint64_t may_rise() const;

    bool at_end() const { return now_ == std::uint64_t(1) << deepest; }
    double whole() const { return whole_; }
    double length(int level) const;                     ///< of a step
    double elapsed() const;                             ///< since the begin
    double stride() const { return length(smallest_); } ///< of the last advance()
    /// Returns the time from the particle's last step to now, which is its full step if it is due.
    double since(Index i) const { return since_[level_[i]]; }
    int level(Index i) const { return level_[i]; }
    /// Returns the number of particles with steps of that level.
    std::uint64_t count(int level) const { return count_[level]; }
    int lowest() const { return lowest_; } ///< the level with the shortest steps allowed

private:
    int level_after(Index i, double time_step) const;
    static std::uint64_t ticks(int level) { return std::uint64_t(1) << (deepest - level); }

    double whole_ = 0;
    int lowest_ = deepest; ///< number of the level with the shortest steps allowed
    int smallest_ = 0;     ///< of the levels that anything had at the last advance()
    std::uint64_t now_ = 0;
    std::vector<std::uint8_t> level_;
    double since_[deepest + 1] = {};        ///< of particles by level
    std::uint64_t count_[deepest + 1] = {}; ///< particles of each level
};

} // namespace chamomile
